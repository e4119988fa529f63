"""Read the tensors that `model.generate` hands to a custom function.

They are expanded to batch × beams rows, with an attention mask if anything is padded; encoder–decoder models
come with their encoder's outputs. The search takes one row per input and runs each prompt once.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import Decoding, EncodedPrompt
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.models.loading import LoadedModel
from neurologic.models.prompts import text_before
from neurologic.models.tokenizers import special_ids

# Arguments of the model that the search makes itself, or that do not concern the text.
_MADE_HERE = {
    "attention_mask",
    "cache_params",
    "cache_position",
    "decoder_attention_mask",
    "encoder_outputs",
    "logits_to_keep",
    "num_logits_to_keep",
    "past_key_values",
    "position_ids",
    "token_type_ids",
    "use_cache",
}


@dataclass(frozen=True)
class GivenPrompt(EncodedPrompt):
    """A prompt of a call of `model.generate`; `number` is its place among the inputs."""

    number: int = 0


@dataclass(frozen=True, eq=False)
class GivenInputs:
    """The inputs of one call of `model.generate`.

    ids              the caller's prompts: [inputs, length], padded
    prompts          the same without padding, for the search
    encoder_outputs  the encoder's outputs of an encoder–decoder model, one row per input
    attention_mask   the encoder's mask; None if nothing is padded
    """

    loaded: LoadedModel
    ids: torch.Tensor
    prompts: tuple[GivenPrompt, ...]
    encoder_outputs: Any = None
    attention_mask: torch.Tensor | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        return self.loaded.vocabulary

    def start(self, prompts: Sequence[EncodedPrompt]) -> Decoding:
        """Run prompts once; see `neurologic.models.base.LanguageModel`."""
        if self.encoder_outputs is None:
            return _AsGiven.of(self.loaded.start(prompts), self.ids.shape[1], self.loaded.adapter.pad_id)
        adapter = self.loaded.adapter
        assert isinstance(adapter, EncoderDecoderModel)
        rows = torch.tensor([prompt.number for prompt in prompts if isinstance(prompt, GivenPrompt)])
        opening = torch.tensor([prompt.opening for prompt in prompts], dtype=torch.long)
        start = torch.cat([self.ids.cpu()[rows], opening], dim=-1)
        rows = rows.to(self.encoder_outputs.last_hidden_state.device)
        mask = None if self.attention_mask is None else self.attention_mask[rows]
        return adapter.start_from(_rows_of(self.encoder_outputs, rows), mask, start)


class _AsGiven:
    """Rows padded to the width of the caller's prompts: some processors rely on it."""

    def __init__(self, rows: Any, missing: int, pad_id: int) -> None:
        self._rows = rows
        self._missing = missing
        self._pad_id = pad_id

    @classmethod
    def of(cls, rows: Decoding, width: int, pad_id: int) -> Any:
        missing = width - rows.input_ids().shape[1]
        return cls(rows, missing, pad_id) if missing else rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def input_ids(self) -> torch.Tensor:
        return torch.nn.functional.pad(self._rows.input_ids(), (self._missing, 0), value=self._pad_id)

    def branch(self, parents: torch.Tensor) -> _AsGiven:
        return _AsGiven(self._rows.branch(parents), self._missing, self._pad_id)

    def join(self, other: _AsGiven) -> None:
        self._rows.join(other._rows)


def given_inputs(
    loaded: LoadedModel,
    input_ids: torch.Tensor,
    expanded: int,
    model_arguments: dict[str, Any],
    forced_bos: int | None,
) -> GivenInputs:
    """Read a call's tensors.

    expanded    how many rows each input was expanded to
    forced_bos  the token that the texts of an encoder–decoder model open with
    """
    _require_known(type(loaded.model).__name__, model_arguments)
    ids = input_ids[::expanded]
    mask = model_arguments.get("attention_mask")
    mask = None if mask is None else mask[::expanded]
    if not loaded.is_encoder_decoder:
        return GivenInputs(loaded, ids, _prompts(loaded, ids, mask))
    if not special_ids(loaded.tokenizer).issuperset(ids[:, 1:].flatten().tolist()):
        raise ModelError("decoder_input_ids that hold text cannot be continued; only special tokens can")
    encoder_outputs = model_arguments["encoder_outputs"]
    rows = torch.arange(0, input_ids.shape[0], expanded, device=encoder_outputs.last_hidden_state.device)
    if mask is not None and bool(mask.all()):
        mask = None
    prompts = _prompts(loaded, ids, None)
    if forced_bos is not None and ids.shape[1] == 1:  # it is forced as the first token only
        prompts = tuple(replace(prompt, opening=(forced_bos,)) for prompt in prompts)
    return GivenInputs(loaded, ids, prompts, _rows_of(encoder_outputs, rows), mask)


def _prompts(loaded: LoadedModel, ids: torch.Tensor, mask: torch.Tensor | None) -> tuple[GivenPrompt, ...]:
    real = [[True] * ids.shape[1]] * len(ids) if mask is None else mask.bool().tolist()
    prompts = []
    for number, (row, keeps) in enumerate(zip(ids.tolist(), real, strict=True)):
        own = tuple(token for token, keep in zip(row, keeps, strict=True) if keep)
        prompts.append(GivenPrompt(own, text_before(loaded.tokenizer, own), number=number))
    return tuple(prompts)


def _require_known(name: str, arguments: dict[str, Any]) -> None:
    # Models with a vision tower get {} for no picture.
    given = {key for key, value in arguments.items() if value is not None and value != {}}
    unknown = sorted(given - _MADE_HERE)
    if unknown:
        raise ModelError(
            f"{name} was given {', '.join(unknown)}, which a constrained search cannot pass on: it takes "
            "input_ids and attention_mask only"
        )
    types = arguments.get("token_type_ids")
    if types is not None and bool(types.any()):
        raise ModelError(f"{name} was given token_type_ids of several types, which cannot be passed on")
    cache = arguments.get("past_key_values")
    if cache is not None and hasattr(cache, "get_seq_length") and cache.get_seq_length():
        raise ModelError("a cache that holds a prompt already cannot be continued; give the whole prompt")


def _rows_of(encoder_outputs: Any, rows: torch.Tensor) -> Any:
    chosen = copy.copy(encoder_outputs)
    chosen.last_hidden_state = encoder_outputs.last_hidden_state.index_select(0, rows)
    return chosen
