"""The rows of an input as branches of one tree, which a causal model reads as one sequence.

The texts of a beam are mostly the same text. Kept row by row, the model would store, copy and attend to the
prompt and everything the rows agree on once per row. Here each input has one line in the cache, which holds
every token of its tree once: first the prompt, then the tokens of all rows in the order in which they were
read. A step reads the new tokens of an input side by side, at the same position, and the attention mask lets
every row see its own ancestors only. So rows never move, a row costs memory only where it differs from the
others, and attention is one dense product per input.

Now and then the tree drops tokens that no row needs any more. If a new prompt begins like the prompt of an
input in the batch (chat templates, examples), the model does not read the common part again.

Limits: causal models that keep keys and values of every position, take positions, and pass a mask of
[inputs, 1, queries, columns] on to their attention; `reads_trees` finds out by trying. `branch` returns
ordinary rows, for roll-outs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.cached_rows import is_identity
from neurologic.models.causal_rows import (
    WORTH_SHARING,
    CausalReader,
    CausalRows,
    ReadPrefix,
    common_beginning,
)
from neurologic.models.internals import caches

# Drop unused columns when there are at least `_UNUSED_COLUMNS` and they are at least this fraction of all
# columns.
_UNUSED_FRACTION = 0.2
_UNUSED_COLUMNS = 16
# How far scores may differ when `reads_trees` compares them, as a fraction of their spread.
_TOLERANCE = {torch.float32: 1e-3, torch.float64: 1e-3}
_TOLERANCE_OF_HALF_PRECISION = 3e-2


class TreeRows:
    """Unfinished texts in a causal model; implements `neurologic.models.base.Admitting`.

    It keeps on the host, where the search decides:

    _input    per row its line in the cache
    _slot     per row its place among the rows of its input
    _visible  the columns each row sees: bool [inputs, slots, columns]
    _length   the number of tokens of each input's texts, prompt included: [inputs]
    _ids      the tokens of every row, padded on the left: [rows, longest]
    _prompts  the prompt of each input
    """

    can_rewind = True  # branches can

    def __init__(self, reader: CausalReader, rows: CausalRows) -> None:
        """Continue prompts that the model has read, one row each."""
        self._reader = reader
        self._device = rows.input_ids().device
        self._ids = rows.input_ids().cpu()
        self._cache: Any = rows.cache
        self._logits = rows.logits
        count = len(self._ids)
        self._input = torch.arange(count)
        self._slot = torch.zeros(count, dtype=torch.long)
        self._visible = rows.visible_columns().cpu().unsqueeze(1)
        self._length = self._visible.sum(dim=(1, 2))
        self._prompts = [
            ids[-length:] for ids, length in zip(self._ids.tolist(), self._length.tolist(), strict=True)
        ]
        # Whether a branch has a mask; all branches of one decoding must agree, so that they can be joined.
        self._has_padding = bool((self._length < self._ids.shape[1]).any())

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        return self._logits

    def input_ids(self) -> torch.Tensor:
        """Return the tokens of every row, [rows, length]."""
        return self._ids.to(self._device)

    # -- advancing ------------------------------------------------------------------------------

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """Let new row i continue old row parents[i] with tokens[i]."""
        parents, tokens = parents.cpu(), tokens.cpu()
        self._take_rows(parents)
        self._drop_unused_columns()
        inputs, slots = self._visible.shape[:2]
        new = torch.zeros(inputs, slots, dtype=torch.long)
        new[self._input, self._slot] = tokens
        # The new tokens of an input are adjacent, and each sees only itself among them.
        own = torch.eye(slots, dtype=torch.bool).expand(inputs, slots, slots)
        self._visible = torch.cat([self._visible, own], dim=-1)
        self._ids = torch.cat([self._ids, tokens[:, None]], dim=1)
        logits = self._read(new).flatten(0, 1)  # [inputs * slots, vocabulary]
        self._length += 1
        rows = self._input * slots + self._slot
        self._logits = (
            logits if is_identity(rows, len(logits)) else logits.index_select(0, rows.to(logits.device))
        )

    def _take_rows(self, parents: torch.Tensor) -> None:
        """Let row i become a copy of row parents[i]; inputs without rows leave the cache."""
        lines = self._input[parents]
        left, line = lines.unique(return_inverse=True)
        if len(left) < len(self._visible):
            with torch.inference_mode():
                caches.reorder(self._cache, left.to(self._device))
            self._visible, self._length = self._visible[left], self._length[left]
            self._prompts = [self._prompts[line] for line in left.tolist()]
        # Number the rows of each input in their order.
        order = line.argsort(stable=True)
        counts = line.bincount(minlength=len(left))
        place = torch.arange(len(line)) - (counts.cumsum(0) - counts)[line[order]]
        slot = torch.empty_like(line)
        slot[order] = place
        came_from = torch.zeros(len(left), int(counts.max()), dtype=torch.long)
        came_from[line, slot] = self._slot[parents]
        # Slots without a row see what the first row of their input sees, and no row sees them.
        self._visible = self._visible[torch.arange(len(left))[:, None], came_from]
        self._input, self._slot = line, slot
        self._ids = self._ids[parents]

    def _drop_unused_columns(self) -> None:
        """Drop the columns that no row sees if there are many of them."""
        seen = self._visible.any(dim=1)  # [inputs, columns]
        width = int(seen.sum(dim=-1).max())
        unused = seen.shape[-1] - width
        if unused < max(_UNUSED_COLUMNS, _UNUSED_FRACTION * seen.shape[-1]):
            return
        # Used columns come first, in their order; unused ones fill up the lines that use fewer.
        columns = seen.int().argsort(dim=-1, descending=True, stable=True)[:, :width]
        with torch.inference_mode():
            caches.take_columns(self._cache, torch.arange(len(columns)), columns)
        slots = self._visible.shape[1]
        self._visible = self._visible.gather(-1, columns[:, None, :].expand(-1, slots, -1))

    def _read(self, tokens: torch.Tensor) -> torch.Tensor:
        """Run tokens, [inputs, slots], the last columns of `_visible`; return [inputs, slots, vocabulary]."""
        model, convention = self._reader.model, self._reader.convention
        slots = tokens.shape[1]
        positions = (self._length + convention.first_position)[:, None].expand(-1, slots)
        hidden = torch.finfo(model.dtype).min
        mask = torch.zeros(self._visible.shape, dtype=model.dtype).masked_fill_(~self._visible, hidden)
        with torch.inference_mode():
            output = model(
                input_ids=tokens.to(self._device),
                position_ids=positions.to(self._device),
                attention_mask=mask[:, None].to(self._device),  # [inputs, 1, slots, columns]
                past_key_values=self._cache,
                use_cache=True,
                return_dict=True,
                **dict.fromkeys(convention.last_logits_only, slots),
            )
        return output.logits.to(torch.float32, copy=True)

    # -- more inputs ----------------------------------------------------------------------------

    def admit(self, prompts: Sequence[EncodedPrompt]) -> None:
        """Read further prompts and put their rows, one each, after the others."""
        ids = [prompt.ids for prompt in prompts]
        other = TreeRows(self._reader, self._reader.read(ids, self._prefix_of(ids)))
        width = max(self._visible.shape[-1], other._visible.shape[-1])
        with torch.inference_mode():
            for tree in (self, other):
                caches.widen(tree._cache, width)
            caches.join(self._cache, other._cache)
        self._input = torch.cat([self._input, other._input + len(self._visible)])
        self._slot = torch.cat([self._slot, other._slot])
        slots = self._visible.shape[1]
        self._visible = torch.cat([_with_room(tree._visible, slots, width) for tree in (self, other)])
        self._length = torch.cat([self._length, other._length])
        longest = max(self._ids.shape[1], other._ids.shape[1])
        self._ids = torch.cat(
            [_right_aligned(tree._ids, longest, self._reader.pad_id) for tree in (self, other)]
        )
        # Drop the padding in front of the longest text that is left; it would grow with every input.
        self._ids = self._ids[:, -int(self._length.max()) :]
        self._logits = torch.cat([self._logits, other._logits])
        self._prompts += other._prompts
        self._has_padding = True

    def _prefix_of(self, prompts: Sequence[Sequence[int]]) -> ReadPrefix | None:
        """Return the longest beginning that all prompts share with an input here; None if it is short."""
        shared = [common_beginning([prompt, *prompts]) for prompt in self._prompts]
        longest = max(shared)
        if longest < WORTH_SHARING:
            return None
        line = shared.index(longest)
        # All rows see the prompt, and its columns are in their order.
        columns = self._visible[line, 0].nonzero()[:longest, 0]
        cache = caches.fork(self._cache)
        with torch.inference_mode():
            caches.take_columns(cache, torch.tensor([line]), columns[None])
        return ReadPrefix(cache, longest)

    # -- ordinary rows --------------------------------------------------------------------------

    def branch(self, parents: torch.Tensor) -> CausalRows:
        """Return rows that continue these, each with its own line in the cache."""
        parents = parents.cpu()
        lines, ids = self._input[parents], self._ids[parents]
        padding = ids.shape[1] - self._length[lines][:, None]  # [rows, 1]
        seen = self._visible[lines, self._slot[parents]]  # [rows, columns]
        columns = seen.int().argsort(dim=-1, stable=True)[:, -ids.shape[1] :]  # seen columns come last
        columns = _right_aligned(columns, ids.shape[1], 0)
        cache = caches.fork(self._cache)
        with torch.inference_mode():
            caches.take_columns(cache, lines, columns)
        mask = (torch.arange(ids.shape[1]) >= padding).long().to(self._device) if self._has_padding else None
        return CausalRows(
            self._reader,
            ids.to(self._device),
            padding.to(self._device),
            mask,
            cache,
            self._logits.index_select(0, parents.to(self._logits.device)),
        )


def reads_trees(reader: CausalReader, vocabulary: Vocabulary) -> bool:
    """Try whether a model scores rows alike when it reads them as branches of a tree.

    The trial has a few tokens, some of which must not see each other.
    """
    attention = getattr(reader.model.config, "_attn_implementation", None)
    if not reader.columns_can_move or attention not in ("sdpa", "eager"):
        return False
    tokens = [token for token, piece in enumerate(vocabulary.pieces[:2000]) if piece][-8:]
    if len(tokens) < 8:
        return False
    prompts = [tokens[:3], tokens[3:5]]
    rows = reader.read(prompts)
    try:
        tree = TreeRows(reader, reader.read(prompts))
        for parents, count in (([0, 0, 1], 3), ([1, 0, 2, 2], 4)):
            for decoding in (rows, tree):
                decoding.advance(torch.tensor(parents), torch.tensor(tokens[-count:]))
    except (RuntimeError, TypeError, ValueError, LookupError, AttributeError, AssertionError):
        return False  # the model makes something else of the mask
    tolerance = _TOLERANCE.get(reader.model.dtype, _TOLERANCE_OF_HALF_PRECISION)
    spread = rows.logits.max() - rows.logits.min()
    return bool((rows.logits - tree.logits).abs().max() <= tolerance * spread)


def _with_room(visible: torch.Tensor, slots: int, columns: int) -> torch.Tensor:
    """Add slots and columns that see and show nothing."""
    pads = (0, columns - visible.shape[2], 0, slots - visible.shape[1])
    return torch.nn.functional.pad(visible, pads)


def _right_aligned(rows: torch.Tensor, width: int, filling: int) -> torch.Tensor:
    return torch.nn.functional.pad(rows, (width - rows.shape[1], 0), value=filling)
