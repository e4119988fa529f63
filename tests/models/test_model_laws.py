"""The laws of every model adapter: stepping with a cache, whatever rows are copied, moved, dropped,
taken back or put together, gives the scores of running each text anew, alone and without a cache.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from models.tiny_models import CAUSAL, ENCODER_DECODER, SIZE, UNSUPPORTED, make
from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.models.internals import logits_size, require_supported

FAMILIES = {**CAUSAL, **ENCODER_DECODER}
# Their caches are states or windows, or there is none: no token can be taken back.
CANNOT_REWIND = {
    "mistral, sliding window",
    "gemma3, mixed layers",
    "mamba, recurrent",
    "openai-gpt, no cache",
}
VOCABULARY = Vocabulary((b"x",) * SIZE, frozenset({2}), lambda text: ())
Row = tuple[int, tuple[int, ...]]  # the input, and the tokens generated so far


class Harness:
    """A decoding beside the plain list of rows that it should be."""

    def __init__(self, model: Any, lengths: Sequence[int], *, opening: tuple[int, ...] = ()) -> None:
        self.model = model
        self.random = random.Random(7)
        self.opening = opening
        kind = EncoderDecoderModel if model.config.is_encoder_decoder else CausalModel
        self.adapter = kind(model, VOCABULARY)
        self.prompts = [tuple(self.random.randrange(3, SIZE) for _ in range(length)) for length in lengths]
        self.decoding = self.adapter.start([EncodedPrompt(ids, opening=opening) for ids in self.prompts])
        self.rows: list[Row] = [(index, ()) for index in range(len(lengths))]

    def advance(self, parents: Sequence[int]) -> None:
        tokens = [self.random.randrange(3, SIZE) for _ in parents]
        self.decoding.advance(torch.tensor(parents), torch.tensor(tokens))
        self.rows = [
            (self.rows[parent][0], (*self.rows[parent][1], token))
            for parent, token in zip(parents, tokens, strict=True)
        ]

    def branch(self, parents: Sequence[int]) -> Harness:
        other = copy.copy(self)
        other.decoding = self.decoding.branch(torch.tensor(parents))
        other.rows = [self.rows[parent] for parent in parents]
        return other

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        self.decoding.rewind(count, logits)
        self.rows = [(index, tokens[: len(tokens) - count]) for index, tokens in self.rows]

    def join(self, other: Harness) -> None:
        self.decoding.join(other.decoding)
        self.rows = self.rows + other.rows

    def check(self) -> None:
        logits = self.decoding.logits
        assert logits.shape == (len(self.rows), SIZE)
        assert logits.dtype == torch.float32
        assert not logits.is_inference()  # processors may change it in place
        expected = torch.stack([self.uncached(row) for row in self.rows])
        torch.testing.assert_close(logits, expected, atol=1e-4, rtol=0)

    @torch.no_grad()
    def uncached(self, row: Row) -> torch.Tensor:
        index, tokens = row
        prompt = self.prompts[index]
        if isinstance(self.adapter, EncoderDecoderModel):
            output = self.model(
                input_ids=torch.tensor([prompt]),
                decoder_input_ids=torch.tensor([[self.adapter.start_id, *self.opening, *tokens]]),
                use_cache=False,
            )
        else:
            output = self.model(input_ids=torch.tensor([[*prompt, *tokens]]))
        return output.logits[0, -1]


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Any:
    return make(FAMILIES[request.param])


@pytest.fixture(scope="module", params=[name for name in FAMILIES if name not in CANNOT_REWIND])
def rewindable(request: pytest.FixtureRequest) -> Any:
    return make(FAMILIES[request.param])


def test_one_text_step_by_step(model: Any) -> None:
    harness = Harness(model, [4])
    harness.check()
    for _ in range(8):  # longer than every sliding window
        harness.advance([0])
        harness.check()


def test_a_padded_batch_scores_like_each_input_alone(model: Any) -> None:
    harness = Harness(model, [7, 3, 5])
    harness.check()
    for _ in range(4):
        harness.advance([0, 1, 2])
        harness.check()


def test_rows_are_copied_moved_and_dropped(model: Any) -> None:
    harness = Harness(model, [7, 3, 5])
    for parents in (
        [0, 0, 0, 1, 1, 2, 2, 2],  # expand: 3, 2 and 3 rows per input
        [2, 1, 1, 4, 3, 5, 5, 6],  # reorder inside the inputs
        [0, 1, 2, 3, 4, 5, 6, 7],  # nothing moves
        [1, 1, 5, 6, 7],  # the second input is over
        [4, 3, 2, 0],  # inputs change places
        [2],  # one row is left
        [0, 0, 0, 0],
    ):
        harness.advance(parents)
        harness.check()


def test_inputs_of_equal_length_need_no_mask(model: Any) -> None:
    harness = Harness(model, [5, 5])
    for parents in ([0, 0, 1, 1], [1, 0, 3, 3], [0, 2, 3]):
        harness.advance(parents)
        harness.check()


def test_input_ids_are_what_processors_see(model: Any) -> None:
    harness = Harness(model, [4, 2])
    harness.advance([0, 0, 1])
    harness.advance([1, 2])
    ids = harness.decoding.input_ids().tolist()
    for (index, tokens), row in zip(harness.rows, ids, strict=True):
        if isinstance(harness.adapter, EncoderDecoderModel):
            assert row == [harness.adapter.start_id, *tokens]
        else:
            prompt = harness.prompts[index]
            assert row == [0] * (4 - len(prompt)) + [*prompt, *tokens]


@pytest.mark.parametrize("lengths", [[7, 3, 5], [4, 4, 4]])  # with a mask, and without one
@pytest.mark.parametrize("parents", [[0, 1, 2, 3], [3, 0, 0, 1, 2, 3], [2]])
def test_a_branch_leaves_the_rows_as_they_were(model: Any, lengths: list[int], parents: list[int]) -> None:
    harness = Harness(model, lengths)
    harness.advance([0, 0, 1, 2])
    branch = harness.branch(parents)
    branch.check()
    for _ in range(6):  # longer than every sliding window
        branch.advance(range(len(parents)))
    branch.check()
    harness.check()
    harness.advance([3, 2, 1, 0, 0])  # and going on here leaves the branch as it was
    harness.check()
    branch.advance([0, 0])
    branch.check()


@pytest.mark.parametrize("lengths", [[7, 3, 5], [4, 4, 4]])
def test_tokens_are_taken_back(rewindable: Any, lengths: list[int]) -> None:
    harness = Harness(rewindable, lengths)
    harness.advance([0, 0, 1, 2])
    before, branch = harness.decoding.logits, harness.branch([0, 1, 2, 3])
    for _ in range(3):
        harness.advance([0, 1, 2, 3])
    harness.rewind(3, before)
    for rows in (harness, branch):
        rows.check()
        rows.advance([3, 1, 0, 2, 2])
        rows.check()
    harness.rewind(0, harness.decoding.logits)
    harness.check()
    assert harness.decoding.input_ids().shape == branch.decoding.input_ids().shape


@pytest.mark.parametrize("lengths", [[7, 3, 5], [4, 4, 4]])
def test_rows_are_put_together(rewindable: Any, lengths: list[int]) -> None:
    harness = Harness(rewindable, lengths)
    harness.advance([0, 0, 1, 2])
    branch = harness.branch([3, 0, 2])
    harness.advance([1, 2, 3])
    branch.advance([0, 1, 1, 2])
    harness.join(branch)
    harness.check()
    branch.check()
    for parents in ([0, 1, 2, 6, 5, 4, 3], [6, 5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5, 6], [5, 5, 0]):
        harness.advance(parents)
        harness.check()
    branch.advance([0, 1, 2, 3])
    branch.check()


@pytest.mark.parametrize("name", FAMILIES)
def test_only_plain_caches_can_be_taken_back(name: str) -> None:
    assert Harness(make(FAMILIES[name]), [4]).decoding.can_rewind == (name not in CANNOT_REWIND)


def test_an_opening_is_given_not_generated() -> None:
    harness = Harness(make(ENCODER_DECODER["mbart"]), [4, 6], opening=(9,))
    harness.check()
    harness.advance([0, 0, 1])
    harness.check()
    assert harness.decoding.input_ids()[:, :2].tolist() == [[2, 9]] * 3


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported_models_are_refused_with_the_reason(name: str) -> None:
    build, reason = UNSUPPORTED[name]
    with pytest.raises(ModelError, match=reason):
        require_supported(build())


def test_models_without_position_ids_refuse_uneven_batches() -> None:
    import transformers as hf

    config = hf.BartConfig(vocab_size=SIZE, d_model=32, decoder_layers=1, decoder_attention_heads=4)
    model = make(lambda: hf.BartForCausalLM(config))
    Harness(model, [4, 4]).check()
    with pytest.raises(ModelError, match="3, 5 tokens"):
        Harness(model, [3, 5])


def test_an_empty_prompt_is_refused() -> None:
    for build in (CAUSAL["llama"], ENCODER_DECODER["t5"]):
        with pytest.raises(PromptError):
            Harness(make(build), [0])


def test_the_number_of_logits_is_the_output_layers() -> None:
    assert logits_size(make(CAUSAL["llama"])) == SIZE
    assert logits_size(make(ENCODER_DECODER["bart"])) == SIZE


@pytest.mark.real_model
@pytest.mark.parametrize("name", ["smollm2", "marian"])
def test_greedy_steps_equal_generate(name: str, request: pytest.FixtureRequest) -> None:
    loaded = request.getfixturevalue(name)
    prompt = loaded.encode("The doctor asked the secretary to help her with the letter.")
    decoding = loaded.start([prompt])
    processors, _ = loaded.processors(len(prompt.ids), 10)
    ours: list[int] = []
    while len(ours) < 10 and not (ours and ours[-1] in loaded.end_ids):
        token = processors(decoding.input_ids(), decoding.logits).argmax(-1)
        ours.append(int(token))
        decoding.advance(torch.tensor([0]), token)
    ids = torch.tensor([prompt.ids])
    output = loaded.model.generate(
        input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=False, num_beams=1, max_new_tokens=10
    )[0].tolist()
    assert output[1 if loaded.is_encoder_decoder else len(prompt.ids) :] == ours
    assert loaded.decode(ours, prompt).strip()
