"""Read WinoMT's sentences: a pronoun tells the gender of one person, nothing tells that of the others.

`en.txt` has a line per sentence: gender ⇥ place of the person, counted in words from 0 ⇥ sentence ⇥ the
person's noun. If the noun has two words ("construction worker"), the place is that of the first. `en_pro.txt`
and `en_anti.txt` repeat the sentences whose pronoun agrees with a stereotype of the occupation, or
contradicts it; both files are optional.
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
    place   the place of the person's noun among the words
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
        """Return the words between white space; a full stop stays with the last word."""
        return tuple(self.text.split())


def read_sentences(data: str | Path) -> list[Sentence]:
    """Return all sentences of `en.txt` in their order."""
    folder = Path(data)
    subsets: dict[tuple[str, int, str], str] = {}
    for subset in (PRO, ANTI):
        path = folder / f"en_{subset}.txt"
        for gender, place, text, _ in _rows(path) if path.exists() else ():
            subsets[gender, place, text] = subset
    return [
        Sentence(number, gender, place, text, noun, subsets.get((gender, place, text), ""))
        for number, (gender, place, text, noun) in enumerate(_rows(folder / "en.txt"), 1)
    ]


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
