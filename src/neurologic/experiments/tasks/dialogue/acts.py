"""Read the hotel and restaurant acts of Wen et al. (NAACL 2016), with their human reference sentences.

A folder has `hotel/SPLIT.json` and `restaurant/SPLIT.json`, as in RNNLG: a head of lines with "#", then a
JSON list of `[act, what a person said, what a baseline said]`, of which we do not use the last. An act is
text such as `inform(name='the carriage inn';dogsallowed='no')`; some values lack their quotes.

A fact is the text between semicolons: a slot with its value, or the slot alone if a question asks for it.
Facts have no order: acts with the same facts are the same act, and a repeated fact is one. `dont_care`,
`none`, `yes` and `no` are values with a meaning of their own; all others stay as the data has them, in lower
case and with its mistakes ("noe 7s nest" for Noe's Nest).

What people said gets its usual spaces back ("hotel -s" is "hotels", "inn 's" is "inn's"), and questions get
their question marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import no_such_split, parse_json, split_names, text_lines

DOMAINS = ("hotel", "restaurant")

YES, NO, NONE, DONT_CARE = "yes", "no", "none", "dont_care"
SPECIAL = (YES, NO, NONE, DONT_CARE)

_OTHER_NAMES = {"true": YES, "false": NO, "dontcare": DONT_CARE}

_ACT = re.compile(r"\s*(\??\w+)\s*\((.*)\)\s*")
# A quote inside a value ("joe's diner") is not followed by the end of the fact.
_FACT = re.compile(r"\s*(\w+)\s*(?:=\s*('(?:[^']|'(?!\s*(?:;|$)))*'|[^;]*))?\s*(?:;|$)")

_ENDINGS = ((" child -s", " children"), (" -s", "s"), (" -ly", "ly"), (" 's", "'s"))
_BEFORE_PUNCTUATION = re.compile(r"\s+(?=[,.!?])")


@dataclass(frozen=True)
class Fact:
    """A slot with its value, or without one if the act only names the slot."""

    slot: str
    value: str | None = None

    @property
    def special(self) -> bool:
        """Tell whether it has no value that one could say as it is."""
        return self.value is None or self.value in SPECIAL

    def __str__(self) -> str:
        if self.value is None:
            return self.slot
        # Without quotes, the value would end at its semicolon.
        return f"{self.slot}='{self.value}'" if ";" in self.value else f"{self.slot}={self.value}"


@dataclass(frozen=True)
class Act:
    """A dialogue act: what an assistant has to say.

    domain  "hotel" or "restaurant"
    kind    "inform", "inform_no_match", "?request", "goodbye" …
    facts   in the order of the data
    """

    domain: str
    kind: str
    facts: tuple[Fact, ...] = ()

    @property
    def identity(self) -> tuple[str, str, frozenset[Fact]]:
        """Return a key that is equal for the same act in another order."""
        return self.domain, self.kind, frozenset(self.facts)

    @property
    def question(self) -> bool:
        return self.kind.startswith("?")

    def of_slot(self, slot: str) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if fact.slot == slot)

    def __str__(self) -> str:
        return f"{self.kind}({'; '.join(map(str, self.facts))})"


@dataclass(frozen=True)
class Utterance:
    """A line of the data: an act, and what a person said for it."""

    act: Act
    reference: str


def parse_act(text: str, domain: str) -> Act:
    """Return the act that a text describes.

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
        match = _FACT.match(rest, place)
        if match is None:
            raise DataError(f"{text!r}: expected a slot and its value at {rest[place:]!r}")
        facts.append(_fact(match[1], match[2]))
        place = match.end()
    return Act(domain, kind, tuple(dict.fromkeys(facts)))


def _fact(slot: str, value: str | None) -> Fact:
    # The data has values with one quote: goodformeal=dinner'.
    plain = " ".join((value or "").strip().strip("'").split()).lower()
    return Fact(slot.lower(), _OTHER_NAMES.get(plain, plain) or None)


def read_utterances(data: str | Path, split: str, domains: Iterable[str] = DOMAINS) -> list[Utterance]:
    """Return all lines of a split, with repetitions, in their order."""
    return [utterance for domain in domains for utterance in _of_domain(Path(data) / domain, split, domain)]


def distinct(utterances: Iterable[Utterance]) -> dict[Act, tuple[str, ...]]:
    """Return every act once, in the order of its first line, with all that people said for it."""
    first: dict[object, Act] = {}
    references: dict[Act, list[str]] = {}
    for utterance in utterances:
        act = first.setdefault(utterance.act.identity, utterance.act)
        references.setdefault(act, []).append(utterance.reference)
    return {act: tuple(filter(None, said)) for act, said in references.items()}


def natural(reference: str, *, question: bool = False) -> str:
    """Return what a person said with the usual spaces.

    >>> natural("the inn 's hotel -s are moderate -ly priced , child -s are not allowed")
    "the inn's hotels are moderately priced, children are not allowed"
    """
    text = f" {' '.join(reference.split())}"
    for ending, joined in _ENDINGS:
        text = re.sub(rf"{ending}(?!\w)", joined, text)
    text = _BEFORE_PUNCTUATION.sub("", text).strip()
    return text.rstrip(" .,?") + "?" if question and text else text


def _of_domain(folder: Path, split: str, domain: str) -> list[Utterance]:
    names = (folder / f"{name}.json" for name in split_names(split))
    path = next((path for path in names if path.exists()), None)
    if path is None:
        raise no_such_split(folder / f"{split}.json", {path.stem for path in folder.glob("*.json")})
    lines = text_lines(path)
    while lines and lines[0].lstrip().startswith("#"):
        lines.pop(0)
    rows = parse_json("\n".join(lines), f"{path}, after its head")
    if not isinstance(rows, list):
        raise DataError(f"{path}: expected a list of [act, reference]")
    return [_utterance(row, domain, f"{path}, entry {number}") for number, row in enumerate(rows, 1)]


def _utterance(row: object, domain: str, where: str) -> Utterance:
    if not isinstance(row, list) or len(row) < 2 or not all(isinstance(text, str) for text in row[:2]):
        raise DataError(f"{where}: expected [act, reference], found {json.dumps(row)[:80]}")
    try:
        act = parse_act(row[0], domain)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    return Utterance(act, natural(row[1], question=act.question))
