"""The laws of every model adapter: stepping with a cache, whatever rows are copied, moved, dropped,
taken back or put together, gives the scores of running each text anew, without cache and padding.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from models.tiny_models import (
    ALL_CAUSAL,
    CANNOT_READ_TREES,
    CANNOT_REWIND,
    ENCODER_DECODER,
    SIZE,
    UNSUPPORTED,
    make,
    make_vivid,
)
from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalDecoding, CausalModel
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.models.internals.caches import can_move_rows
from neurologic.models.internals.calls import can_pad_prompts, first_position, logits_size
from neurologic.models.internals.support import require_supported
from neurologic.models.separate import SeparateRows

FAMILIES = {**ALL_CAUSAL, **ENCODER_DECODER}
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

    def admit(self, lengths: Sequence[int], beginning: tuple[int, ...] = ()) -> None:
        more = [(*beginning, *(self.random.randrange(3, SIZE) for _ in range(length))) for length in lengths]
        self.decoding.admit([EncodedPrompt(ids) for ids in more])
        self.rows += [(len(self.prompts) + number, ()) for number in range(len(more))]
        self.prompts = self.prompts + more

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
        torch.testing.assert_close(logits, self.uncached(self.rows), atol=1e-4, rtol=0)

    @torch.no_grad()
    def uncached(self, rows: Sequence[Row]) -> torch.Tensor:
        """The scores after each text, run anew: no cache, no padding."""
        lengths = [(len(self.prompts[index]), len(tokens)) for index, tokens in rows]
        expected = torch.empty(len(rows), SIZE)
        for length in set(lengths):
            numbers = [number for number, other in enumerate(lengths) if other == length]
            expected[numbers] = self._run([rows[number] for number in numbers])
        return expected

    def _run(self, rows: Sequence[Row]) -> torch.Tensor:
        prompts = [self.prompts[index] for index, _ in rows]
        if isinstance(self.adapter, EncoderDecoderModel):
            start = (self.adapter.start_id, *self.opening)
            output = self.model(
                input_ids=torch.tensor(prompts),
                decoder_input_ids=torch.tensor([[*start, *tokens] for _, tokens in rows]),
                use_cache=False,
            )
        else:
            texts = [[*prompt, *tokens] for prompt, (_, tokens) in zip(prompts, rows, strict=True)]
            output = self.model(input_ids=torch.tensor(texts))
        return output.logits[:, -1]


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Any:
    return make_vivid(FAMILIES[request.param])


@pytest.fixture(scope="module", params=[name for name in FAMILIES if name not in CANNOT_REWIND])
def rewindable(request: pytest.FixtureRequest) -> Any:
    return make_vivid(FAMILIES[request.param])


@pytest.fixture(scope="module", params=[name for name in ALL_CAUSAL if name not in CANNOT_READ_TREES])
def tree_reader(request: pytest.FixtureRequest) -> Any:
    return make_vivid(ALL_CAUSAL[request.param])


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


def test_inputs_may_be_longer_than_every_window(model: Any) -> None:
    harness = Harness(model, [41, 23, 33])
    harness.check()
    harness.advance([0, 0, 1, 2])
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


@pytest.mark.parametrize(
    ("lengths", "parents"),  # with a mask, and without one
    [([7, 3, 5], [3, 0, 0, 1, 2, 3]), ([7, 3, 5], [2]), ([4, 4, 4], [0, 1, 2, 3])],
)
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
    whole = Harness(rewindable, lengths)
    whole.advance([0, 0, 1, 2])
    harness, branch = whole.branch([0, 1, 2, 3]), whole.branch([0, 1, 2, 3])
    before = harness.decoding.logits
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
    whole = Harness(rewindable, lengths)
    whole.advance([0, 0, 1, 2])
    harness, branch = whole.branch([0, 1, 2, 3]), whole.branch([3, 0, 2])
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


@pytest.mark.parametrize("name", ALL_CAUSAL)
def test_causal_models_read_trees_but_for_those_known_not_to(name: str) -> None:
    assert CausalModel(make(FAMILIES[name]), VOCABULARY).reads_trees == (name not in CANNOT_READ_TREES)


def test_inputs_join_a_batch_under_way(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [20, 3, 5])
    for parents in ([0, 0, 1, 2, 2, 2], [1, 0, 3, 4, 5]):
        harness.advance(parents)
    harness.admit([4, 2, 25])
    harness.check()
    harness.advance([0, 1, 1, 5, 5, 6, 7, 7])
    harness.check()
    for _ in range(9):  # so long that columns which no row needs are cleared away
        harness.advance([0, 0, 0, 3, 3, 5, 6, 6])
        harness.check()
    harness.admit([6, 1])
    harness.advance([5, 8, 9, 9])  # whole inputs leave
    harness.check()
    branch = harness.branch([2, 0])
    branch.advance([1, 0, 0])
    branch.check()


def test_inputs_that_join_take_over_what_they_begin_with(tree_reader: Any) -> None:
    read: list[tuple[int, ...]] = []
    harness = Harness(tree_reader, [4, 22])  # the one that is begun alike is not the longest, nor the first
    beginning = harness.prompts[1][:19]
    for _ in range(2):
        harness.advance([0, 1, 1])
    for _ in range(8):  # so long that columns are cleared away
        harness.advance([0, 1, 1])
    handle = tree_reader.register_forward_pre_hook(
        lambda _, __, given: read.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    harness.admit([3], beginning)
    harness.admit([2, 5], beginning)
    handle.remove()
    assert read == [(1, 3), (2, 5)]
    harness.check()
    harness.advance([0, 1, 2, 3, 3, 4, 5])
    harness.check()


def test_the_tokens_of_inputs_that_are_gone_are_forgotten(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [5])
    for _ in range(6):
        for _ in range(4):
            harness.advance([0])
        harness.admit([5])
        harness.advance([1])
    assert harness.decoding.input_ids().shape[1] <= 5 + 5 + 4 + 1
    harness.check()


@pytest.mark.parametrize("name", [name for name in ALL_CAUSAL if name not in CANNOT_REWIND])
def test_prompts_may_begin_alike(name: str) -> None:
    harness = Harness(make_vivid(ALL_CAUSAL[name]), [3])
    beginning = tuple(harness.random.randrange(3, SIZE) for _ in range(20))
    harness.prompts = [beginning + tuple(range(5, 5 + more)) for more in (1, 9, 4)]
    harness.decoding = harness.adapter.start([EncodedPrompt(ids) for ids in harness.prompts])
    harness.rows = [(number, ()) for number in range(3)]
    harness.check()
    harness.advance([0, 1, 1, 2])
    harness.check()


def test_a_common_beginning_is_read_once(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [3])
    beginning = tuple(harness.random.randrange(3, SIZE) for _ in range(20))
    harness.prompts = [beginning + (5,) * more for more in (1, 4, 1, 6)]
    read = []
    handle = tree_reader.register_forward_pre_hook(
        lambda _, __, given: read.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    harness.decoding = harness.adapter.start([EncodedPrompt(ids) for ids in harness.prompts])
    handle.remove()
    harness.rows = [(number, ()) for number in range(4)]
    assert read == [(1, 20), (4, 6)]
    harness.check()
    harness.advance([0, 1, 1, 2, 3])
    harness.check()


def test_the_rows_of_a_tree_share_what_they_agree_on(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [20])
    harness.advance([0] * 8)
    for _ in range(30):
        harness.advance([0] * 8)  # all rows have the same parent, so that only the last tokens differ
    layer = harness.decoding._cache.layers[0]
    assert layer.keys.shape[0] == 1
    assert layer.keys.shape[2] < 2 * (20 + 30 + 8)  # not 8 * (20 + 31)


def test_a_tree_may_have_more_columns_than_the_model_has_positions(tree_reader: Any) -> None:
    harness = Harness(tree_reader, [40])
    harness.advance([0] * 8)
    for _ in range(10):
        harness.advance(range(8))  # nothing is shared but the prompt
    assert harness.decoding._cache.layers[0].keys.shape[2] == 40 + 11 * 8
    harness.check()


@pytest.mark.parametrize("name", FAMILIES)
def test_only_plain_caches_can_be_taken_back(name: str) -> None:
    assert Harness(make(FAMILIES[name]), [4]).decoding.can_rewind == (name not in CANNOT_REWIND)


@pytest.mark.parametrize(("encoder", "decoder"), [(3, 1), (1, 3)])
def test_encoder_and_decoder_may_differ_in_depth(encoder: int, decoder: int) -> None:
    import transformers as hf

    sizes = {"vocab_size": SIZE, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_heads": 4, "pad_token_id": 0}
    config = hf.T5Config(
        **sizes, num_layers=encoder, num_decoder_layers=decoder, eos_token_id=2, decoder_start_token_id=0
    )
    model = make_vivid(lambda: hf.T5ForConditionalGeneration(config))
    test_rows_are_copied_moved_and_dropped(model)
    test_rows_are_put_together(model, [7, 3, 5])


def test_an_opening_is_given_not_generated() -> None:
    harness = Harness(make(ENCODER_DECODER["mbart"]), [4, 6], opening=(9,))
    harness.check()
    harness.advance([0, 0, 1])
    harness.check()
    assert harness.decoding.input_ids()[:, :2].tolist() == [[2, 9]] * 3


@pytest.mark.parametrize("name", ["t5", "m2m100", "two berts"])
@pytest.mark.parametrize("lengths", [[4, 6], [5, 5]])
def test_a_decoding_starts_from_encoder_outputs(name: str, lengths: list[int]) -> None:
    model = make_vivid(ENCODER_DECODER[name])
    harness = Harness(model, lengths, opening=(9, 8))
    ids = torch.zeros(2, max(lengths), dtype=torch.long)
    for row, prompt in zip(ids, harness.prompts, strict=True):
        row[: len(prompt)] = torch.tensor(prompt)
    mask = (ids != 0).long() if len(set(lengths)) > 1 else None
    encoded = model.get_encoder()(input_ids=ids, attention_mask=mask, return_dict=True)
    before = encoded.last_hidden_state.clone()
    start = torch.tensor([[harness.adapter.start_id, 9, 8]] * 2)
    harness.decoding = harness.adapter.start_from(encoded, mask, start)
    harness.check()
    harness.advance([1, 0, 0])
    harness.check()
    assert harness.decoding.input_ids()[:, :3].tolist() == [start[0].tolist()] * 3
    assert torch.equal(encoded.last_hidden_state, before)


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported_models_are_refused_with_the_reason(name: str) -> None:
    build, reason = UNSUPPORTED[name]
    with pytest.raises(ModelError, match=reason):
        require_supported(build())


def test_every_token_and_its_place_show_in_the_scores(model: Any) -> None:
    # Otherwise the other laws would hold whatever the adapter does.
    harness = Harness(model, [6])
    prompt = harness.prompts[0]
    scores = harness.uncached(harness.rows)
    changed = [
        (SIZE - 1, *prompt[1:]),
        (*prompt[:3], SIZE - 1, *prompt[4:]),
        (prompt[1], prompt[0], *prompt[2:]),
    ]
    for other in changed:
        harness.prompts = [other]
        assert (harness.uncached(harness.rows) - scores).abs().max() > 0.01


@pytest.mark.parametrize(
    "name", ["bart as a decoder, no padding", "rwkv, read anew", "deepseek-v3.2, indexed"]
)
def test_models_that_cannot_be_padded_run_inputs_of_each_length_apart(name: str) -> None:
    model = make_vivid(ALL_CAUSAL[name])
    assert isinstance(Harness(model, [3, 5, 3]).decoding, SeparateRows)
    assert isinstance(Harness(model, [4, 4]).decoding, CausalDecoding)


def test_models_from_outside_of_transformers_are_not_padded() -> None:
    import transformers as hf

    class Foreign(hf.LlamaForCausalLM):
        """Nobody knows what its author did with the mask."""

    own = make(ALL_CAUSAL["llama"])
    assert can_pad_prompts(own)
    assert not can_pad_prompts(Foreign(own.config))


def test_a_cache_whose_rows_would_be_left_behind_is_not_used() -> None:
    import transformers as hf

    config = hf.DeepseekV4Config(
        vocab_size=SIZE, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, moe_intermediate_size=16
    )
    with torch.device("meta"):  # nothing is run
        model = hf.DeepseekV4ForCausalLM(config)
    assert not can_move_rows(model)


def test_positions_of_roberta_begin_after_the_padding_tokens() -> None:
    build = ALL_CAUSAL["roberta as a decoder"]
    assert first_position(make(build)) == 1
    assert first_position(build(pad=4)) == 5
    assert first_position(make(ALL_CAUSAL["bert as a decoder"])) == 0


def test_an_empty_prompt_is_refused() -> None:
    for build in (ALL_CAUSAL["llama"], ENCODER_DECODER["t5"]):
        with pytest.raises(PromptError):
            Harness(make(build), [0])


def test_the_number_of_logits_is_the_output_layers() -> None:
    assert logits_size(make(ALL_CAUSAL["llama"])) == SIZE
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
