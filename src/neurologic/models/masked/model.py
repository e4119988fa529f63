"""Run masked language models (BERT, RoBERTa, ELECTRA, …) as sequence-to-sequence models, after `base`.

UniLM and BERT-Gen write text with a bidirectional encoder: [CLS] source [SEP] y₁ … yₜ₋₁ [MASK]. The source
sees itself only, written tokens see the tokens before them, and the mask token at place t predicts yₜ. The
chosen yₜ takes its place, and a new mask token takes the next one. UniLM-v2's pseudo masks come to the same
from left to right. A text ends with [SEP].

Written tokens never see the mask token, so their keys and values stay valid: a step runs two columns per
row, the last written token and the mask. Models that do not allow this run the whole text at every step;
models that do not follow such masks are refused (see `probe`). Limit: the model must be trained for this; a
plain BERT writes nonsense.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import torch
from transformers import DynamicCache

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.cached_rows import CachedRows
from neurologic.models.internals import caches
from neurologic.models.internals.calling_convention import input_device, logits_size
from neurologic.models.internals.generation_configs import GeneratingStandIn
from neurologic.models.internals.supported_models import require_supported
from neurologic.models.masked.forward import AttentionCache, Columns, run
from neurologic.models.masked.probe import probe_convention
from neurologic.models.tokenizers import vocabulary_of

# How many scores one call may compute if every step runs the whole text: half a gigabyte.
_MOST_SCORES = 1 << 27


class MaskedModel:
    """A masked model that can start decodings; it keeps no state between them.

    pad_id    the padding token
    mask_id   the token that asks for a prediction: [MASK], or a pseudo mask token of the model's own
    start_id  the token before the text in `Decoding.input_ids`; the text has no start token itself: [CLS]
    type_ids  token types of source and target, if they differ from those in the model's config
    """

    is_encoder_decoder = True  # the text is separate from its prompt

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
        require_supported(model)
        self.model = model
        self.vocabulary = vocabulary
        self.pad_id = pad_id
        self.mask_id = mask_id
        self.start_id = start_id
        self.convention = probe_convention(
            model, size=len(vocabulary), pad_id=pad_id, mask_id=mask_id, type_ids=type_ids
        )
        limit = getattr(model.config, "max_position_embeddings", None)
        self._most_positions = limit - (self.convention.first_position or 0) if isinstance(limit, int) else 0
        self.generating = GeneratingStandIn(model, sorted(vocabulary.end_ids), pad_id)

    @classmethod
    def of(cls, model: Any, tokenizer: Any) -> Self:
        """Make the adapter with the tokenizer's own mask, end and padding tokens."""
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
        vocabulary = vocabulary_of(tokenizer, logits_size(model), end_ids={int(end_id)}, starts_text=True)
        pad_id = end_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        start_id = pad_id if tokenizer.cls_token_id is None else tokenizer.cls_token_id
        return cls(model, vocabulary, pad_id=int(pad_id), mask_id=int(mask_id), start_id=int(start_id))

    def start(self, prompts: Sequence[EncodedPrompt]) -> MaskedRows:
        """Read every source; see `LanguageModel.start`."""
        if not prompts or not all(prompt.ids for prompt in prompts):
            raise PromptError("a masked model needs at least one token of source")
        if len({len(prompt.opening) for prompt in prompts}) > 1:
            raise PromptError("all inputs of a batch must open with the same number of tokens")
        kind = MaskedRows if self.convention.cached else UncachedMaskedRows
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


class MaskedRows(CachedRows):
    """Unfinished texts in a masked model; `_ids` holds the start token and the text."""

    def __init__(self, owner: MaskedModel, sources: Sequence[Sequence[int]]) -> None:
        self._owner = owner
        device = input_device(owner.model)
        self._width = max(map(len, sources))
        self._sources = torch.tensor(
            [[*ids, *[owner.pad_id] * (self._width - len(ids))] for ids in sources], device=device
        )  # [rows, width], int64
        self._lengths = torch.tensor([[len(ids)] for ids in sources], device=device)  # [rows, 1]
        self._ids = torch.full((len(sources), 1), owner.start_id, device=device)  # [rows, 1 + text], int64
        self._cache = DynamicCache()
        self._run(self._sources)

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

    def _read(self, tokens: torch.Tensor) -> None:
        self._run(tokens[:, None])

    def _run(self, new: torch.Tensor) -> None:
        """Run new tokens, [rows, new], and a mask token behind them, which gets the scores."""
        owner = self._owner
        written = self._ids.shape[1]  # the mask token counts, the start token does not
        owner.require_room(self._width, written)
        masks = torch.full_like(new[:, :1], owner.mask_id)  # [rows, 1]
        columns = Columns.padded_between(self._lengths, self._width, written)
        ids = torch.cat([new, masks], dim=1)
        scores = run(owner.model, owner.convention, ids, columns, AttentionCache(self._cache))
        with torch.inference_mode():
            caches.rewind(self._cache, 1)  # no later token may see the mask token
        self._logits = scores[:, -1].to(torch.float32, copy=True)


class UncachedMaskedRows(MaskedRows):
    """Runs source and text again at every step, for models that do not allow keeping keys.

    Its cache stays empty, so `rewind` and `join` work all the same.
    """

    def _run(self, new: torch.Tensor) -> None:
        written = self._ids.shape[1]
        self._owner.require_room(self._width, written)
        size = max(1, _MOST_SCORES // ((self._width + written) * len(self._owner.vocabulary)))
        parts = [self._scores(slice(row, row + size)) for row in range(0, len(new), size)]
        self._logits = torch.cat(parts)

    def _scores(self, rows: slice) -> torch.Tensor:
        """Return the scores of some rows, [rows, vocabulary]."""
        owner, lengths, written = self._owner, self._lengths[rows], self._ids.shape[1]
        # Move the text one place to the left, over the start token, and put the mask token behind it.
        text = self._ids[rows].roll(-1, dims=1)  # [rows, written]
        text[:, -1] = owner.mask_id
        places = lengths + torch.arange(written, device=lengths.device)  # [rows, written]
        padding = torch.full_like(text, owner.pad_id)
        ids = torch.cat([self._sources[rows], padding], dim=1).scatter(1, places, text)
        columns = Columns.padded_behind(lengths, self._width, written)
        scores = run(owner.model, owner.convention, ids, columns)  # [rows, columns, vocabulary]
        last = places[:, -1:, None].expand(-1, 1, scores.shape[2])
        return scores.gather(1, last)[:, 0].to(torch.float32, copy=True)
