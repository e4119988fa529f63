"""The tree of a search, read from the records of a trace.

A node is a hypothesis: a token after its parent. Hypotheses that had a place in the beam are all there. Of
the candidates that had none, a step keeps the likeliest of every fate and counts the others, since hundreds
of them died for the same reason.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from neurologic.errors import NeurologicError
from neurologic.picture.layout import lanes_of

# How many dropped candidates of a step stay in the tree, by fate.
_SHOWN_PER_FATE = 4
_ALIVE = ("selected", "finished")
# Fates of candidates that survived pruning.
_SURVIVORS = ("selected", "finished", "same text", "dominated", "not selected")


@dataclass(frozen=True, slots=True)
class Node:
    """A hypothesis.

    parent   the number of the node that it continues; -1 for the root
    step     its length in tokens
    piece    the characters that its last token adds
    chance   the probability of its last token, as the search saw it
    logprob  cumulative log-likelihood
    score    what the decoder ranked it by
    group    its group, as a place in `SearchTree.groups`
    states   the clauses' states, a digit each: "1" for S1
    fate     why the search dropped it, "selected" or "finished"
    forced   whether the budget forced its last token
    plan     how many tokens it needs to pay what it owes; None if nobody knows
    lane     the line of the picture it is drawn in
    """

    parent: int
    step: int
    piece: str
    chance: float
    logprob: float
    score: float
    group: int
    states: str
    fate: str
    forced: bool = False
    plan: int | None = None
    lane: int = 0

    @property
    def is_alive(self) -> bool:
        """Whether it got a place in the beam, or ended a text."""
        return self.fate in _ALIVE


@dataclass(frozen=True)
class GroupCount:
    """A group in one step: how many candidates survived pruning, and how many of them got a place.

    inside, closes  whether they are inside a required phrase, or end a sentence: such texts form groups of
                    their own
    """

    group: int
    inside: bool
    closes: bool
    survivors: int
    selected: int


@dataclass(frozen=True)
class Step:
    """One step of the search.

    left    how many tokens are left after it
    fates   how many of the listed candidates had each fate
    groups  those of the candidates that survived pruning
    """

    rule: str
    left: int
    fates: Mapping[str, int]
    groups: tuple[GroupCount, ...]


@dataclass(frozen=True)
class Outcome:
    """A text that came out of the search, and the node where it ends; -1 if the tree does not have it."""

    text: str
    node: int
    satisfied: bool
    score: float


@dataclass(frozen=True)
class SearchTree:
    """All that a picture shows of one search.

    label   the name of the input
    groups  sets of clauses in S4, as places in `clauses`
    whys    what each fate means
    texts   what came out, best first; empty if the trace does not say
    """

    label: str
    prompt: str
    clauses: tuple[str, ...]
    settings: Mapping[str, float]
    groups: tuple[tuple[int, ...], ...]
    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]
    whys: Mapping[str, str]
    texts: tuple[Outcome, ...]

    @property
    def lanes(self) -> int:
        """How many lines the tree takes."""
        return 1 + max(node.lane for node in self.nodes)

    def path(self, number: int) -> list[int]:
        """Return the numbers of the nodes from the root to a node."""
        numbers = []
        while number >= 0:
            numbers.append(number)
            number = self.nodes[number].parent
        return numbers[::-1]

    def text_of(self, number: int) -> str:
        """Return the text of a node."""
        return "".join(self.nodes[place].piece for place in self.path(number))

    def leaves(self) -> Iterator[int]:
        """Yield the nodes that nothing continues."""
        parents = {node.parent for node in self.nodes}
        return (number for number in range(len(self.nodes)) if number not in parents)


class _Text(NamedTuple):
    """A text that came out, as the last record of a search tells it."""

    text: str
    tokens: tuple[int, ...]
    satisfied: bool
    score: float

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> _Text:
        tokens = tuple(map(int, fields["tokens"]))
        return cls(str(fields["text"]), tokens, bool(fields["satisfied"]), float(fields["score"]))


@dataclass
class TreeBuilder:
    """Takes the records of one search, in their order, and makes a tree of them.

    Its fields are those of the tree so far; nodes have no lanes yet, since those depend on what comes later.
    """

    label: str = ""
    clauses: tuple[str, ...] = ()
    settings: dict[str, float] = field(default_factory=dict)
    groups: dict[tuple[int, ...], int] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    whys: dict[str, str] = field(default_factory=dict)
    _prompt: str = ""
    _texts: tuple[_Text, ...] = ()
    # Nodes of the last step by the row they continue and their token.
    _last: dict[tuple[int | None, int | None], int] = field(default_factory=dict)
    _tokens: list[int | None] = field(default_factory=list)

    def add(self, record: Mapping[str, Any]) -> None:
        """Take a record; raise `NeurologicError` if it is not one of a trace."""
        try:
            if "result" in record:
                self._prompt = str(record["result"].get("prompt", ""))
                self._texts = tuple(map(_Text.of, record["result"].get("texts", ())))
            else:
                self._add_step(record)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise NeurologicError(
                f"not a record of a trace ({type(error).__name__}: {error}); "
                "write traces with neurologic generate --trace"
            ) from error

    def _add_step(self, record: Mapping[str, Any]) -> None:
        if not self.nodes:
            self._begin(record)
        rows = [self._row(row) for row in record["beam"]]
        self._last = {}
        listed = [(candidate, self._group(candidate)) for candidate in record["candidates"]]
        for candidate, group in _shown(listed):
            number = self._add_node(candidate, group, rows[candidate["row"]])
            if candidate["fate"] in _ALIVE:
                self._last[candidate["row"], candidate["token"]] = number
        self.whys |= {candidate["fate"]: candidate["why"] for candidate, _ in listed}
        fates = Counter(candidate["fate"] for candidate, _ in listed)
        self.steps.append(Step(record["rule"], record["left"], fates, _group_counts(listed)))

    def _begin(self, record: Mapping[str, Any]) -> None:
        (start,) = record["beam"]
        self.label = str(record["input"])
        self.clauses = tuple(record["clauses"])
        self.settings = dict(record["settings"])
        satisfied = tuple(place for place, state in enumerate(start["states"]) if state == "S4")
        root = Node(-1, 0, "", 1.0, 0.0, 0.0, self._group_of(satisfied), _digits(start["states"]), "selected")
        self.nodes.append(root)
        self._tokens.append(None)
        self._last[None, None] = 0

    def _row(self, row: Mapping[str, Any]) -> int:
        """Return the node of a hypothesis of the beam, and note what only the beam knows of it."""
        number = self._last[row["row"], row["token"]]
        self.nodes[number] = replace(self.nodes[number], plan=row["plan"])
        return number

    def _add_node(self, candidate: Mapping[str, Any], group: int, parent: int) -> int:
        before = self.nodes[parent]
        self.nodes.append(
            Node(
                parent=parent,
                step=before.step + 1,
                piece=str(candidate["piece"]),
                chance=math.exp(min(0.0, candidate["logprob"] - before.logprob)),
                logprob=float(candidate["logprob"]),
                score=float(candidate["score"]),
                group=group,
                states=_digits(candidate["states"]) or before.states,
                fate=candidate["fate"],
                forced=candidate["forced"],
            )
        )
        self._tokens.append(candidate["token"])
        return len(self.nodes) - 1

    def _group(self, candidate: Mapping[str, Any]) -> int:
        return self._group_of(tuple(map(self.clauses.index, candidate["group"])))

    def _group_of(self, satisfied: tuple[int, ...]) -> int:
        return self.groups.setdefault(satisfied, len(self.groups))

    @property
    def is_empty(self) -> bool:
        """Whether no step has come yet."""
        return not self.nodes

    def tree(self) -> SearchTree:
        """Return the tree of the records so far; there must be some."""
        texts = self._outcomes()
        best = texts[0].node if texts else -1
        lanes = lanes_of(self.nodes, best)
        return SearchTree(
            label=self.label,
            prompt=self._prompt,
            clauses=self.clauses,
            settings=self.settings,
            groups=tuple(self.groups),
            nodes=tuple(replace(node, lane=lane) for node, lane in zip(self.nodes, lanes, strict=True)),
            steps=tuple(self.steps),
            whys=self.whys,
            texts=texts,
        )

    def _outcomes(self) -> tuple[Outcome, ...]:
        children: dict[tuple[int, int | None], int] = {}
        for number, node in enumerate(self.nodes):
            if node.is_alive:
                children[node.parent, self._tokens[number]] = number
        return tuple(
            Outcome(text.text, _follow(children, text.tokens), text.satisfied, text.score)
            for text in self._texts
        )


def _follow(children: Mapping[tuple[int, int | None], int], tokens: Sequence[int]) -> int:
    """Return the node at the end of some tokens; -1 if they leave the tree."""
    number = 0
    for token in tokens:
        number = children.get((number, token), -1)
        if number < 0:
            break
    return number


def _shown(listed: Iterable[tuple[Mapping[str, Any], int]]) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield the candidates that the tree keeps; they come likeliest first."""
    seen: Counter[str] = Counter()
    for candidate, group in listed:
        seen[candidate["fate"]] += 1
        if candidate["fate"] in _ALIVE or seen[candidate["fate"]] <= _SHOWN_PER_FATE:
            yield candidate, group


def _group_counts(listed: Iterable[tuple[Mapping[str, Any], int]]) -> tuple[GroupCount, ...]:
    survivors: Counter[tuple[int, bool, bool]] = Counter()
    selected: Counter[tuple[int, bool, bool]] = Counter()
    for candidate, group in listed:
        key = group, bool(candidate["inside"]), bool(candidate["closes"])
        survivors[key] += candidate["fate"] in _SURVIVORS
        selected[key] += candidate["fate"] in _ALIVE
    return tuple(GroupCount(*key, count, selected[key]) for key, count in survivors.items() if count)


def _digits(states: Iterable[str]) -> str:
    return "".join(state.removeprefix("S") for state in states)
