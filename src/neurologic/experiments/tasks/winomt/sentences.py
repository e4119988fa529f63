"""WinoMT's sentences: a person whose gender a pronoun tells, among others whose gender nothing tells.

`en.txt` has a line per sentence: gender ⇥ place of the person, counted in words from 0 ⇥ sentence ⇥ the
person's noun. Where the noun has two words ("construction worker") the place is that of the first.
`en_pro.txt` and `en_anti.txt` name those sentences whose pronoun goes with a stereotype of the occupation,
or against it; without them, or for sentences in neither, there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import text_lines

MALE, FEMALE, NEUTRAL = "male", "female", "neutral"
GENDERS = (MALE, FEMALE, NEUTRAL)
PRO, ANTI = "pro", "anti"


@dataclass(frozen=True)
class Sentence:
    """A line of the data.

    number  its line, from 1
    gender  the person's: "male", "female" or "neutral"
    place   of the person's noun among the words
    noun    as the data has it: "construction worker", "CEO"
    subset  "pro" or "anti" a stereotype; "" for neither
    """

    number: int
    gender: str
    place: int
    text: str
    noun: str
    subset: str = ""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What white space separates; a full stop stays with the last word."""
        return tuple(self.text.split())


def read_sentences(data: str | Path) -> list[Sentence]:
    """All sentences of `en.txt` in their order."""
    folder = Path(data)
    subsets = {key: name for name in (PRO, ANTI) for key in _keys(folder / f"en_{name}.txt")}
    return [
        Sentence(number, gender, place, text, noun, subsets.get((gender, place, text), ""))
        for number, (gender, place, text, noun) in enumerate(_rows(folder / "en.txt"), 1)
    ]


def _keys(path: Path) -> Iterator[tuple[str, int, str]]:
    """What tells a sentence from all others with the same words."""
    if path.exists():
        yield from ((gender, place, text) for gender, place, text, _ in _rows(path))


def _rows(path: Path) -> Iterator[tuple[str, int, str, str]]:
    for number, line in enumerate(text_lines(path), 1):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 4 or fields[0] not in GENDERS or not fields[1].isdecimal():
            raise DataError(
                f"{path}, line {number}: expected gender ⇥ place ⇥ sentence ⇥ noun, found {line[:60]!r}"
            )
        gender, place, text, noun = fields
        if int(place) >= len(text.split()):
            raise DataError(f"{path}, line {number}: the sentence has no word {place}")
        yield gender, int(place), text, noun
