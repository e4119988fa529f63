"""Slot error rate (Wen et al., EMNLP 2015): missing and redundant slots over all slots of the acts.

Wen et al. count the slot tokens of a delexicalised output. Our texts have words instead, so these rules
decide:

- A text says a value if its words appear one after the other, in any case and without punctuation;
  "street" and "st", "2" and "two" are the same. A value without words ("!!!") must appear itself. Longer
  values come first and use up their words: "Inn on Castro" does not say that it is in Castro. "soma or nob
  hill" needs both.
- A text says a slot without such a value (yes, no, none, dont_care, or asked for) if it has a word that names
  the slot. A yes must appear in a clause without a negation and a no in one with a negation, unless the act
  offers both. If an act says that there are no places at all, a yes needs one negation in the text, for the
  places, and a no two.
- Redundant are a value that is there more often than in the act; a name, area, near, food, price range or
  meal that only another scored act of the same domain has; the name of a slot of yes and no that the act does
  not have; and a telephone number or a postcode of other digits, with or without dashes.

A text that satisfies the formula of its act has some of these errors never or hardly ever, since both read
the same words that name a slot: `none`, `dont_care` (if it is the only value of its slot), slots asked for,
and a yes offered beside a no are never missing; values hardly repeat, since the formula counts them too; and
if the formula forbids what the act does not have, neither slots of yes and no nor values that train has are
redundant. For all else the rules share nothing with the formulas but the words of numbers, so a text that
obeys can be wrong: missing values (each needs words of its own), the polarity of yes and no, values that
train does not have, other digits.

`type` does not count: its only values are "hotel" and "restaurant". An act without slots (goodbye) adds
nothing to the number of slots. The metric does not see facts of unknown slots ("it has a pool"), nor values
in other words.
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
from neurologic.experiments.tasks.dialogue.slots import PHRASES, TABLES, YES_OR_NO, alternatives, names_of

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
    **{word: str(number) for number, word in enumerate(PHRASES["numbers"])},
}
_NEGATIONS = frozenset(TABLES["negations"]["negations"])
_NOTHING = _NEGATIONS.union(TABLES["negations"]["nothing"])
_WITHOUT_GUESTS = re.compile(r"\b(dog|pet|kid|child)[- ]free\b")  # but "free internet"
_NEW_CLAUSE = re.compile(r"[,.;:?!]|\b(?:and|but|that|which|where|who|whether|if|with|it|they)\b")
_WORD = re.compile(r"\w+")
# A telephone number, with or without the code of its area; a postcode.
_DIGITS = re.compile(r"(?<!\w)(?:\(?\d{3}\)?[-. ]*\d{3}[-. ]?\d{4}|\d{3}[-.]\d{4}|\d{7,}|\d{5})(?!\w)")

_UNCOUNTED = ("type",)
_ONE = ("1",)  # also in "the one near Soma", which is not a repetition
_KNOWN = ("name", "area", "near", "food", "pricerange", "goodformeal")


@dataclass(frozen=True)
class SlotErrors:
    """The errors of a text: facts that it does not say, and words that it says beyond them."""

    missing: tuple[Fact, ...]
    redundant: tuple[str, ...]
    slots: int


@dataclass(frozen=True)
class SlotError:
    """Slot error rate with rows (missing, redundant, slots); lower is better.

    acts  the acts of the outputs, in their order
    """

    acts: tuple[Act, ...]
    name: ClassVar[str] = "slot_error"
    title: ClassVar[str] = "Slot error"
    goal: ClassVar[Goal] = Goal.LOW
    digits: ClassVar[int] = 1
    unit: ClassVar[str] = ""

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
    """The share of an act's slots that a text says, a mean over acts with slots; rows (share, 1)."""

    acts: tuple[Act, ...]
    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "Coverage"
    goal: ClassVar[Goal] = Goal.HIGH
    digits: ClassVar[int] = 1
    unit: ClassVar[str] = ""

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
    """Return for each domain the values that its acts have, in words."""
    values: dict[str, set[Words]] = {}
    for act in acts:
        known = values.setdefault(act.domain, set())
        for fact in act.facts:
            if fact.slot in _KNOWN and not fact.special:
                known.update(filter(None, _values(fact)))
                if fact.slot == "name":  # a name of one word may be any word: So, Source, Range
                    known.difference_update(value for value in _values(fact) if len(value) == 1)
    return {domain: tuple(sorted(known)) for domain, known in values.items()}


def errors(act: Act, text: str, known: Sequence[Words] = ()) -> SlotErrors:
    """Return what a text misses of an act's slots, and what it says beyond them.

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
    return SlotErrors(tuple(missing), tuple(_redundant(act, text, wanted, said)), len(facts))


def _fingerprint(acts: Iterable[Act]) -> str:
    """Return eight hexadecimal digits that change with the acts."""
    listed = "\n".join(f"{act.domain} {act}" for act in acts)
    return hashlib.sha256(listed.encode()).hexdigest()[:8]


# -- words ----------------------------------------------------------------------------------------


def _words(text: str) -> Words:
    """Return the words of a text: "It's 15 Main Street." → it, s, 15, main, st."""
    words = (_SAME.get(word, word) for word in _WORD.findall(_plain(text)))
    return tuple(part for word in words for part in word.split())


def _plain(text: str) -> str:
    """Return a text in lower case, with "not" for its short form and "no dog" for "dog-free"."""
    plain = text.casefold().replace("’", "'").replace("can't", "can not").replace("n't", " not")
    return _WITHOUT_GUESTS.sub(r"no \1", plain)


def _values(fact: Fact) -> list[Words]:
    """Return the words of a fact's values; those of "between 5 and 9 euro" also appear in "5 to 9 euros"."""
    return [_words(part.removeprefix("between ")) for part in alternatives(fact.slot, str(fact.value))]


def _bare(value: Words) -> Words:
    """Drop articles and "district": "the mission district" is the Mission."""
    return tuple(word for word in value if word not in ("the", "district"))


def _found(words: Words, wanted: Iterable[Words], known: Iterable[Words]) -> Counter[Words]:
    """Count how often each value appears in the text; a word belongs to one value at most, the longest."""
    found: Counter[Words] = Counter()
    left: list[str | None] = list(words)
    present = set(words)
    for value in sorted({*wanted, *known}, key=lambda words: (-len(words), words)):
        if not present.issuperset(value):
            continue
        for start in range(len(left) - len(value) + 1):
            if tuple(left[start : start + len(value)]) == value:
                left[start : start + len(value)] = [None] * len(value)
                found[value] += 1
    return found


# -- missing --------------------------------------------------------------------------------------


def _counts(act: Act, fact: Fact) -> bool:
    """Tell whether a fact counts; a slot without a value does so in a question only."""
    return fact.slot not in _UNCOUNTED and (fact.value is not None or act.question)


def _said(act: Act, fact: Fact, text: str, said: Mapping[Words, int]) -> bool:
    if not fact.special:
        parts = zip(_values(fact), alternatives(fact.slot, str(fact.value)), strict=True)
        return all(said.get(words) if words else part in text for words, part in parts)
    if fact.value not in (YES, NO) or len(act.of_slot(fact.slot)) > 1:
        return bool(_named(fact.slot, _plain(text)))
    if act.kind == "inform_no_match":
        negations = sum(word in _NOTHING for word in _words(text))
        return bool(_named(fact.slot, _plain(text))) and negations > (fact.value == NO)
    about = [clause for clause in _clauses(text) if _named(fact.slot, " ".join(clause))]
    return {not _NEGATIONS.isdisjoint(clause) for clause in about} == {fact.value == NO}


def _named(slot: str, text: str) -> str | None:
    """Return the word by which a text names a slot; None if it does not."""
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
    """Return the digits of telephone numbers and postcodes.

    >>> _numbers("415-555-0134 or (415) 555 0135, 94108")
    ['4155550134', '4155550135', '94108']
    """
    return ["".join(filter(str.isdecimal, number)) for number in _DIGITS.findall(text)]


def _belongs(value: Words, slots: Iterable[str]) -> bool:
    """Tell whether a value names one of the slots: a question for the meal may list meals."""
    return any(" ".join(value) in names_of(slot) for slot in slots)
