"""Run one side of a workload: `lm.generate` with formulas, or Hugging Face's `model.generate` without.

Both get the same prompts in the same order, batch by batch, and the same settings. Our time includes encoding
the prompts, decoding the texts and checking them. Hugging Face's does not: its prompts are encoded and padded
before the clock starts, and nothing is decoded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from neurologic.errors import ModelError
from neurologic.experiments.bench.results import Run
from neurologic.experiments.bench.workload import CTRANSLATE2, HINTED, OURS_INT8, REFERENCE, Workload
from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models.internals.quiet import quiet
from neurologic.models.loading import end_ids_of
from neurologic.models.prompts import encode_prompt
from neurologic.search.stopwatch import Stopwatch

Batch = dict[str, torch.Tensor]  # input_ids and attention_mask, both [prompts, length]
Clock = Callable[[], float]

CLOCK: Clock = time.perf_counter


def require_generate(lm: ConstrainedModel) -> None:
    """Refuse a model that Hugging Face's beam search cannot run."""
    can_generate = getattr(lm.model, "can_generate", None)
    if can_generate is None or not can_generate():
        raise ModelError(
            f"the benchmark compares with Hugging Face's beam search, which cannot run "
            f"{type(lm.model).__name__}; choose a causal or an encoder–decoder model of transformers"
        )


def prepare(
    lm: ConstrainedModel, workload: Workload, side: str, clock: Clock = CLOCK, opened: ExitStack | None = None
) -> tuple[Callable[[], Run], float | None]:
    """Return a function that writes all texts of a workload, and the seconds for compiling its formulas.

    opened  closes what the side leaves open, such as a server
    """
    if workload.clients:
        from neurologic.experiments.bench.served import prepare_side  # needs the extra `serve`

        settings = {**_settings(workload), "hint": "off"}
        return prepare_side(lm, workload, side, settings, clock, opened or ExitStack()), None
    if side in CTRANSLATE2:
        from neurologic.experiments.bench.translators import prepare_ctranslate2

        prompts = [prompt_ids(lm, prompt) for prompt in workload.prompts]
        return prepare_ctranslate2(lm, workload, side, prompts, clock, opened or ExitStack()), None
    if side == REFERENCE:
        return partial(run_reference, lm, workload, padded_batches(lm, workload), clock), None
    if side == OURS_INT8:
        from neurologic.experiments.bench.translators import in_int8

        lm = in_int8(lm)
    started = clock()
    constraints = [lm.compile(formula) for formula in workload.formulas[side]]
    hint = "auto" if side == HINTED else "off"
    return partial(run_constrained, lm, workload, constraints, clock, hint=hint), clock() - started


def run_constrained(
    lm: ConstrainedModel,
    workload: Workload,
    constraints: Sequence[CompiledConstraint],
    clock: Clock = CLOCK,
    *,
    hint: str = "off",
) -> Run:
    """Write all texts of a workload under its formulas.

    Without the hint the model reads as much as Hugging Face's; with it, two prompts per text.
    """
    stopwatch = Stopwatch()
    started = clock()
    results = lm.generate(
        list(workload.prompts),
        list(constraints),
        batch_size=workload.batch_size,
        stopwatch=stopwatch,
        hint=hint,
        **_settings(workload),
    )
    seconds = clock() - started
    return Run(
        seconds,
        texts=len(results),
        tokens=sum(len(result.tokens) for result in results),
        satisfied=sum(result.satisfied for result in results),
        steps=stopwatch.steps,
        parts={str(name): seconds for name, seconds in stopwatch.seconds.items()},
    )


def run_reference(
    lm: ConstrainedModel, workload: Workload, batches: Sequence[Batch], clock: Clock = CLOCK
) -> Run:
    """Write all texts of a workload with plain beam search."""
    texts: list[list[int]] = []
    started = clock()
    with quiet(), torch.inference_mode():
        for batch in batches:
            written = lm.model.generate(**batch, **_reference_settings(workload), pad_token_id=_pad_id(lm))
            # The decoder's start token, or the prompt, comes before the text.
            start = 1 if lm.model.config.is_encoder_decoder else batch["input_ids"].shape[1]
            texts += written[:, start:].tolist()
    seconds = clock() - started
    ends = end_ids_of(lm.model, lm.tokenizer)
    return Run(seconds, texts=len(texts), tokens=sum(_length(text, ends) for text in texts))


def _reference_settings(workload: Workload) -> dict[str, Any]:
    return {"do_sample": False, **_settings(workload)}


def _settings(workload: Workload) -> dict[str, Any]:
    if workload.sampling:
        return {
            "do_sample": True,
            "num_beams": 1,
            "top_k": 50,
            "min_new_tokens": workload.min_new_tokens,
            "max_new_tokens": workload.max_new_tokens,
        }
    return {
        "num_beams": workload.num_beams,
        "min_new_tokens": workload.min_new_tokens,
        "max_new_tokens": workload.max_new_tokens,
        "length_penalty": 1.0,
        "early_stopping": False,
        "no_repeat_ngram_size": 0,
    }


def prompt_ids(lm: ConstrainedModel, prompt: str) -> tuple[int, ...]:
    """Return the tokens of a prompt, as `lm.generate` makes them."""
    return encode_prompt(lm.tokenizer, prompt, is_encoder_decoder=lm.model.config.is_encoder_decoder).ids


def padded_batches(lm: ConstrainedModel, workload: Workload) -> list[Batch]:
    """Return the prompts of a workload in their order, padded on the side where the model does not write."""
    rows = [torch.tensor(prompt_ids(lm, prompt)) for prompt in workload.prompts]
    side = "right" if lm.model.config.is_encoder_decoder else "left"

    def padded(some: Sequence[torch.Tensor], filling: int) -> torch.Tensor:
        tensor = pad_sequence(list(some), batch_first=True, padding_value=filling, padding_side=side)
        return tensor.to(lm.model.device)

    batches = [
        rows[start : start + workload.batch_size] for start in range(0, len(rows), workload.batch_size)
    ]
    return [
        {
            "input_ids": padded(batch, _pad_id(lm)),
            "attention_mask": padded([torch.ones_like(row) for row in batch], 0),
        }
        for batch in batches
    ]


def _pad_id(lm: ConstrainedModel) -> int:
    candidates: tuple[Any, ...] = (lm.tokenizer.pad_token_id, lm.tokenizer.eos_token_id, 0)
    return int(next(token for token in candidates if token is not None))


def _length(tokens: Sequence[int], ends: frozenset[int]) -> int:
    """Count the tokens up to and with the end token; padding follows it."""
    return next((place + 1 for place, token in enumerate(tokens) if token in ends), len(tokens))
