"""Without a formula the decoder `beam` returns what Hugging Face itself returns, number for number."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers as hf
from transformers import LogitsProcessorList, StoppingCriteriaList

import neurologic as nl
from integrations.huggingface.tiny import (
    Ban,
    generate,
    transitions,
)


class Even(hf.StoppingCriteria):
    """A caller's own criterion: ends a text with an even token, after some."""

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        return (input_ids[:, -1] % 2 == 0) & (input_ids.shape[1] > 8)


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"num_beams": 1, "num_return_sequences": 1},
        {"num_beams": 3, "num_return_sequences": 3},
        {"length_penalty": 0.0},
        {"length_penalty": 2.0, "early_stopping": True},
        {"length_penalty": -0.5, "early_stopping": "never"},
        {"min_new_tokens": 5},
        {"min_length": 9},
        {"no_repeat_ngram_size": 2},
        {"no_repeat_ngram_size": 2, "min_new_tokens": 8, "renormalize_logits": True},
        {"repetition_penalty": 1.3, "bad_words_ids": [[40], [50, 60]]},
        {"suppress_tokens": [30, 31], "num_return_sequences": 2},
        {"prefix_allowed_tokens_fn": lambda batch, ids: list(range(batch % 2, 140, 2))},
        {"logits_processor": LogitsProcessorList([Ban([20, 21], rows=12)])},
        {"logits_processor": LogitsProcessorList([hf.NoRepeatNGramLogitsProcessor(2)])},
        {"logits_processor": LogitsProcessorList([hf.MinLengthLogitsProcessor(11, 0)])},
        {"stopping_criteria": StoppingCriteriaList([hf.MaxLengthCriteria(10)])},
        {"stopping_criteria": StoppingCriteriaList([Even()])},
    ],
    ids=lambda knobs: ",".join(knobs) or "plain",
)
def test_the_decoder_beam_returns_what_hugging_face_returns(
    pair: tuple[Any, Any], knobs: dict[str, Any]
) -> None:
    if knobs.get("num_beams") == 1:  # Hugging Face decodes greedily then, and returns no scores of texts
        ours = generate(pair, custom_generate=nl.decoder(pair[1], decoder="beam"), **knobs)
        assert torch.equal(ours, generate(pair, **knobs))
        return
    knobs = {**knobs, "return_dict_in_generate": True, "output_scores": True, "output_logits": True}
    theirs = generate(pair, **knobs)
    ours = generate(pair, custom_generate=nl.decoder(pair[1], decoder="beam"), **knobs)
    assert ours.sequences.tolist() == theirs.sequences.tolist()
    torch.testing.assert_close(ours.sequences_scores, theirs.sequences_scores, atol=1e-5, rtol=1e-6)
    assert ours.beam_indices.tolist() == theirs.beam_indices[:, : ours.beam_indices.shape[1]].tolist()
    torch.testing.assert_close(transitions(pair, ours), transitions(pair, theirs), atol=1e-5, rtol=0)
    assert len(ours.scores) == len(theirs.scores)
    # What the search forbids itself (an end too early, an n-gram that repeats) is not marked in the scores.
    for mine, other in zip(
        (ours.scores[0], ours.logits[0]), (theirs.scores[0], theirs.logits[0]), strict=True
    ):
        assert mine.shape == other.shape
        both = mine.isfinite() & other.isfinite()
        assert both.sum() >= other.isfinite().sum()
        torch.testing.assert_close(mine[both], other[both], atol=1e-5, rtol=0)
