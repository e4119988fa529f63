"""Look-ahead: rows that can be explored before the search goes on with some of them.

`LookAhead` stands in front of a model's rows. A decoder asks it to `explore` candidates, all in one batch;
the engine then goes on with some of them by `advance`, as with any decoding. What was read is not read again:

- the first token of a roll-out is the candidate itself, so going on with an explored candidate is free;
- the greedy roll-out of a candidate that its parent's roll-out passed through is the parent's, less its first
  token and one more at its end. For that the rows of the roll-outs are kept, and taken back to the length of
  the text when the search goes on. Caches that cannot be taken back (recurrent states, sliding windows), and
  roll-outs of another kind than greedy, do without.

Limits: the scores of the steps of kept roll-outs stay in memory, up to candidates × steps² / 2 × vocabulary
numbers; the caller's processors do not act on roll-outs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from neurologic.models.base import Decoding
from neurologic.search.roll_outs import Kind, NextTokenScores, Reader, roll_on


@dataclass(frozen=True)
class Way:
    """A candidate to explore.

    parent   the row that it continues
    token    its token
    watched  the tokens whose log-probabilities are asked for
    chance   numbers between 0 and 1, one for every token that a drawn roll-out draws
    """

    parent: int
    token: int
    watched: tuple[int, ...]
    chance: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class View:
    """What was seen after a candidate.

    seen    per step the log-probabilities of the watched tokens; the first step is right after the candidate
    calls   model calls made for it
    reused  steps that needed none
    """

    seen: list[list[float]]
    calls: int = 0
    reused: int = 0


@dataclass(eq=False)
class _RollOut:
    """The greedy roll-out of a row or a candidate.

    steps  what the model said at each step: a reading of several rows, and the row in it
    place  its row among those that are kept
    calls  how many of the steps were read for it
    """

    steps: list[tuple[NextTokenScores, int]]
    place: int = -1
    calls: int = 0

    def written(self, step: int) -> int:
        """The token that the roll-out writes after a step."""
        reading, row = self.steps[step]
        return reading.likeliest[row]


class LookAhead:
    """Rows that can be explored; itself a decoding."""

    def __init__(
        self, rows: Decoding, never: Iterable[int], *, kind: Kind = "greedy", steps: int = 5, width: int = 1
    ) -> None:
        """`never`: tokens that no roll-out writes, such as the end of the text."""
        self._rows: Any = rows
        self._reader = Reader(torch.tensor(sorted(never), dtype=torch.long, device=rows.logits.device))
        self._kind = kind
        self._steps = steps
        self._width = 1 if kind == "greedy" else width
        self._can_rewind = bool(getattr(rows, "can_rewind", False))  # see `models.base.Rewindable`
        self._keeps = kind == "greedy" and self._can_rewind
        # The roll-outs of the present rows, and their rows in the model.
        self._roll_outs: dict[int, _RollOut] = {}
        self._kept: Any = None
        # What has been explored since the last `advance`, and its rows in the model.
        self._explored: dict[tuple[int, int], _RollOut] = {}
        self._ahead: Any = None
        self.served = frozenset[int]()

    @property
    def logits(self) -> torch.Tensor:
        """Scores of the next token, [rows, vocabulary]."""
        logits: torch.Tensor = self._rows.logits
        return logits

    def input_ids(self) -> torch.Tensor:
        """The tokens of every row, [rows, length]."""
        ids: torch.Tensor = self._rows.input_ids()
        return ids

    def branch(self, parents: torch.Tensor) -> Any:
        """Rows of their own, without a look-ahead."""
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
        self._explored = {(way.parent, way.token): one for way, one in zip(ways, found, strict=True)}
        return _views(ways, found, steps)

    def _inherited(self, way: Way) -> list[tuple[NextTokenScores, int]]:
        """The steps that the parent's roll-out has already made, if it passed through the candidate."""
        parent = self._roll_outs.get(way.parent)
        if parent is None or len(parent.steps) < 2 or parent.written(0) != way.token:
            return []
        return parent.steps[1:]

    def _read_ahead(
        self, ways: Sequence[Way], found: Sequence[_RollOut], order: Sequence[int], steps: int
    ) -> Any:
        """Read until every roll-out has all its steps. In `order` those that inherit nothing come first."""
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
            reading = self._reader.read(ahead.logits)
            for row, place in enumerate(order):
                found[place].steps.append((reading, row))
                found[place].calls += 1

    def _explore_and_forget(self, ways: Sequence[Way], steps: int) -> list[View]:
        """Roll-outs of which only the first token, the candidate itself, is kept."""
        first = self._rows.branch(torch.tensor([way.parent for way in ways]))
        first.advance(torch.arange(len(ways)), torch.tensor([way.token for way in ways]))
        reading = self._reader.read(first.logits)
        self._ahead = first
        self._explored = {
            (way.parent, way.token): _RollOut([(reading, row)], row, 1) for row, way in enumerate(ways)
        }
        watched = [way.watched for way in ways]
        chance = torch.tensor([way.chance for way in ways])
        later = roll_on(first, self._reader, watched, self._kind, self._width, steps - 1, chance)
        calls = 1 + (steps - 1) * self._width
        at_once = reading.watch(range(len(ways)), watched)
        return [View([seen, *more], calls) for seen, more in zip(at_once, later, strict=True)]

    # -- going on -------------------------------------------------------------------------------

    def advance(self, parents: torch.Tensor, tokens: torch.Tensor) -> None:
        """Go on as any decoding does; `served` then names the rows that needed no model call."""
        pairs = list(zip(parents.tolist(), tokens.tolist(), strict=True))
        explored = [number for number, pair in enumerate(pairs) if pair in self._explored]
        others = [number for number, pair in enumerate(pairs) if pair not in self._explored]
        if not explored or (others and not self._can_rewind):
            self._rows.advance(parents, tokens)
            self._start_anew(frozenset())
            return
        roll_outs = [self._explored[pairs[number]] for number in explored]
        kept = self._ahead.branch(torch.tensor([one.place for one in roll_outs]))
        rows = self._taken_back(kept, roll_outs)
        if others:
            rest = self._rows.branch(parents[others])
            rest.advance(torch.arange(len(others)), tokens[others])
            rows.join(rest)
            rows = rows.branch(torch.tensor([*explored, *others]).argsort())
        self._rows = rows
        self._start_anew(frozenset(explored))
        if self._keeps:
            self._kept = kept
            for place, (number, one) in enumerate(zip(explored, roll_outs, strict=True)):
                self._roll_outs[number] = _RollOut(one.steps, place)

    def _taken_back(self, kept: Any, roll_outs: Sequence[_RollOut]) -> Any:
        """The rows as they were right after their candidates."""
        rows = kept.branch(torch.arange(len(roll_outs)))
        surplus = _length(rows) - _length(self._rows) - 1
        if surplus:
            first = [one.steps[0] for one in roll_outs]
            rows.rewind(surplus, torch.stack([reading.logits[row] for reading, row in first]))
        return rows

    def _start_anew(self, served: frozenset[int]) -> None:
        self.served = served
        self._roll_outs, self._kept, self._explored, self._ahead = {}, None, {}, None


def _views(ways: Sequence[Way], found: Sequence[_RollOut], steps: int) -> list[View]:
    """What the steps of greedy roll-outs show; steps that stand in one reading are looked at together."""
    places: dict[NextTokenScores, list[tuple[int, int, int]]] = {}
    for number, one in enumerate(found):
        for step, (reading, row) in enumerate(one.steps[:steps]):
            places.setdefault(reading, []).append((row, number, step))
    seen: list[list[list[float]]] = [[[] for _ in one.steps[:steps]] for one in found]
    for reading, several in places.items():
        watched = [ways[number].watched for _, number, _ in several]
        values = reading.watch([row for row, _, _ in several], watched)
        for (_, number, step), of_step in zip(several, values, strict=True):
            seen[number][step] = of_step
    return [View(of_way, one.calls, len(of_way) - one.calls) for of_way, one in zip(seen, found, strict=True)]


def _length(rows: Any) -> int:
    length: int = rows.input_ids().shape[1]
    return length
