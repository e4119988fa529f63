"""Every family of models obeys the laws of `neurologic.testing`, and the adapters' own rules."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from models.harness import FAMILIES, adapter_of, random_prompts, tracked, uncached
from neurologic.errors import ModelError, PromptError
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal_rows import CausalRows
from neurologic.models.internals.caches import can_move_rows
from neurologic.models.internals.calling_convention import can_pad_prompts, first_position, logits_size
from neurologic.models.internals.supported_models import require_supported
from neurologic.models.rows_by_length import RowsByLength
from neurologic.testing import MODEL_LAWS, check_model
from neurologic.testing.model_laws import ModelLaw, rows_follow_their_parents
from tiny.families import (
    ALL_CAUSAL,
    CANNOT_REWIND,
    ENCODER_DECODER,
    SIZE,
    UNSUPPORTED,
    make,
    make_vivid,
)

# Rows in a tree or of their own, with a cache of attention, of states or of both, or without one; and
# encoder–decoders with and without positions.
ONE_OF_A_KIND = ("llama", "gpt2", "gemma2, mixed layers", "mamba, recurrent", "jamba, hybrid", "t5", "bart")
CANNOT_PAD = ("bart as a decoder, no padding", "rwkv, read anew", "deepseek-v3.2, indexed")


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Any:
    return make_vivid(FAMILIES[request.param])


# Scores are of the order of 1. Round-off alone, which differs between machines, makes up to 3e-4 of
# difference where a recurrent state is summed up in another order (Qwen3-Next).
TOLERANCE = 1e-3


@pytest.mark.parametrize("law", MODEL_LAWS, ids=lambda law: law.__name__)
def test_every_family_obeys(model: Any, law: ModelLaw) -> None:
    adapter = adapter_of(model)
    law(adapter, random_prompts([7, 3, 5]), reference=uncached(adapter), tolerance=TOLERANCE)


def test_without_padding_rows_follow_their_parents_too(model: Any) -> None:
    adapter = adapter_of(model)
    prompts = random_prompts([4, 4, 4])
    rows_follow_their_parents(adapter, prompts, reference=uncached(adapter), tolerance=TOLERANCE)


@pytest.mark.parametrize("name", [*ONE_OF_A_KIND, *CANNOT_PAD])
@pytest.mark.parametrize("law", MODEL_LAWS, ids=lambda law: law.__name__)
def test_every_kind_obeys_without_padding(name: str, law: ModelLaw) -> None:
    adapter = adapter_of(make_vivid(FAMILIES[name]))
    law(adapter, random_prompts([4, 4, 4]), reference=uncached(adapter), tolerance=TOLERANCE)


def test_inputs_may_be_longer_than_every_window(model: Any) -> None:
    rows = tracked(model, random_prompts([41, 23, 33]))
    rows.check()
    rows.advance([0, 0, 1, 2])
    rows.check()


def test_input_ids_are_padded_on_the_left(model: Any) -> None:
    rows = tracked(model, random_prompts([4, 2]))
    rows.advance([0, 0, 1])
    rows.advance([1, 2])
    for (prompt, tokens), ids in zip(rows.rows, rows.decoding.input_ids().tolist(), strict=True):
        if rows.model.is_encoder_decoder:
            assert ids == [rows.model.start_id, *tokens]
        else:
            assert ids == [0] * (4 - len(prompt.ids)) + [*prompt.ids, *tokens]


@pytest.mark.parametrize("name", FAMILIES)
def test_only_plain_caches_can_be_taken_back(name: str) -> None:
    rows = tracked(make(FAMILIES[name]), random_prompts([4]))
    assert rows.decoding.can_rewind == (name not in CANNOT_REWIND)


@pytest.mark.parametrize(("encoder", "decoder"), [(3, 1), (1, 3)])
def test_encoder_and_decoder_may_differ_in_depth(encoder: int, decoder: int) -> None:
    import transformers as hf

    sizes = {"vocab_size": SIZE, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_heads": 4, "pad_token_id": 0}
    config = hf.T5Config(
        **sizes, num_layers=encoder, num_decoder_layers=decoder, eos_token_id=2, decoder_start_token_id=0
    )
    model = make_vivid(lambda: hf.T5ForConditionalGeneration(config))
    adapter = adapter_of(model)
    check_model(adapter, random_prompts([7, 3, 5]), reference=uncached(adapter))


def test_an_opening_is_given_not_generated() -> None:
    rows = tracked(make(ENCODER_DECODER["mbart"]), random_prompts([4, 6], opening=(9,)))
    rows.check()
    rows.advance([0, 0, 1])
    rows.check()
    assert rows.decoding.input_ids()[:, :2].tolist() == [[2, 9]] * 3


@pytest.mark.parametrize("name", ["t5", "m2m100", "two berts"])
@pytest.mark.parametrize("lengths", [[4, 6], [5, 5]])
def test_a_decoding_starts_from_encoder_outputs(name: str, lengths: list[int]) -> None:
    model = make_vivid(ENCODER_DECODER[name])
    prompts = random_prompts(lengths, opening=(9, 8))
    rows = tracked(model, prompts)
    ids = torch.zeros(2, max(lengths), dtype=torch.long)
    for row, prompt in zip(ids, prompts, strict=True):
        row[: len(prompt.ids)] = torch.tensor(prompt.ids)
    mask = (ids != 0).long() if len(set(lengths)) > 1 else None
    encoded = model.get_encoder()(input_ids=ids, attention_mask=mask, return_dict=True)
    before = encoded.last_hidden_state.clone()
    adapter = adapter_of(model)
    start = torch.tensor([[adapter.start_id, 9, 8]] * 2)
    rows.decoding = adapter.start_from(encoded, mask, start)
    rows.check()
    rows.advance([1, 0, 0])
    rows.check()
    assert rows.decoding.input_ids()[:, :3].tolist() == [start[0].tolist()] * 3
    assert torch.equal(encoded.last_hidden_state, before)


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported_models_are_refused_with_the_reason(name: str) -> None:
    build, reason = UNSUPPORTED[name]
    with pytest.raises(ModelError, match=reason):
        require_supported(build())


def test_every_token_and_its_place_show_in_the_scores(model: Any) -> None:
    # Otherwise the other laws would hold whatever the adapter does.
    reference = uncached(adapter_of(model))
    (prompt,) = random_prompts([6])
    first, second, *rest = prompt.ids
    changed = [
        (SIZE - 1, second, *rest),
        (first, second, rest[0], SIZE - 1, *rest[2:]),
        (second, first, *rest),
    ]
    for ids in changed:
        scores = reference([(prompt, ()), (EncodedPrompt(ids), ())])
        assert (scores[0] - scores[1]).abs().max() > 0.01


@pytest.mark.parametrize("name", CANNOT_PAD)
def test_models_that_cannot_be_padded_run_inputs_of_each_length_apart(name: str) -> None:
    model = make_vivid(ALL_CAUSAL[name])
    assert isinstance(tracked(model, random_prompts([3, 5, 3])).decoding, RowsByLength)
    assert isinstance(tracked(model, random_prompts([4, 4])).decoding, CausalRows)


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
            tracked(make(build), random_prompts([0]))


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
