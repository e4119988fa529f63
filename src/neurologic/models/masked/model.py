"""Masked language models (BERT, RoBERTa, ELECTRA, …) as sequence-to-sequence models, after `base`.

UniLM and BERT-Gen write text with a bidirectional encoder: [CLS] source [SEP] y₁ … yₜ₋₁ [MASK], where the
source sees itself only, written tokens see what stands before them, and the mask token at place t predicts
yₜ. Once chosen, yₜ takes its place, and a new mask token the next one. UniLM-v2's pseudo masks come to the
same from left to right. A text ends with [SEP].

What is written never sees the mask token, so that its keys and values stay as they are: a step runs two
columns per row, the last written token and the mask. Models that do not allow this run the whole text at
every step; models that do not heed such masks are refused (see `traits`). Limits: the model must
have been trained for this, a plain BERT writes nonsense.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import torch
from transformers import DynamicCache

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.internals import caches, calls, configs, support
from neurologic.models.masked.calls import Columns, Memory, call
from neurologic.models.masked.traits import masked_traits
from neurologic.models.rows import CachedRows
from neurologic.models.tokenizers import vocabulary_of

# Scores of all positions that one call may make where every step runs the whole text: half a gigabyte.
_MOST_SCORES = 1 << 27


class MaskedModel:
    """A masked model that sources can be started on; holds no state of its own.

    pad_id    the padding token
    mask_id   the token that asks for a prediction: [MASK], or a pseudo mask token of the model's own
    start_id  what `Decoding.input_ids` shows before the text, which has no start token of its own: [CLS]
    type_ids  token types of source and target, where they are others than the model's config says
    """

    def __init__(
        self,
        model: Any,
        vocabulary: Vocabulary,
        *,
        pad_id: int,
        mask_id: int,
        start_id: int = 0,
        type_ids: tuple[int, int] | None = None,
    ) -> None:
        support.require_supported(model)
        self.model = model
        self.vocabulary = vocabulary
        self.pad_id = pad_id
        self.mask_id = mask_id
        self.start_id = start_id
        self.traits = masked_traits(
            model, size=len(vocabulary), pad_id=pad_id, mask_id=mask_id, type_ids=type_ids
        )
        limit = getattr(model.config, "max_position_embeddings", None)
        self._most_positions = limit - (self.traits.first_position or 0) if isinstance(limit, int) else 0
        self.generating = configs.GeneratingStandIn(model, sorted(vocabulary.end_ids), pad_id)

    @classmethod
    def of(cls, model: Any, tokenizer: Any) -> Self:
        """With the tokenizer's own mask, end and padding tokens."""
        mask_id, end_id = tokenizer.mask_token_id, tokenizer.sep_token_id
        if mask_id is None:
            raise ModelError(
                f"{type(tokenizer).__name__} names no mask token, which {type(model).__name__} needs to "
                "predict anything; set tokenizer.mask_token"
            )
        if end_id is None:
            end_id = tokenizer.eos_token_id
        if end_id is None:
            raise ModelError(
                f"{type(tokenizer).__name__} names no separator to end a text; set tokenizer.sep_token"
            )
        vocabulary = vocabulary_of(
            tokenizer, calls.logits_size(model), end_ids={int(end_id)}, starts_text=True
        )
        pad_id = end_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        start_id = pad_id if tokenizer.cls_token_id is None else tokenizer.cls_token_id
        return cls(model, vocabulary, pad_id=int(pad_id), mask_id=int(mask_id), start_id=int(start_id))

    def start(self, prompts: Sequence[EncodedPrompt]) -> MaskedDecoding:
        if not prompts or not all(prompt.ids for prompt in prompts):
            raise PromptError("a masked model needs at least one token of source")
        if len({len(prompt.opening) for prompt in prompts}) > 1:
            raise PromptError("inputs of one batch must open with the same number of tokens")
        kind = MaskedDecoding if self.traits.cached else UncachedMaskedDecoding
        decoding = kind(self, [prompt.ids for prompt in prompts])
        for tokens in zip(*(prompt.opening for prompt in prompts), strict=True):
            decoding.advance(torch.arange(len(prompts)), torch.tensor(tokens))
        return decoding

    def require_room(self, source: int, written: int) -> None:
        """Raise `PromptError` if source and text together have more tokens than the model has positions."""
        if 0 < self._most_positions < source + written:
            raise PromptError(
                f"the source has {source} tokens and the text {written}; {type(self.model).__name__} takes "
                f"{self._most_positions} together"
            )


class MaskedDecoding(CachedRows):
    """Rows under way in one masked model; `_ids` holds the start token and the text."""

    def __init__(self, owner: MaskedModel, sources: Sequence[Sequence[int]]) -> None:
        self._owner = owner
        device = calls.input_device(owner.model)
        self._width = max(map(len, sources))
        self._sources = torch.tensor(
            [[*ids, *[owner.pad_id] * (self._width - len(ids))] for ids in sources], device=device
        )  # [rows, width], int64
        self._lengths = torch.tensor([[len(ids)] for ids in sources], device=device)  # [rows, 1]
        self._ids = torch.full((len(sources), 1), owner.start_id, device=device)  # [rows, 1 + text], int64
        self._cache = DynamicCache()
        self._logits = self._forward(self._sources)

    def _take_rows(self, parents: torch.Tensor) -> None:
        parents = parents.to(self._ids.device)
        self._ids = self._ids.index_select(0, parents)
        self._sources = self._sources.index_select(0, parents)
        self._lengths = self._lengths.index_select(0, parents)
        with torch.inference_mode():
            caches.reorder(self._cache, parents)

    def join(self, other: Self) -> None:
        super().join(other)
        self._sources = torch.cat([self._sources, other._sources])
        self._lengths = torch.cat([self._lengths, other._lengths])

    def _read(self, tokens: torch.Tensor) -> torch.Tensor:
        return self._forward(tokens[:, None])

    def _forward(self, new: torch.Tensor) -> torch.Tensor:
        """Run what is new, [rows, new], and a mask token behind it, whose scores come out."""
        owner = self._owner
        written = self._ids.shape[1]  # the mask token counts, the start token does not
        owner.require_room(self._width, written)
        masks = torch.full_like(new[:, :1], owner.mask_id)  # [rows, 1]
        columns = Columns.padded_between(self._lengths, self._width, written)
        ids = torch.cat([new, masks], dim=1)
        scores = call(owner.model, owner.traits, ids, columns, Memory(self._cache))
        with torch.inference_mode():
            caches.rewind(self._cache, 1)  # the mask token's keys and values: nobody is to see them
        return scores[:, -1].to(torch.float32, copy=True)


class UncachedMaskedDecoding(MaskedDecoding):
    """Runs source and text anew at every step, for models whose keys cannot be kept.

    Its cache stays empty; rows are taken back and put together all the same.
    """

    def _forward(self, new: torch.Tensor) -> torch.Tensor:
        written = self._ids.shape[1]
        self._owner.require_room(self._width, written)
        size = max(1, _MOST_SCORES // ((self._width + written) * len(self._owner.vocabulary)))
        return torch.cat([self._some(slice(row, row + size)) for row in range(0, len(new), size)])

    def _some(self, rows: slice) -> torch.Tensor:
        """The scores of some rows, [rows, vocabulary]."""
        owner, lengths, written = self._owner, self._lengths[rows], self._ids.shape[1]
        # The text moved one place to the left, over the start token, with the mask token behind it.
        text = self._ids[rows].roll(-1, dims=1)  # [rows, written]
        text[:, -1] = owner.mask_id
        places = lengths + torch.arange(written, device=lengths.device)  # [rows, written]
        padding = torch.full_like(text, owner.pad_id)
        ids = torch.cat([self._sources[rows], padding], dim=1).scatter(1, places, text)
        columns = Columns.padded_behind(lengths, self._width, written)
        scores = call(owner.model, owner.traits, ids, columns)  # [rows, columns, vocabulary]
        last = places[:, -1:, None].expand(-1, 1, scores.shape[2])
        return scores.gather(1, last)[:, 0].to(torch.float32, copy=True)
