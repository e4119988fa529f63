"""The hotel and restaurant acts of Wen et al. (NAACL 2016), with what people said for them.

A folder has `hotel/SPLIT.json` and `restaurant/SPLIT.json`, as in RNNLG: a head of lines with "#", then a
JSON list of `[act, what a person said, what a baseline said]`, the last of which is not used. An act is text
such as `inform(name='the carriage inn';dogsallowed='no')`; quotes around a value are sometimes left out.

A fact is what stands between semicolons: a slot with its value, or the slot alone where a question asks for
it. The facts of an act have no order, so that acts with the same facts are the same act, and a fact that
is said twice is one. `dont_care`, `none`, `yes` and `no` are values with a meaning of their own; all
others are kept as the data has them, in lower case and with its mistakes ("noe 7s nest" for Noe's Nest).

What people said is kept as it is but for the spaces ("hotel -s" is "hotels", "inn 's" is "inn's") and for
question marks, which the data has left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import text_lines

DOMAINS = ("hotel", "restaurant")

YES, NO, NONE, DONT_CARE = "yes", "no", "none", "dont_care"
SPECIAL = (YES, NO, NONE, DONT_CARE)

_OTHER_NAMES = {"true": YES, "false": NO, "dontcare": DONT_CARE}
_OTHER_SPLITS = {"dev": "valid", "validation": "valid"}

_ACT = re.compile(r"\s*(\??\w+)\s*\((.*)\)\s*")
# A quote inside a value ("joe's diner") is not followed by the end of the fact.
_FACT = re.compile(r"\s*(\w+)\s*(?:=\s*('(?:[^']|'(?!\s*(?:;|$)))*'|[^;]*))?\s*(?:;|$)")

_ENDINGS = ((" child -s", " children"), (" -s", "s"), (" -ly", "ly"), (" 's", "'s"))
_BEFORE_PUNCTUATION = re.compile(r"\s+(?=[,.!?])")


@dataclass(frozen=True)
class Fact:
    """A slot with its value; without one where the act only names the slot."""

    slot: str
    value: str | None = None

    @property
    def special(self) -> bool:
        """Whether its value is none that could be said as it is."""
        return self.value is None or self.value in SPECIAL

    def __str__(self) -> str:
        if self.value is None:
            return self.slot
        # Without quotes the value would end at its semicolon.
        return f"{self.slot}='{self.value}'" if ";" in self.value else f"{self.slot}={self.value}"


@dataclass(frozen=True)
class Act:
    """What an assistant is to say.

    domain  "hotel" or "restaurant"
    kind    what it does: "inform", "inform_no_match", "?request", "goodbye" …
    facts   in the order of the data
    """

    domain: str
    kind: str
    facts: tuple[Fact, ...] = ()

    @property
    def identity(self) -> tuple[str, str, frozenset[Fact]]:
        """What is equal for the same act in another order."""
        return self.domain, self.kind, frozenset(self.facts)

    @property
    def question(self) -> bool:
        return self.kind.startswith("?")

    def of_slot(self, slot: str) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if fact.slot == slot)

    def __str__(self) -> str:
        return f"{self.kind}({'; '.join(map(str, self.facts))})"


@dataclass(frozen=True)
class Line:
    """An act with one thing that a person said for it."""

    act: Act
    reference: str


def parse_act(text: str, domain: str) -> Act:
    """The act that a text stands for.

    >>> parse_act("inform(name='motel 6';phone=none)", "hotel").facts
    (Fact(slot='name', value='motel 6'), Fact(slot='phone', value='none'))
    >>> print(parse_act("?request(area)", "hotel"), parse_act("goodbye()", "hotel"))
    ?request(area) goodbye()
    """
    found = _ACT.fullmatch(text)
    if found is None:
        raise DataError(f"{text!r} is not an act; expected something like inform(name='motel 6';area=soma)")
    kind, rest = found.groups()
    facts, place = [], 0
    while rest[place:].strip(" ;"):
        one = _FACT.match(rest, place)
        if one is None:
            raise DataError(f"{text!r}: expected a slot and its value at {rest[place:]!r}")
        facts.append(_fact(one[1], one[2]))
        place = one.end()
    return Act(domain, kind, tuple(dict.fromkeys(facts)))


def _fact(slot: str, value: str | None) -> Fact:
    # A quote may be left over: the data has goodformeal=dinner'.
    plain = " ".join((value or "").strip().strip("'").split()).lower()
    return Fact(slot.lower(), _OTHER_NAMES.get(plain, plain) or None)


def read_lines(data: str | Path, split: str, domains: Iterable[str] = DOMAINS) -> list[Line]:
    """All lines of a split, with repetitions, in their order."""
    return [line for domain in domains for line in _lines(Path(data), split, domain)]


def distinct(lines: Iterable[Line]) -> dict[Act, tuple[str, ...]]:
    """Every act once, in the order of its first line, with all that people said for it."""
    first: dict[object, Act] = {}
    references: dict[Act, list[str]] = {}
    for line in lines:
        act = first.setdefault(line.act.identity, line.act)
        references.setdefault(act, []).extend([line.reference] if line.reference else [])
    return {act: tuple(several) for act, several in references.items()}


def natural(reference: str, *, question: bool = False) -> str:
    """What a person said, with the usual spaces.

    >>> natural("the inn 's hotel -s are moderate -ly priced , child -s are not allowed")
    "the inn's hotels are moderately priced, children are not allowed"
    """
    text = f" {' '.join(reference.split())}"
    for ending, joined in _ENDINGS:
        text = re.sub(rf"{ending}(?!\w)", joined, text)
    text = _BEFORE_PUNCTUATION.sub("", text).strip()
    return text.rstrip(" .,?") + "?" if question and text else text


def _lines(folder: Path, split: str, domain: str) -> list[Line]:
    path = _file(folder, split, domain)
    lines = text_lines(path)
    while lines and lines[0].lstrip().startswith("#"):
        lines.pop(0)
    try:
        rows = json.loads("\n".join(lines))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON after its head: {error}") from error
    if not isinstance(rows, list):
        raise DataError(f"{path}: expected a list of [act, reference]")
    return [_line(row, domain, f"{path}, entry {number}") for number, row in enumerate(rows, 1)]


def _line(row: object, domain: str, where: str) -> Line:
    if not isinstance(row, list) or len(row) < 2 or not all(isinstance(text, str) for text in row[:2]):
        raise DataError(f"{where}: expected [act, reference], found {json.dumps(row)[:80]}")
    try:
        act = parse_act(row[0], domain)
        return Line(act, natural(row[1], question=act.question))
    except DataError as error:
        raise DataError(f"{where}: {error}") from error


def _file(folder: Path, split: str, domain: str) -> Path:
    paths = [
        folder / domain / f"{name}.json" for name in dict.fromkeys((split, _OTHER_SPLITS.get(split, split)))
    ]
    for path in paths:
        if path.exists():
            return path
    found = ", ".join(sorted(one.stem for one in paths[-1].parent.glob("*.json")))
    raise DataError(f"there is no {paths[-1]}" + (f"; the splits there are {found}" if found else ""))
