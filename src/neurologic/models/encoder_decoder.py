"""Run encoder–decoder models (T5, BART, Marian, mBART, …) behind the protocol of `base`.

The encoder runs once per input. Each row keeps the encoder's keys and values, which move only when rows
change inputs or their number changes. Inputs of different lengths are padded on the right, or run in
separate batches where an encoder cannot be padded. Limit: text in, text out.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.cached_rows import CachedRows, detached_logits
from neurologic.models.internals import caches
from neurologic.models.internals.calling_convention import can_pad_inputs, input_device, last_logits_only
from neurologic.models.internals.supported_models import require_supported
from neurologic.models.rows_by_length import RowsByLength, start_by_length


class EncoderDecoderModel:
    """An encoder–decoder model that can start decodings; it keeps no state between them."""

    is_encoder_decoder = True

    def __init__(self, model: Any, vocabulary: Vocabulary, *, pad_id: int = 0) -> None:
        require_supported(model)
        self.model = model
        self.vocabulary = vocabulary
        self.pad_id = pad_id
        self.start_id = decoder_start_id(model)
        self.last_logits_only = last_logits_only(model)
        self.can_pad = can_pad_inputs(model)

    def start(self, prompts: Sequence[EncodedPrompt]) -> CachedRows | RowsByLength:
        """Run the encoder on every prompt; see `LanguageModel.start`."""
        if not prompts or not all(prompt.ids for prompt in prompts):
            raise PromptError("an encoder–decoder model needs at least one token of input")
        if len({len(prompt.opening) for prompt in prompts}) > 1:
            raise PromptError("all inputs of a batch must open with the same number of tokens")
        if self.can_pad:
            return self._start_together(prompts)
        return start_by_length(
            prompts, lambda prompt: len(prompt.ids), self._start_together, pad_id=self.pad_id
        )

    def _start_together(self, prompts: Sequence[EncodedPrompt]) -> EncoderDecoderRows:
        device = input_device(self.model)
        lengths = [len(prompt.ids) for prompt in prompts]
        width = max(lengths)
        source = torch.tensor(
            [list(prompt.ids) + [self.pad_id] * (width - len(prompt.ids)) for prompt in prompts],
            device=device,
        )  # [inputs, source length]
        mask = None
        if min(lengths) < width:
            mask = torch.tensor([[1] * length + [0] * (width - length) for length in lengths], device=device)
        with torch.inference_mode():
            encoded = self.model.get_encoder()(input_ids=source, attention_mask=mask, return_dict=True)
        return self.start_from(
            encoded, mask, torch.tensor([[self.start_id, *prompt.opening] for prompt in prompts])
        )

    def start_from(
        self, encoder_outputs: Any, attention_mask: torch.Tensor | None, decoder_ids: torch.Tensor
    ) -> EncoderDecoderRows:
        """Start from the encoder's outputs and the tokens that each text starts with.

        encoder_outputs  with `last_hidden_state`, [inputs, source length, size]; stays unchanged
        attention_mask   [inputs, source length]; None if nothing is padded
        decoder_ids      [inputs, length], int64: the start token and its followers, never padded
        """
        return EncoderDecoderRows(self, encoder_outputs, attention_mask, decoder_ids)


class EncoderDecoderRows(CachedRows):
    """Unfinished texts in an encoder–decoder model."""

    def __init__(
        self,
        owner: EncoderDecoderModel,
        encoder_outputs: Any,
        attention_mask: torch.Tensor | None,
        decoder_ids: torch.Tensor,
    ) -> None:
        self._owner = owner
        self._encoded = encoder_outputs
        self._mask = attention_mask
        with torch.inference_mode():
            self._cache: Any = caches.new_cache(owner.model)
        # Kept on the host: deciding whether the encoder's side moves must not wait for the device.
        self._input_of_row: torch.Tensor | None = torch.arange(len(decoder_ids))
        self._ids = decoder_ids.to(input_device(owner.model))  # [rows, length], int64
        self._run(self._ids)

    def _take_rows(self, parents: torch.Tensor) -> None:
        same_inputs = self._inputs_stay(parents)
        parents = parents.to(self._ids.device)
        self._ids = self._ids.index_select(0, parents)
        with torch.inference_mode():
            if same_inputs:
                caches.reorder_own(self._cache, parents)
                return
            caches.reorder(self._cache, parents)
            self._encoded = copy.copy(self._encoded)  # a branch may still need the old one
            self._encoded.last_hidden_state = self._encoded.last_hidden_state.index_select(0, parents)
            if self._mask is not None:
                self._mask = self._mask.index_select(0, parents)

    def join(self, other: EncoderDecoderRows) -> None:
        super().join(other)
        self._encoded = copy.copy(self._encoded)
        self._encoded.last_hidden_state = torch.cat(
            [self._encoded.last_hidden_state, other._encoded.last_hidden_state]
        )
        if self._mask is not None and other._mask is not None:
            self._mask = torch.cat([self._mask, other._mask])
        self._input_of_row = (
            None
            if self._input_of_row is None or other._input_of_row is None
            else torch.cat([self._input_of_row, other._input_of_row])
        )

    def _inputs_stay(self, parents: torch.Tensor) -> bool:
        """Return whether every new row i has the same input as old row i."""
        if parents.device.type != "cpu" or self._input_of_row is None:
            self._input_of_row = None  # unknown from here on, so the encoder's side always moves along
            return False
        before, self._input_of_row = self._input_of_row, self._input_of_row[parents]
        return torch.equal(before, self._input_of_row)

    def _read(self, tokens: torch.Tensor) -> None:
        self._run(tokens[:, None])

    def _run(self, ids: torch.Tensor) -> None:
        owner = self._owner
        with torch.inference_mode():
            output = owner.model(
                encoder_outputs=self._encoded,
                attention_mask=self._mask,
                decoder_input_ids=ids,
                past_key_values=self._cache,
                use_cache=True,
                return_dict=True,
                **owner.last_logits_only,
            )
            self._cache = output.past_key_values
        if self._cache is None:
            raise ModelError(f"{type(owner.model).__name__} returned no cache")
        self._logits = detached_logits(output)


def decoder_start_id(model: Any) -> int:
    """Return the token that starts every decoding, looking where `model.generate` looks."""
    for config in (getattr(model, "generation_config", None), model.config):
        for name in ("decoder_start_token_id", "bos_token_id"):
            token = getattr(config, name, None)
            if isinstance(token, int):
                return token
    raise ModelError(f"the config of {type(model).__name__} names no decoder_start_token_id")
