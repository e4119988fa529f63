"""Shape the texts of a search as the output of `model.generate`, with the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import GenerationConfig
from transformers.generation.utils import GenerateBeamDecoderOnlyOutput, GenerateBeamEncoderDecoderOutput

from neurologic.generation.result import Result
from neurologic.integrations.huggingface.beam_rows import BeamRows
from neurologic.integrations.huggingface.inputs import GivenInputs
from neurologic.search.hypothesis import Finished
from neurologic.search.score_matrix import MINUS_INFINITY


@dataclass
class ConstrainedDecoderOnlyOutput(GenerateBeamDecoderOnlyOutput):
    """Hugging Face's output of a beam search; `results` has a `neurologic.Result` per input."""

    results: list[Result] | None = None


@dataclass
class ConstrainedEncoderDecoderOutput(GenerateBeamEncoderDecoderOutput):
    """Hugging Face's output of a beam search; `results` has a `neurologic.Result` per input."""

    results: list[Result] | None = None


# A text, and the number of the search's input that it was written for.
Text = tuple[int, Finished]


def output_of(
    given: GivenInputs,
    written: Sequence[Sequence[Text]],
    results: Sequence[Result],
    beam_rows: BeamRows,
    config: GenerationConfig,
) -> Any:
    """Return the sequences, or with `return_dict_in_generate` all that the config asks for.

    written  per input of the call its texts, best first
    """
    texts = [text for own in written for text in _as_many(own, config.num_return_sequences)]
    sequences = _sequences(given, texts, _fill_id(config))
    if not config.return_dict_in_generate:
        return sequences
    kind: Any = (
        ConstrainedEncoderDecoderOutput if given.loaded.is_encoder_decoder else ConstrainedDecoderOnlyOutput
    )
    device = sequences.device
    return kind(
        sequences=sequences,
        sequences_scores=torch.tensor([text.score for _, text in texts], device=device),
        scores=_with_opening(given, beam_rows.scores),
        logits=_with_opening(given, beam_rows.logits),
        beam_indices=_beam_indices(given, texts, beam_rows).to(device),
        results=list(results),  # not a tuple, which pipelines take for the steps of something
    )


def _with_opening(
    given: GivenInputs, steps: tuple[torch.Tensor, ...] | None
) -> tuple[torch.Tensor, ...] | None:
    """Prepend one step per forced opening token, with probability 1 for that token."""
    if steps is None:
        return None
    certain = []
    for token in given.prompts[0].opening:
        step = torch.full_like(steps[0], MINUS_INFINITY)
        step[:, token] = 0
        certain.append(step)
    return (*certain, *steps)


def _as_many(texts: Sequence[Text], count: int) -> list[Text]:
    """Return exactly `count` texts: repeat the last one if the search found fewer."""
    return [texts[min(place, len(texts) - 1)] for place in range(count)]


def _fill_id(config: GenerationConfig) -> int:
    """Return the token after a text's end: padding, or the end token if that is missing or 0."""
    ends = config.eos_token_id
    first_end = ends if isinstance(ends, int) else (ends or [0])[0]
    return config.pad_token_id or first_end


def _sequences(given: GivenInputs, texts: Sequence[Text], fill_id: int) -> torch.Tensor:
    """Return prompts, texts and padding: [inputs × texts, length]."""
    numbers = [number % len(given.prompts) for number, _ in texts]
    written = [
        [*given.prompts[number].opening, *text.tokens]
        for number, (_, text) in zip(numbers, texts, strict=True)
    ]
    longest = max(map(len, written))
    rows = torch.tensor(
        [tokens + [fill_id] * (longest - len(tokens)) for tokens in written], device=given.ids.device
    )
    return torch.cat([given.ids[numbers], rows], dim=-1)


def _beam_indices(given: GivenInputs, texts: Sequence[Text], beam_rows: BeamRows) -> torch.Tensor:
    """Return for every token the row of `scores` that it was chosen from; -1 after a text's end."""
    opening = len(given.prompts[0].opening)
    rows = [
        [beam_rows.place(number)] * opening + [beam_rows.place(number, row) for row in text.rows]
        for number, text in texts
    ]
    longest = max(map(len, rows))
    return torch.tensor([own + [-1] * (longest - len(own)) for own in rows], dtype=torch.int32)
