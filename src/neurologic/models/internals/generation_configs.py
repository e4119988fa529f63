"""Make generation configs, and the logits processors that they stand for."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import torch
from transformers import (
    GenerationConfig,
    GenerationMixin,
    LogitsProcessor,
    LogitsProcessorList,
    NoBadWordsLogitsProcessor,
)

from neurologic.models.internals.calling_convention import input_device


def build_processors(
    model: Any, generation_config: GenerationConfig, input_ids_length: int
) -> LogitsProcessorList:
    """Build the processors that `model.generate` would build from this generation config.

    `input_ids_length` is the length of `Decoding.input_ids` at the start; it turns the config's numbers of
    new tokens into lengths. The config stays unchanged.
    """
    config = copy.deepcopy(generation_config)
    if config.max_new_tokens is not None:
        config.max_length = input_ids_length + config.max_new_tokens
    if config.min_new_tokens:
        config.min_length = input_ids_length + config.min_new_tokens
    if config.num_beams is None:
        config.num_beams = 1
    device = input_device(model)
    model._prepare_special_tokens(config, True, device=device)
    if config.forced_eos_token_id is not None and config.max_length is None:
        config.forced_eos_token_id = None  # forced at the maximal length, but there is none
    processors: LogitsProcessorList = model._get_logits_processor(
        generation_config=config,
        input_ids_seq_length=input_ids_length,
        encoder_input_ids=None,
        prefix_allowed_tokens_fn=None,
        logits_processor=LogitsProcessorList(),
        device=device,
        model_kwargs={},
    )
    return LogitsProcessorList(map(_lighter, processors))


class BannedTokens(LogitsProcessor):
    """Forbids single tokens, as `NoBadWordsLogitsProcessor` does, without a table of the whole vocabulary.

    Marian's config bans its padding; making that table and adding it would take 5 % of a translation's time.
    """

    def __init__(self, tokens: Iterable[int]) -> None:
        self.tokens = torch.tensor(sorted(tokens))

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return scores.index_fill_(1, self.tokens.to(scores.device), -torch.inf)


def _lighter(processor: Any) -> Any:
    """Return a processor that does the same with less work, or the processor itself."""
    if type(processor) is not NoBadWordsLogitsProcessor:
        return processor
    banned = list(processor.sequence_bias)
    return BannedTokens(ids[0] for ids in banned) if all(len(ids) == 1 for ids in banned) else processor


def full_generation_config(model: Any, **settings: Any) -> GenerationConfig:
    """Return the model's generation config with every default filled in, and `settings` on top."""
    config: GenerationConfig
    config, _ = model._prepare_generation_config(GenerationConfig())
    unknown = config.update(**settings)
    if unknown:
        names = ", ".join(sorted(unknown))
        raise TypeError(f"neither neurologic nor Hugging Face's generation config knows: {names}")
    return config


class GeneratingStandIn(GenerationMixin):
    """Makes generation configs and processors for a model without `generate` (a masked one)."""

    def __init__(self, model: Any, end_ids: list[int], pad_id: int) -> None:
        self._model = model
        self.config = model.config
        self.generation_config = GenerationConfig(eos_token_id=end_ids, pad_token_id=pad_id)

    @property
    def device(self) -> torch.device:
        return self._model.device
