"""Slot error rate (Wen et al., EMNLP 2015): missing and redundant slots over all slots of the acts.

Wen et al. count the slot tokens of a delexicalised output. Texts here have words instead, so that a plain
reading decides:

- A value is said if its words stand in the text, one after the other, in any case and without punctuation,
  or it has no words ("!!!") and stands there itself;
  "street" and "st", "2" and "two" are the same. Longer values are looked for first, and words that they
  have taken are gone: "Inn on Castro" does not say that it is in Castro. "soma or nob hill" needs both.
- A slot without such a value (yes, no, none, dont_care, or asked for) is said if a word that names it is
  there. A yes must stand in a clause without a negation and a no in one with. That is not looked at where
  yes and no are to choose from; where an act says that there are no places at all, a yes needs one negation
  in the text, for the places, and a no two.
- Redundant is a value that is there more often than the act has it; a name, area, near, food, price range or
  meal that another act of the same domain among those that are scored has, and this one has not; a slot of
  yes and no that is named though the act does not have it; and a telephone number or a postcode of other
  digits, with or without dashes.

Some of this is zero by construction for a text that satisfies the formula of its act, as both read the same
words that name a slot: `none`, `dont_care` (where it is all that is said of its slot), slots that are asked
for and a yes beside a no to choose from are never missing; values are hardly ever repeated, since the formula
counts them too; nor, where what the act does not have is forbidden, are slots of yes and no redundant, or
values that train has as well. All else is judged by rules that share no form with the formulas but the words
of numbers, and can be wrong in a text that obeys: missing values (which each need words of their own), the
polarity of yes and no, values that train does not have, other digits.

`type` does not count: its only values are "hotel" and "restaurant". An act without slots (goodbye) adds
nothing to the number of slots. Not seen are facts of no known slot ("it has a pool"), and values in other
words.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from neurologic.experiments.metrics.base import Corpus, Goal, Numbers
from neurologic.experiments.tasks.dialogue.acts import NO, YES, Act, Fact
from neurologic.experiments.tasks.dialogue.forms import NUMBERS
from neurologic.experiments.tasks.dialogue.slots import YES_OR_NO, names_of, parts_of

Words: TypeAlias = tuple[str, ...]

_SAME = {
    "street": "st",
    "avenue": "ave",
    "boulevard": "blvd",
    "euros": "euro",
    "dollars": "dollar",
    "moderately": "moderate",
    "seafood": "sea food",
    "to": "and",  # "15 to 22" is "between 15 and 22"
    **{word: str(number) for number, word in enumerate(NUMBERS)},
}
_NEGATIONS = {
    *("not", "no", "never", "without", "cannot", "nor", "neither", "forbid", "forbids", "prohibit"),
    *("prohibits", "restrict", "restricts", "lack", "lacks"),
}
_NOTHING = {*_NEGATIONS, "none", "nothing", "0", "unable"}
_WITHOUT_GUESTS = re.compile(r"\b(dog|pet|kid|child)[- ]free\b")  # but "free internet"
_NEW_CLAUSE = re.compile(r"[,.;:?!]|\b(?:and|but|that|which|where|who|whether|if|with|it|they)\b")
_WORD = re.compile(r"\w+")
# A telephone number, with or without the code of its area; a postcode.
_DIGITS = re.compile(r"(?<!\w)(?:\(?\d{3}\)?[-. ]*\d{3}[-. ]?\d{4}|\d{3}[-.]\d{4}|\d{7,}|\d{5})(?!\w)")

_UNCOUNTED = ("type",)
# A single word that is a name may be any word: restaurants are called So, Source and Range.
_NAMES_OF_MORE_WORDS = ("name",)
_ONE = ("1",)  # also in "the one near Soma", so that it is not repeated
_KNOWN = ("name", "area", "near", "food", "pricerange", "goodformeal")


@dataclass(frozen=True)
class Errors:
    """What is wrong with a text: facts that it does not say, and what it says beyond them, in words."""

    missing: tuple[Fact, ...]
    redundant: tuple[str, ...]
    slots: int


@dataclass(frozen=True)
class SlotError:
    """Slot error rate with rows (missing, redundant, slots); lower is better.

    acts  of the outputs, in their order
    """

    acts: tuple[Act, ...]
    name: ClassVar[str] = "slot_error"
    title: ClassVar[str] = "Slot error"
    goal: ClassVar[Goal] = Goal.LOW

    def statistics(self, texts: Corpus) -> Numbers:
        known = known_values(self.acts)
        rows = []
        for act, output in zip(self.acts, texts.outputs, strict=True):
            found = errors(act, output, known.get(act.domain, ()))
            rows.append((len(found.missing), len(found.redundant), found.slots))
        return np.array(rows, dtype=np.float64)

    def value(self, totals: Numbers) -> float:
        missing, redundant, slots = totals
        return float(100 * (missing + redundant) / max(slots, 1))

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return f"err:missing+redundant/slots|type:uncounted|yes-no:signed|acts:{_fingerprint(self.acts)}"


@dataclass(frozen=True)
class FactCoverage:
    """The share of an act's slots that a text says, as a mean over acts with slots; rows (share, 1)."""

    acts: tuple[Act, ...]
    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "Coverage"
    goal: ClassVar[Goal] = Goal.HIGH

    def statistics(self, texts: Corpus) -> Numbers:
        rows = []
        for act, output in zip(self.acts, texts.outputs, strict=True):
            found = errors(act, output)
            said = found.slots - len(found.missing)
            rows.append((said / found.slots, 1.0) if found.slots else (0.0, 0.0))
        return np.array(rows, dtype=np.float64)

    def value(self, totals: Numbers) -> float:
        return float(100 * totals[0] / totals[1]) if totals[1] else 100.0

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return f"mean:inputs|of:slots|type:uncounted|yes-no:signed|acts:{_fingerprint(self.acts)}"


def known_values(acts: Iterable[Act]) -> dict[str, tuple[Words, ...]]:
    """For each domain the values that its acts have, in words."""
    values: dict[str, set[Words]] = {}
    for act in acts:
        known = values.setdefault(act.domain, set())
        for fact in act.facts:
            if fact.slot in _KNOWN and not fact.special:
                known.update(filter(None, _values(fact)))
                if fact.slot in _NAMES_OF_MORE_WORDS:
                    known.difference_update(value for value in _values(fact) if len(value) == 1)
    return {domain: tuple(sorted(known)) for domain, known in values.items()}


def errors(act: Act, text: str, known: Sequence[Words] = ()) -> Errors:
    """What a text misses of an act's slots, and what it says beyond them.

    >>> from neurologic.experiments.tasks.dialogue.acts import parse_act
    >>> act = parse_act("inform(name='inn on castro';area='castro';hasinternet=no)", "hotel")
    >>> [str(fact) for fact in errors(act, "The Inn on Castro has internet.").missing]
    ['area=castro', 'hasinternet=no']
    >>> errors(act, "Inn on Castro is in Castro. It does not have internet, but allows dogs.").redundant
    ('dogs',)
    """
    facts = [fact for fact in act.facts if _counts(act, fact)]
    wanted = Counter(value for fact in facts if not fact.special for value in _values(fact) if value)
    said = _found(_words(text), wanted, [value for value in known if _bare(value) not in wanted])
    missing = [fact for fact in facts if not _said(act, fact, text, said)]
    return Errors(tuple(missing), tuple(_redundant(act, text, wanted, said)), len(facts))


def _fingerprint(acts: Iterable[Act]) -> str:
    """Eight hexadecimal digits that change with the acts."""
    listed = "\n".join(f"{act.domain} {act}" for act in acts)
    return hashlib.sha256(listed.encode()).hexdigest()[:8]


# -- words ----------------------------------------------------------------------------------------


def _words(text: str) -> Words:
    """ "It's 15 Main Street." → it, s, 15, main, st."""
    words = (_SAME.get(word, word) for word in _WORD.findall(_plain(text)))
    return tuple(part for word in words for part in word.split())


def _plain(text: str) -> str:
    """In lower case, with "not" for its short form and "no dog" for "dog-free"."""
    plain = text.casefold().replace("’", "'").replace("can't", "can not").replace("n't", " not")
    return _WITHOUT_GUESTS.sub(r"no \1", plain)


def _values(fact: Fact) -> list[Words]:
    """The words of a fact's values; those of "between 5 and 9 euro" also stand in "5 to 9 euros"."""
    return [_words(part.removeprefix("between ")) for part in parts_of(fact.slot, str(fact.value))]


def _bare(value: Words) -> Words:
    """A place is the same with an article or as a district: "the mission district" is the Mission."""
    return tuple(word for word in value if word not in ("the", "district"))


def _found(words: Words, wanted: Iterable[Words], known: Iterable[Words]) -> Counter[Words]:
    """How often each value stands in the text, every word belonging to one value at most, the longest."""
    found: Counter[Words] = Counter()
    left: list[str | None] = list(words)
    present = set(words)
    for value in sorted({*wanted, *known}, key=lambda one: (-len(one), one)):
        if not present.issuperset(value):
            continue
        for start in range(len(left) - len(value) + 1):
            if tuple(left[start : start + len(value)]) == value:
                left[start : start + len(value)] = [None] * len(value)
                found[value] += 1
    return found


# -- missing --------------------------------------------------------------------------------------


def _counts(act: Act, fact: Fact) -> bool:
    """A slot without a value says something in a question only."""
    return fact.slot not in _UNCOUNTED and (fact.value is not None or act.question)


def _said(act: Act, fact: Fact, text: str, said: Mapping[Words, int]) -> bool:
    if not fact.special:
        parts = zip(_values(fact), parts_of(fact.slot, str(fact.value)), strict=True)
        return all(said.get(words) if words else part in text for words, part in parts)
    if fact.value not in (YES, NO) or len(act.of_slot(fact.slot)) > 1:
        return bool(_named(fact.slot, _plain(text)))
    if act.kind == "inform_no_match":
        negations = sum(word in _NOTHING for word in _words(_plain(text)))
        return bool(_named(fact.slot, _plain(text))) and negations > (fact.value == NO)
    about = [clause for clause in _clauses(text) if _named(fact.slot, " ".join(clause))]
    return {not _NEGATIONS.isdisjoint(clause) for clause in about} == {fact.value == NO}


def _named(slot: str, text: str) -> str | None:
    """The word by which a text names a slot."""
    padded = f" {' '.join(_WORD.findall(text))} "
    return next((name for name in names_of(slot) if f" {name} " in padded), None)


def _clauses(text: str) -> list[list[str]]:
    return [_WORD.findall(part) for part in _NEW_CLAUSE.split(_plain(text))]


# -- redundant ------------------------------------------------------------------------------------


def _redundant(act: Act, text: str, wanted: Mapping[Words, int], said: Mapping[Words, int]) -> list[str]:
    open_slots = {fact.slot for fact in act.facts if fact.special}
    beyond = [
        " ".join(value)
        for value, times in said.items()
        for _ in range(times - wanted.get(value, 0))
        if (wanted.get(value) or not _belongs(value, open_slots)) and value != _ONE
    ]
    values = " ".join(" ".join(value) for value in wanted)
    plain = _plain(text)
    for slot in YES_OR_NO:
        word = None if act.of_slot(slot) else _named(slot, plain)
        if word is not None and not _named(slot, values):
            beyond.append(word)
    own = set(_numbers(values))
    return beyond + [number for number in _numbers(text) if number not in own]


def _numbers(text: str) -> list[str]:
    """The digits of its telephone numbers and postcodes.

    >>> _numbers("415-555-0134 or (415) 555 0135, 94108")
    ['4155550134', '4155550135', '94108']
    """
    return ["".join(filter(str.isdecimal, number)) for number in _DIGITS.findall(text)]


def _belongs(value: Words, slots: Iterable[str]) -> bool:
    """Whether a value names one of the slots: a question for the meal may list meals."""
    return any(" ".join(value) in names_of(slot) for slot in slots)
