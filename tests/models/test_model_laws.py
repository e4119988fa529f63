"""The laws of every model adapter: stepping with a cache, whatever rows are copied, moved, dropped,
taken back or put together, gives the scores of running each text anew, without cache and padding.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch

from models.harness import FAMILIES, Harness
from models.tiny_models import (
    ALL_CAUSAL,
    CANNOT_REWIND,
    ENCODER_DECODER,
    SIZE,
    UNSUPPORTED,
    make,
    make_vivid,
)
from neurologic.errors import ModelError, PromptError
from neurologic.models.causal import CausalDecoding
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.models.internals.caches import can_move_rows
from neurologic.models.internals.calls import can_pad_prompts, first_position, logits_size
from neurologic.models.internals.support import require_supported
from neurologic.models.separate import SeparateRows


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Any:
    return make_vivid(FAMILIES[request.param])


@pytest.fixture(scope="module", params=[name for name in FAMILIES if name not in CANNOT_REWIND])
def rewindable(request: pytest.FixtureRequest) -> Any:
    return make_vivid(FAMILIES[request.param])


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
