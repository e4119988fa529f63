"""Look-ahead: explore candidates before the search continues with some of them.

`LookAhead` wraps a model's rows. A decoder asks it to `explore` candidates, all in one batch; the engine then
continues with some of them through `advance`, as with any rows. The model reads nothing twice:

- the first token of a roll-out is the candidate itself, so continuing with an explored candidate is free;
- where the greedy roll-out of the parent passes through a candidate, the candidate's roll-out is the
  parent's without its first token, plus one new token. For that `LookAhead` keeps the rows of the
  roll-outs, and rewinds them to the length of the text when the search continues. This reuse is off for
  caches that cannot rewind (recurrent states, sliding windows) and for non-greedy roll-outs.

Limits: the scores of the steps of kept roll-outs stay in memory, up to candidates × steps² / 2 × vocabulary
numbers; the caller's processors do not act on roll-outs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from neurologic.search.roll_outs import Kind, NextTokenScores, Reader, roll_on
from neurologic.search.two_prompts import TwoPromptRows


@dataclass(frozen=True)
class Way:
    """A candidate to explore.

    parent   the row that it continues
    token    its token
    watched  tokens to report the log-probabilities of
    chance   numbers between 0 and 1, one for every token that a sampled roll-out draws
    """

    parent: int
    token: int
    watched: tuple[int, ...]
    chance: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class View:
    """The roll-out of a candidate as the decoder sees it.

    seen    log-probabilities of the watched tokens at each step, the first right after the candidate
    calls   model calls for this candidate
    reused  steps that needed no call
    """

    seen: list[list[float]]
    calls: int = 0
    reused: int = 0


@dataclass(eq=False)
class _RollOut:
    """The greedy roll-out of a row or a candidate.

    steps  the model's scores at each step, which several rows share, and the row in them
    place  its row among the kept ones
    calls  how many of the steps needed a model call
    """

    steps: list[tuple[NextTokenScores, int]]
    place: int = -1
    calls: int = 0

    def written(self, step: int) -> int:
        """Return the token that the roll-out writes after a step."""
        scores, row = self.steps[step]
        return scores.likeliest[row]


class LookAhead:
    """Rows that a decoder can explore; itself a `Decoding`."""

    def __init__(
        self,
        rows: TwoPromptRows,
        never: Iterable[int],
        *,
        kind: Kind = "greedy",
        steps: int = 5,
        width: int = 1,
    ) -> None:
        """Wrap `rows`; roll-outs write none of the tokens `never`, such as the end of the text."""
        self._rows = rows
        self._reader = Reader(torch.tensor(sorted(never), dtype=torch.long, device=rows.logits.device))
        self._kind = kind
        self._steps = steps
        self._width = 1 if kind == "greedy" else width
        self._can_rewind = rows.can_rewind
        self._keeps = kind == "greedy" and self._can_rewind
        # The roll-outs of the current rows, and their rows in the model.
        self._roll_outs: dict[int, _RollOut] = {}
        self._kept: Any = None
        # The candidates explored since the last `advance`, and their rows in the model.
        self._explored: dict[tuple[int, int], _RollOut] = {}
        self._ahead: Any = None
        self.served = frozenset[int]()

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        return self._rows.logits

    @property
    def alone(self) -> torch.Tensor | None:
        """Log-probabilities after the user's own prompt; see `TwoPromptRows.alone`."""
        return self._rows.alone

    def weigh_twins(self, weights: Sequence[float]) -> None:
        """Give the twin of every row a new weight; see `TwoPromptRows.weigh_twins`."""
        self._rows.weigh_twins(weights)

    def input_ids(self) -> torch.Tensor:
        """Return the tokens of every row, [rows, length]."""
        return self._rows.input_ids()

    def branch(self, parents: torch.Tensor) -> Any:
        """Return copies of rows, without a look-ahead."""
        return self._rows.branch(parents)

    # -- exploring ------------------------------------------------------------------------------

    def explore(self, ways: Sequence[Way], most: int) -> list[View]:
        """Roll out every candidate; texts grow by `most` tokens at most, the candidate's own included."""
        steps = min(self._steps, most)
        if not ways or steps < 1:
            return [View([]) for _ in ways]
        if not self._keeps:
            return self._explore_and_forget(ways, steps)
        found = [_RollOut(self._inherited(way)) for way in ways]
        order = sorted(range(len(ways)), key=lambda place: bool(found[place].steps))
        self._ahead = self._read_ahead(ways, found, order, steps)
        for row, place in enumerate(order):
            found[place].place = row
        self._explored = {
            (way.parent, way.token): roll_out for way, roll_out in zip(ways, found, strict=True)
        }
        return _views(ways, found, steps)

    def _inherited(self, way: Way) -> list[tuple[NextTokenScores, int]]:
        """Return the steps that the parent's roll-out has made, if it passed through the candidate."""
        parent = self._roll_outs.get(way.parent)
        if parent is None or len(parent.steps) < 2 or parent.written(0) != way.token:
            return []
        return parent.steps[1:]

    def _read_ahead(
        self, ways: Sequence[Way], found: Sequence[_RollOut], order: Sequence[int], steps: int
    ) -> Any:
        """Read until every roll-out has all its steps. In `order`, those that inherit nothing come first."""
        fresh = [place for place in order if not found[place].steps]
        heirs = [place for place in order if found[place].steps]
        target = _length(self._rows) + steps
        ahead: Any = None
        if fresh:
            ahead = self._rows.branch(torch.tensor([ways[place].parent for place in fresh]))
            self._read_until(_length(self._kept) if heirs else target, ahead, ways, found, fresh)
        if heirs:
            places = [self._roll_outs[ways[place].parent].place for place in heirs]
            inherited = self._kept.branch(torch.tensor(places))
            if ahead is None:
                ahead = inherited
            else:
                ahead.join(inherited)
        self._read_until(target, ahead, ways, found, order)
        return ahead

    def _read_until(
        self, length: int, ahead: Any, ways: Sequence[Way], found: Sequence[_RollOut], order: Sequence[int]
    ) -> None:
        while _length(ahead) < length:
            tokens = [
                found[place].written(-1) if found[place].steps else ways[place].token for place in order
            ]
            ahead.advance(torch.arange(len(order)), torch.tensor(tokens))
            scores = self._reader.read(ahead)
            for row, place in enumerate(order):
                found[place].steps.append((scores, row))
                found[place].calls += 1

    def _explore_and_forget(self, ways: Sequence[Way], steps: int) -> list[View]:
        """Roll out every candidate, and keep only the first token of each, the candidate itself."""
        first = self._rows.branch(torch.tensor([way.parent for way in ways]))
        first.advance(torch.arange(len(ways)), torch.tensor([way.token for way in ways]))
        scores = self._reader.read(first)
        self._ahead = first
        self._explored = {
            (way.parent, way.token): _RollOut([(scores, row)], row, 1) for row, way in enumerate(ways)
        }
        watched = [way.watched for way in ways]
        chance = torch.tensor([way.chance for way in ways])
        later = roll_on(first, self._reader, watched, self._kind, self._width, steps - 1, chance)
        calls = 1 + (steps - 1) * self._width
        at_once = scores.watch(range(len(ways)), watched)
        return [View([seen, *more], calls) for seen, more in zip(at_once, later, strict=True)]

    # -- continuing -----------------------------------------------------------------------------

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """Continue as any rows do; `served` then names the rows that needed no model call."""
        pairs = list(zip(parents.tolist(), tokens.tolist(), strict=True))
        explored = [number for number, pair in enumerate(pairs) if pair in self._explored]
        others = [number for number, pair in enumerate(pairs) if pair not in self._explored]
        if not explored or (others and not self._can_rewind):
            self._rows.advance(parents, tokens)
            self._start_anew(frozenset())
            return
        roll_outs = [self._explored[pairs[number]] for number in explored]
        kept = self._ahead.branch(torch.tensor([roll_out.place for roll_out in roll_outs]))
        rows = self._rewound(kept, roll_outs)
        if others:
            rest = self._rows.branch(parents[others])
            rest.advance(torch.arange(len(others)), tokens[others])
            rows.join(rest)
            rows = rows.branch(torch.tensor([*explored, *others]).argsort())
        self._rows = rows
        self._start_anew(frozenset(explored))
        if self._keeps:
            self._kept = kept
            for place, (number, roll_out) in enumerate(zip(explored, roll_outs, strict=True)):
                self._roll_outs[number] = _RollOut(roll_out.steps, place)

    def _rewound(self, kept: Any, roll_outs: Sequence[_RollOut]) -> Any:
        """Return the rows as they were right after their candidates."""
        rows = kept.branch(torch.arange(len(roll_outs)))
        surplus = _length(rows) - _length(self._rows) - 1
        if surplus:
            first = [roll_out.steps[0] for roll_out in roll_outs]
            logits = torch.stack([scores.logits[row] for scores, row in first])
            has_twins = any(scores.alone is not None for scores, _ in first)
            alone = torch.stack([scores.alone_at(row) for scores, row in first]) if has_twins else None
            rows.rewind(surplus, logits, alone)
        return rows

    def _start_anew(self, served: frozenset[int]) -> None:
        self.served = served
        self._roll_outs, self._kept, self._explored, self._ahead = {}, None, {}, None


def _views(ways: Sequence[Way], found: Sequence[_RollOut], steps: int) -> list[View]:
    """Return the views of greedy roll-outs; look up steps that share their scores together."""
    places: dict[NextTokenScores, list[tuple[int, int, int]]] = {}
    for number, roll_out in enumerate(found):
        for step, (scores, row) in enumerate(roll_out.steps[:steps]):
            places.setdefault(scores, []).append((row, number, step))
    seen: list[list[list[float]]] = [[[] for _ in roll_out.steps[:steps]] for roll_out in found]
    for scores, several in places.items():
        watched = [ways[number].watched for _, number, _ in several]
        values = scores.watch([row for row, _, _ in several], watched)
        for (_, number, step), of_step in zip(several, values, strict=True):
            seen[number][step] = of_step
    return [
        View(of_way, roll_out.calls, len(of_way) - roll_out.calls)
        for of_way, roll_out in zip(seen, found, strict=True)
    ]


def _length(rows: Any) -> int:
    return int(rows.input_ids().shape[1])
