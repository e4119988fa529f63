"""The reference: `model.generate` of the installed transformers, plain beam search without any formula.

It gets the same encoded prompts in the same order, batch by batch, and the same settings. In its favour,
prompts are encoded and padded before the clock starts and nothing is decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from neurologic.errors import ModelError
from neurologic.experiments.bench.measure import CLOCK, Clock
from neurologic.experiments.bench.record import Run
from neurologic.experiments.bench.scenarios import Workload
from neurologic.generation.model import ConstrainedModel
from neurologic.models.internals.quiet import quiet
from neurologic.models.loading import end_ids_of
from neurologic.models.prompts import encode_prompt


def require_generate(lm: ConstrainedModel) -> None:
    """Refuse a model that Hugging Face's beam search cannot run."""
    can_generate = getattr(lm.model, "can_generate", None)
    if can_generate is None or not can_generate():
        raise ModelError(
            f"the benchmark compares with Hugging Face's beam search, which cannot run "
            f"{type(lm.model).__name__}; choose a causal or an encoder–decoder model of transformers"
        )


def prompt_ids(lm: ConstrainedModel, prompt: str) -> tuple[int, ...]:
    """The tokens of a prompt, as `lm.generate` makes them."""
    return encode_prompt(lm.tokenizer, prompt, is_encoder_decoder=lm.model.config.is_encoder_decoder).ids


@dataclass(frozen=True)
class Batch:
    """Prompts as `model.generate` takes them; both tensors are [prompts, length], int64."""

    input_ids: torch.Tensor
    attention_mask: torch.Tensor


def batches_of(lm: ConstrainedModel, workload: Workload) -> list[Batch]:
    """The prompts of a workload in their order, so many at a time."""
    rows = [prompt_ids(lm, prompt) for prompt in workload.prompts]
    size = workload.batch_size
    return [_batch(lm, rows[start : start + size]) for start in range(0, len(rows), size)]


def run_reference(
    lm: ConstrainedModel, workload: Workload, batches: Sequence[Batch], clock: Clock = CLOCK
) -> Run:
    """Write all texts of a workload by plain beam search."""
    texts: list[list[int]] = []
    started = clock()
    with quiet(), torch.inference_mode():
        for batch in batches:
            written = lm.model.generate(
                input_ids=batch.input_ids,
                attention_mask=batch.attention_mask,
                num_beams=workload.num_beams,
                min_new_tokens=workload.min_new_tokens,
                max_new_tokens=workload.max_new_tokens,
                length_penalty=1.0,
                early_stopping=False,
                no_repeat_ngram_size=0,
                do_sample=False,
                pad_token_id=_pad_id(lm),
            )
            # The decoder's start token, or the prompt, stands before what was generated.
            start = 1 if lm.model.config.is_encoder_decoder else batch.input_ids.shape[1]
            texts += written[:, start:].tolist()
    seconds = clock() - started
    ends = end_ids_of(lm.model, lm.tokenizer)
    return Run(seconds, texts=len(texts), tokens=sum(_length(text, ends) for text in texts))


def _batch(lm: ConstrainedModel, rows: Sequence[tuple[int, ...]]) -> Batch:
    """Rows of one length, padded where the model does not go on writing."""
    width = max(map(len, rows))
    ids, mask = [], []
    for row in rows:
        padding, zeros, ones = [_pad_id(lm)] * (width - len(row)), [0] * (width - len(row)), [1] * len(row)
        before = not lm.model.config.is_encoder_decoder
        ids.append([*padding, *row] if before else [*row, *padding])
        mask.append([*zeros, *ones] if before else [*ones, *zeros])
    device = lm.model.device
    return Batch(torch.tensor(ids, device=device), torch.tensor(mask, device=device))


def _pad_id(lm: ConstrainedModel) -> int:
    candidates: tuple[Any, ...] = (lm.tokenizer.pad_token_id, lm.tokenizer.eos_token_id, 0)
    return int(next(token for token in candidates if token is not None))


def _length(tokens: Sequence[int], ends: frozenset[int]) -> int:
    """Tokens up to the end token, which counts, without the padding behind it."""
    return next((place + 1 for place, token in enumerate(tokens) if token in ends), len(tokens))
