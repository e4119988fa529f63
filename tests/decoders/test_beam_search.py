"""Beam search is Hugging Face's, token for token; greedy decoding too.

Tiny models with random weights, sharpened so that near-ties are rare, and a few prompts on real ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from transformers import GenerationConfig

from neurologic.decoders.beam_search import BeamSearch
from neurologic.decoders.greedy import Greedy
from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.models.loading import LoadedModel
from neurologic.search.decoder import Decoder
from neurologic.search.engine import search
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
from tiny.families import CAUSAL, ENCODER_DECODER, SIZE, make
from toys import ToyModel

# Prompts of 5, 1 and 3 tokens; none has an end token.
PROMPTS = ((17, 30, 42, 55, 9), (23,), (50, 8, 31))
ENDS = (2, 11, 25, 47)
LIMIT = 7


@pytest.fixture(scope="module", params=["gpt2", "llama", "marian", "t5"])
def model(request: pytest.FixtureRequest) -> Any:
    return sharp(request.param)


def sharp(name: str) -> Any:
    """A tiny model with clear preferences."""
    model = make({**CAUSAL, **ENCODER_DECODER}[name])
    model.generation_config.forced_eos_token_id = None
    with torch.no_grad():
        model.get_output_embeddings().weight *= 2.5 if name == "t5" else 12.0
    return model


def theirs(
    model: Any, prompts: Sequence[Sequence[int]], ends: tuple[int, ...], **knobs: Any
) -> list[list[tuple[tuple[int, ...], float]]]:
    """Tokens and scores of what `model.generate` returns, per prompt."""
    width = max(map(len, prompts))
    pads = [[0] * (width - len(prompt)) for prompt in prompts]
    right = model.config.is_encoder_decoder
    rows = [[*prompt, *pad] if right else [*pad, *prompt] for prompt, pad in zip(prompts, pads, strict=True)]
    ones = [[1] * len(prompt) for prompt in prompts]
    mask = [[*one, *pad] if right else [*pad, *one] for one, pad in zip(ones, pads, strict=True)]
    output = model.generate(
        input_ids=torch.tensor(rows),
        attention_mask=torch.tensor(mask),
        generation_config=GenerationConfig(
            do_sample=False,
            eos_token_id=list(ends),
            pad_token_id=0,
            decoder_start_token_id=model.config.decoder_start_token_id if right else None,
            return_dict_in_generate=True,
            output_scores=True,
            **knobs,
        ),
    )
    scores = getattr(output, "sequences_scores", None)
    values = [0.0] * len(output.sequences) if scores is None else scores.tolist()
    start = 1 if right else width
    texts = [
        (until_end(tokens[start:], ends, knobs["max_new_tokens"]), score)
        for tokens, score in zip(output.sequences.tolist(), values, strict=True)
    ]
    each = len(texts) // len(prompts)
    return [texts[place * each : (place + 1) * each] for place in range(len(prompts))]


def until_end(tokens: Sequence[int], ends: Sequence[int], limit: int) -> tuple[int, ...]:
    """Tokens without the padding after the first end token."""
    stop = next((place + 1 for place, token in enumerate(tokens) if token in ends), limit)
    return tuple(tokens[:stop])


def ours(
    model: Any, prompts: Sequence[tuple[int, ...]], ends: tuple[int, ...], decoder: Decoder, **knobs: Any
) -> list[list[Finished]]:
    pieces = tuple(None if token in ends else f" {token}".encode() for token in range(SIZE))
    vocabulary = Vocabulary(pieces, frozenset(ends), lambda text: (), name="numbers")
    kind = EncoderDecoderModel if model.config.is_encoder_decoder else CausalModel
    nothing = compile_formula(None, vocabulary)
    inputs = [SearchInput(EncodedPrompt(prompt), nothing) for prompt in prompts]
    outputs = search(kind(model, vocabulary), inputs, decoder, SearchSettings(**knobs))
    return [output.texts for output in outputs]


def require_equal(
    model: Any, prompts: Sequence[tuple[int, ...]], ends: tuple[int, ...], **knobs: Any
) -> None:
    knobs = {"max_new_tokens": LIMIT, "num_return_sequences": knobs["num_beams"], **knobs}
    expected = theirs(model, prompts, ends, **knobs)
    actual = ours(model, prompts, ends, BeamSearch(), **knobs)
    assert [[text.tokens for text in texts] for texts in actual] == [
        [tokens for tokens, _ in texts] for texts in expected
    ]
    if knobs["num_beams"] > 1:  # with one beam Hugging Face is greedy and keeps no scores
        assert [[text.score for text in texts] for texts in actual] == [
            pytest.approx([score for _, score in texts], abs=1e-4) for texts in expected
        ]


@pytest.mark.parametrize("early_stopping", [False, True, "never"])
@pytest.mark.parametrize("num_beams", [2, 4])
@pytest.mark.parametrize("length_penalty", [-1.0, 0.0, 2.0])
def test_all_k_texts_and_scores_are_hugging_faces(
    model: Any, num_beams: int, length_penalty: float, early_stopping: bool | str
) -> None:
    """Several prompts of different lengths in one batch: some texts end, some are cut off."""
    knobs = {"num_beams": num_beams, "length_penalty": length_penalty, "early_stopping": early_stopping}
    require_equal(model, PROMPTS, ENDS, **knobs)


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("limit", [1, 12])
def test_a_prompt_alone(model: Any, prompt: tuple[int, ...], limit: int) -> None:
    require_equal(model, [prompt], (2,), num_beams=3, max_new_tokens=limit)
    require_equal(model, [prompt], ENDS, num_beams=4, max_new_tokens=limit)


def test_the_three_rules_for_stopping_differ_and_each_is_hugging_faces() -> None:
    llama = sharp("llama")
    found = []
    for early_stopping in (False, True, "never"):
        knobs = {"num_beams": 2, "max_new_tokens": 20, "early_stopping": early_stopping}
        require_equal(llama, PROMPTS, ENDS, **knobs)
        found.append([texts[0].tokens for texts in ours(llama, PROMPTS, ENDS, BeamSearch(), **knobs)])
    assert found[0] != found[1] != found[2] != found[0]


def test_special_tokens_are_written_as_they_come() -> None:
    """Constrained decoders never write them; Hugging Face's beam search does."""
    vocabulary = Vocabulary((None, None, b" a"), frozenset({0}), lambda text: ())
    special = 1

    def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
        return torch.tensor([0.0, 2.0, 1.0] if len(tokens) < 3 else [9.0, 0.0, 0.0])

    one = SearchInput(EncodedPrompt((2,)), compile_formula(None, vocabulary))
    for decoder, first in ((BeamSearch(), special), (Greedy(), special), (NeuroLogicDecoder(), 2)):
        knobs = SearchSettings(num_beams=1, max_new_tokens=4)
        (output,) = search(ToyModel(vocabulary, logits_of), [one], decoder, knobs)
        assert output.texts[0].tokens == (first, first, 0)


def test_the_cases_above_have_texts_that_end_and_texts_that_are_cut_off() -> None:
    endings = {
        text.ending
        for name in ("gpt2", "llama", "marian", "t5")
        for texts in ours(
            sharp(name),
            PROMPTS,
            ENDS,
            BeamSearch(),
            num_beams=4,
            num_return_sequences=4,
            max_new_tokens=LIMIT,
        )
        for text in texts
    }
    assert endings == {"end", "length"}


def test_greedy_and_one_beam_are_hugging_faces_greedy_decoding(model: Any) -> None:
    for ends in ((2,), ENDS):
        expected = [texts[0][0] for texts in theirs(model, PROMPTS, ends, num_beams=1, max_new_tokens=LIMIT)]
        for decoder in (Greedy(), BeamSearch()):
            actual = ours(model, PROMPTS, ends, decoder, num_beams=1, max_new_tokens=LIMIT)
            assert [texts[0].tokens for texts in actual] == expected


@pytest.mark.real_model
@pytest.mark.parametrize("decoder", ["beam", "greedy"])
@pytest.mark.parametrize("name", ["smollm2", "marian"])
def test_real_models_write_what_generate_writes(
    name: str, decoder: str, request: pytest.FixtureRequest
) -> None:
    loaded: LoadedModel = request.getfixturevalue(name)
    num_beams = 3 if decoder == "beam" else 1
    for text in ("The doctor asked", "My grandmother told me that the cat was hungry."):
        prompt = loaded.encode(text)
        ids = torch.tensor([prompt.ids])
        expected = loaded.model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            num_beams=num_beams,
            early_stopping=False,
            length_penalty=1.0,
            max_new_tokens=9,
        )[0].tolist()
        generated = expected[1 if loaded.is_encoder_decoder else len(prompt.ids) :]
        knobs = {"num_beams": num_beams} if decoder == "beam" else {}
        result = ConstrainedModel(loaded).generate(text, decoder=decoder, max_new_tokens=9, **knobs)
        assert result.tokens == until_end(generated, sorted(loaded.end_ids), 9)
