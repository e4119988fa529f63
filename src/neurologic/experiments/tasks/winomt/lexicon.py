"""Look up nouns of the target language for an English noun, in the masculine and in the feminine.

Our own table (`nouns.LANGUAGE.tsv` in this folder) has every person of WinoMT. The data folder may add
`professions.fr.tsv` (English ⇥ masculine ⇥ feminine) and `professions.de.csv` (columns English, German_MS and
German_FS, with articles). More nouns leave the model more choice; a noun that is missing here cannot satisfy
a formula, whatever its gender. Brackets after a noun mark an unusual kind: [adjectival] is declined as an
adjective, [bare] is a pronoun or includes its determiner.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from neurologic.errors import DataError
from neurologic.experiments.data_files import rows
from neurologic.experiments.tasks.files import text_lines
from neurologic.experiments.tasks.winomt.sentences import FEMALE

ADJECTIVAL, BARE = "adjectival", "bare"


@dataclass(frozen=True)
class NounPair:
    """A noun in both genders; the same word twice if only the words around it tell them apart.

    kind  "adjectival" or "bare" (see the module), "" for an ordinary noun
    """

    masculine: str
    feminine: str
    kind: str = ""

    def form(self, gender: str) -> str:
        """Return the noun in the gender "male" or "female"."""
        return self.feminine if gender == FEMALE else self.masculine


Lexicon: TypeAlias = Mapping[str, tuple[NounPair, ...]]
Entries: TypeAlias = Iterator[tuple[str, NounPair]]


@dataclass(frozen=True)
class Person:
    """A person in a sentence: the English noun in lower case, and its words from `start` to before `end`."""

    noun: str
    start: int
    end: int


def read_lexicon(data: str | Path, language: str) -> dict[str, tuple[NounPair, ...]]:
    """Return English nouns in lower case with their distinct pairs, those of our own table first."""
    added = _added_french if language == "fr" else _added_german
    found: dict[str, list[NounPair]] = {}
    for noun, pair in (*_own_table(language), *added(Path(data))):
        found.setdefault(noun, []).append(pair)
    return {noun: tuple(dict.fromkeys(pairs)) for noun, pairs in found.items()}


def people(words: Sequence[str], lexicon: Lexicon) -> list[Person]:
    """Return everybody whom a sentence mentions by a noun of the lexicon; the longest noun at a place counts.

    >>> nouns = {"cook": (), "construction worker": (), "worker": ()}
    >>> people("The construction worker met the cook.".split(), nouns)
    [Person(noun='construction worker', start=1, end=3), Person(noun='cook', start=5, end=6)]
    """
    plain = [word.strip(".,;:!?\"'").lower().removesuffix("'s") for word in words]
    longest = max((len(noun.split()) for noun in lexicon), default=0)
    found: list[Person] = []
    start = 0
    while start < len(plain):
        ends = range(min(start + longest, len(plain)), start, -1)
        end = next((end for end in ends if " ".join(plain[start:end]) in lexicon), None)
        if end is not None:
            found.append(Person(" ".join(plain[start:end]), start, end))
        start = end or start + 1
    return found


def _own_table(language: str) -> Entries:
    for noun, pairs in rows(__package__, f"nouns.{language}.tsv"):
        for entry in pairs.split(", "):
            forms, _, kind = entry.removesuffix("]").partition(" [")
            masculine, _, feminine = forms.partition("/")
            yield noun, NounPair(masculine, feminine or masculine, kind)


def _added_french(folder: Path) -> Entries:
    path = folder / "professions.fr.tsv"
    for number, line in enumerate(text_lines(path) if path.exists() else (), 1):
        fields = [" ".join(field.replace("’", "'").replace("' ", "'").split()) for field in line.split("\t")]
        if len(fields) != 3 or not all(fields):
            raise DataError(
                f"{path}, line {number}: expected English ⇥ masculine ⇥ feminine, found {line[:60]!r}"
            )
        yield fields[0].lower(), NounPair(*fields[1:])


def _added_german(folder: Path) -> Entries:
    path = folder / "professions.de.csv"
    if not path.exists():
        return
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:  # the published file
        text = raw.decode("cp1252", errors="replace")
    columns = ("English", "German_MS", "German_FS")
    listed = csv.DictReader(text.splitlines())
    missing = [column for column in columns if column not in (listed.fieldnames or ())]
    if missing:
        raise DataError(f"{path} has no column {missing[0]}; expected English, German_MS and German_FS")
    for number, row in enumerate(listed, 2):
        if not all(row[column] for column in columns):
            raise DataError(f"{path}, line {number}: a column is missing")
        english, masculine, feminine = (row[column] for column in columns)
        # Some rows have German in the English column.
        if english.startswith("The ") and masculine.startswith("Der ") and feminine.startswith("Die "):
            # Nouns that are declined as adjectives are written "Der Beteiligte" or "Der Reisender".
            kind = ADJECTIVAL if masculine[4:].removesuffix("r") == feminine[4:] else ""
            yield english[4:].lower(), NounPair(masculine[4:], feminine[4:], kind)
