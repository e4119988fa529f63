"""The rows of an input as branches of one tree, read as one sequence by a causal model.

The texts of a beam are mostly the same text. Kept row by row, a prompt and all that the rows agree on would
be stored, copied and attended to once per row. Here each input has one line in the cache, which holds every
token of its tree once: first the prompt, then the tokens of all rows in the order in which they were read.
A step reads the new tokens of an input side by side, at the same position, and the attention mask says who
sees what: every row its own ancestors. So rows need not be moved, a row costs memory only where it differs
from the others, and attention is one dense product per input.

Tokens that no row needs any more are cleared away now and then. Where a prompt begins as that of another
input in the batch does (chat templates, examples), the common part is not run again.

Limits: causal models that keep keys and values of every position, take positions, and pass a mask of
[inputs, 1, queries, columns] on to their attention; `reads_trees` finds out by trying. For roll-outs `branch`
gives ordinary rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import torch

from neurologic.models.base import EncodedPrompt
from neurologic.models.internals import caches

if TYPE_CHECKING:
    from neurologic.models.causal import CausalDecoding, CausalModel

# The cache is cleared when so many columns, and such a part of all, are of no use to any row.
_USELESS_COLUMNS = 16
_USELESS_PART = 0.2
# A common beginning is worth a forward pass of its own from so many tokens on.
WORTH_SHARING = 16
# Their windows are counted in columns, which a short trial need not reach.
_WINDOWS_OF_COLUMNS = {"gpt_neo"}
# How far scores may be apart when trees are tried, as a part of their spread.
_TOLERANCE = {torch.float32: 1e-3, torch.float64: 1e-3}
_TOLERANCE_OF_HALF_PRECISION = 3e-2


class TreeDecoding:
    """Rows under way in one causal model; `neurologic.models.base.Decoding`.

    What it keeps, on the host where decisions are made:

    _input    of every row its line in the cache
    _slot     of every row its place among the rows of its input
    _visible  which columns a row sees: bool [inputs, slots, columns]
    _length   how many tokens each input's texts have, prompt included: [inputs]
    _ids      the tokens of every row, padded on the left: [rows, longest]
    _prompts  the prompt of each input
    """

    def __init__(self, owner: CausalModel, rows: CausalDecoding) -> None:
        """Go on from prompts that have been read, one row each."""
        self._owner = owner
        self._device = rows.input_ids().device
        self._ids = rows.input_ids().cpu()
        self._kind_of_rows = type(rows)  # for branches
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
        """The tokens of every row, [rows, length]."""
        return self._ids.to(self._device)

    # -- going on -------------------------------------------------------------------------------

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """New row i continues old row parents[i] with tokens[i]."""
        parents, tokens = parents.cpu(), tokens.cpu()
        self._take_rows(parents)
        self._clear_columns()
        inputs, slots = self._visible.shape[:2]
        new = torch.zeros(inputs, slots, dtype=torch.long)
        new[self._input, self._slot] = tokens
        # The new tokens of an input stand side by side, and each sees only itself among them.
        own = torch.eye(slots, dtype=torch.bool).expand(inputs, slots, slots)
        self._visible = torch.cat([self._visible, own], dim=-1)
        self._ids = torch.cat([self._ids, tokens[:, None]], dim=1)
        logits = self._read(new)  # [inputs, slots, vocabulary]
        self._length += 1
        rows = self._input * slots + self._slot
        logits = logits.flatten(0, 1)
        self._logits = (
            logits if _counts_up(rows, len(logits)) else logits.index_select(0, rows.to(logits.device))
        )

    def _take_rows(self, parents: torch.Tensor) -> None:
        """Row i becomes what row parents[i] was; inputs without rows leave the cache."""
        lines = self._input[parents]
        left, line = lines.unique(return_inverse=True)
        if len(left) < len(self._visible):
            with torch.inference_mode():
                caches.reorder(self._cache, left.to(self._device))
            self._visible, self._length = self._visible[left], self._length[left]
            self._prompts = [self._prompts[line] for line in left.tolist()]
        # The place of every row among those of its input, in their order.
        order = line.argsort(stable=True)
        counts = line.bincount(minlength=len(left))
        place = torch.arange(len(line)) - (counts.cumsum(0) - counts)[line[order]]
        slot = torch.empty_like(line)
        slot[order] = place
        came_from = torch.zeros(len(left), int(counts.max()), dtype=torch.long)
        came_from[line, slot] = self._slot[parents]
        self._visible = self._visible[torch.arange(len(left))[:, None], came_from]
        # Slots without a row see what the first row of their input saw, and are seen by none.
        self._input, self._slot = line, slot
        self._ids = self._ids[parents]

    def _clear_columns(self) -> None:
        """Drop columns that no row sees, if they have become many."""
        seen = self._visible.any(dim=1)  # [inputs, columns]
        width = int(seen.sum(dim=-1).max())
        useless = seen.shape[-1] - width
        if useless < max(_USELESS_COLUMNS, _USELESS_PART * seen.shape[-1]):
            return
        # Columns in use first, in their order; lines that use fewer than others are filled up with others.
        columns = seen.int().argsort(dim=-1, descending=True, stable=True)[:, :width]
        with torch.inference_mode():
            caches.take_columns(self._cache, torch.arange(len(columns)), columns)
        slots = self._visible.shape[1]
        self._visible = self._visible.gather(-1, columns[:, None, :].expand(-1, slots, -1))

    def _read(self, tokens: torch.Tensor) -> torch.Tensor:
        """Run tokens, [inputs, slots], whose columns are the last ones of `_visible`; gives their scores."""
        model, traits = self._owner.model, self._owner.traits
        slots = tokens.shape[1]
        positions = (self._length + traits.first_position)[:, None].expand(-1, slots)
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
                **dict.fromkeys(traits.last_logits_only, slots),
            )
        return output.logits.to(torch.float32, copy=True)

    # -- more inputs ----------------------------------------------------------------------------

    def admit(self, prompts: Sequence[EncodedPrompt]) -> None:
        """Run further prompts; their rows, one each, come after those that are there."""
        new = self._owner.read_prompts(prompts, begun=self._begun([prompt.ids for prompt in prompts]))
        other = TreeDecoding(self._owner, new)
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
            [_right_aligned(tree._ids, longest, self._owner.pad_id) for tree in (self, other)]
        )
        # What stood before the longest text that is left is of no use, and would grow with every input.
        self._ids = self._ids[:, -int(self._length.max()) :]
        self._logits = torch.cat([self._logits, other._logits])
        self._prompts += other._prompts
        self._has_padding = True

    def _begun(self, prompts: Sequence[Sequence[int]]) -> tuple[Any, int] | None:
        """The cache of a common beginning of the prompts with that of an input here; None if too short."""
        shared = [common_beginning([prompt, *prompts]) for prompt in self._prompts]
        longest = max(shared)
        if longest < WORTH_SHARING:
            return None
        line = shared.index(longest)
        # All rows see the prompt, whose columns are in their order.
        columns = self._visible[line, 0].nonzero()[:longest, 0]
        cache = caches.fork(self._cache)
        with torch.inference_mode():
            caches.take_columns(cache, torch.tensor([line]), columns[None])
        return cache, longest

    # -- ordinary rows --------------------------------------------------------------------------

    @property
    def can_rewind(self) -> bool:
        """Whether branches can take tokens back and be put together."""
        return True

    def branch(self, parents: torch.Tensor) -> CausalDecoding:
        """Rows of their own that go on from these, with a line in the cache each."""
        parents = parents.cpu()
        lines, ids = self._input[parents], self._ids[parents]
        padding = ids.shape[1] - self._length[lines]  # [rows]
        seen = self._visible[lines, self._slot[parents]]  # [rows, columns]
        columns = seen.int().argsort(dim=-1, stable=True)[:, -ids.shape[1] :]  # those that are seen come last
        columns = _right_aligned(columns, ids.shape[1], 0)
        cache = caches.fork(self._cache)
        with torch.inference_mode():
            caches.take_columns(cache, lines, columns)
        mask = (torch.arange(ids.shape[1]) >= padding[:, None]).long() if self._has_padding else None
        return self._kind_of_rows.resumed(
            self._owner,
            ids.to(self._device),
            padding.to(self._device),
            None if mask is None else mask.to(self._device),
            cache,
            self._logits.index_select(0, parents.to(self._logits.device)),
        )


def reads_trees(owner: CausalModel) -> bool:
    """Whether a model gives the scores of its rows also when they are read as branches of a tree.

    Tried with a few tokens, of which some must not see each other.
    """
    attention = getattr(owner.model.config, "_attn_implementation", None)
    if not can_share_columns(owner) or attention not in ("sdpa", "eager"):
        return False
    tokens = [token for token, piece in enumerate(owner.vocabulary.pieces[:2000]) if piece][-8:]
    if len(tokens) < 8:
        return False
    prompts = [EncodedPrompt(tuple(tokens[:3])), EncodedPrompt(tuple(tokens[3:5]))]
    rows = owner.read_prompts(prompts)
    try:
        tree = TreeDecoding(owner, owner.read_prompts(prompts))
        for parents, count in (([0, 0, 1], 3), ([1, 0, 2, 2], 4)):
            for decoding in (rows, tree):
                decoding.advance(torch.tensor(parents), torch.tensor(tokens[-count:]))
    except (RuntimeError, TypeError, ValueError, LookupError, AttributeError, AssertionError):
        return False  # the model makes something else of the mask
    tolerance = _TOLERANCE.get(owner.model.dtype, _TOLERANCE_OF_HALF_PRECISION)
    spread = rows.logits.max() - rows.logits.min()
    return bool((rows.logits - tree.logits).abs().max() <= tolerance * spread)


def can_share_columns(owner: CausalModel) -> bool:
    """Whether a token's columns may stand anywhere: positions and masks say all about its place."""
    traits = owner.traits
    return (
        traits.cache_argument == "past_key_values"
        and traits.takes_positions
        and traits.can_pad
        and caches.is_plain(caches.new_cache(owner.model))
        and owner.model.config.model_type not in _WINDOWS_OF_COLUMNS
    )


def common_beginning(prompts: Sequence[Sequence[int]]) -> int:
    """How many tokens all prompts begin with, such that each has at least one more.

    >>> common_beginning([(1, 2, 3), (1, 2, 4, 5)])
    2
    """
    together = zip(*(prompt[:-1] for prompt in prompts), strict=False)
    return sum(1 for _ in takewhile(lambda tokens: len(set(tokens)) == 1, together))


def _counts_up(indices: torch.Tensor, count: int) -> bool:
    return len(indices) == count and torch.equal(indices, torch.arange(count))


def _with_room(visible: torch.Tensor, slots: int, columns: int) -> torch.Tensor:
    """More slots and columns, which see and show nothing."""
    pads = (0, columns - visible.shape[2], 0, slots - visible.shape[1])
    return torch.nn.functional.pad(visible, pads)


def _right_aligned(rows: torch.Tensor, width: int, filling: int) -> torch.Tensor:
    return torch.nn.functional.pad(rows, (width - rows.shape[1], 0), value=filling)
