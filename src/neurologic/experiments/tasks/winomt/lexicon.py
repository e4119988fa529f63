"""Which nouns of the target language an English noun may become, in the masculine and in the feminine.

Our own table (`nouns.LANGUAGE.tsv` in this folder) has every person of WinoMT. To it are added, where the
data folder has them, `professions.fr.tsv` (English ⇥ masculine ⇥ feminine) and `professions.de.csv`
(columns English, German_MS and German_FS, with articles). More nouns leave the model more choice; one that
is missing here cannot satisfy a formula, whatever its gender. How a noun departs from the ordinary stands in
brackets after it: [adjectival] is declined as an adjective, [bare] is a pronoun or has its determiner.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import text_lines
from neurologic.experiments.tasks.winomt.sentences import FEMALE

ADJECTIVAL, BARE = "adjectival", "bare"


@dataclass(frozen=True)
class Pair:
    """A noun in both genders; the same word twice where only what stands around it tells them apart.

    kind  "adjectival" or "bare", as the module's text says; "" for an ordinary noun
    """

    masculine: str
    feminine: str
    kind: str = ""

    def form(self, gender: str) -> str:
        """The noun in the gender "male" or "female"."""
        return self.feminine if gender == FEMALE else self.masculine


Lexicon: TypeAlias = Mapping[str, tuple[Pair, ...]]
Entry: TypeAlias = tuple[str, Pair]


@dataclass(frozen=True)
class Person:
    """Somebody in a sentence: the English noun in lower case, and where its words are, `end` not included."""

    noun: str
    start: int
    end: int


def read_lexicon(data: str | Path, language: str) -> dict[str, tuple[Pair, ...]]:
    """English nouns in lower case with their pairs, each pair once, our own table's first."""
    folder = Path(data)
    found: dict[str, dict[Pair, None]] = {}
    for noun, pair in (*_own(language), *_ADDED[language](folder)):
        found.setdefault(noun, {})[pair] = None
    return {noun: tuple(pairs) for noun, pairs in found.items()}


def people(words: Sequence[str], lexicon: Lexicon) -> list[Person]:
    """Everybody whom a sentence mentions by a noun of the lexicon, the longest noun where several fit.

    >>> nouns = {"cook": (), "construction worker": (), "worker": ()}
    >>> people("The construction worker met the cook.".split(), nouns)
    [Person(noun='construction worker', start=1, end=3), Person(noun='cook', start=5, end=6)]
    """
    plain = [word.strip(".,;:!?\"'").lower().removesuffix("'s") for word in words]
    longest = max((len(noun.split()) for noun in lexicon), default=0)
    found, start = [], 0
    while start < len(plain):
        for length in range(min(longest, len(plain) - start), 0, -1):
            noun = " ".join(plain[start : start + length])
            if noun in lexicon:
                found.append(Person(noun, start, start + length))
                break
        start = found[-1].end if found and found[-1].end > start else start + 1
    return found


def _own(language: str) -> Iterator[Entry]:
    table = files(__package__).joinpath(f"nouns.{language}.tsv").read_text(encoding="utf-8")
    for line in table.splitlines():
        if not line.startswith("#"):
            noun, pairs = line.split("\t")
            for entry in pairs.split(", "):
                forms, _, kind = entry.removesuffix("]").partition(" [")
                masculine, _, feminine = forms.partition("/")
                yield noun, Pair(masculine, feminine or masculine, kind)


def _french(folder: Path) -> Iterator[Entry]:
    path = folder / "professions.fr.tsv"
    for number, line in enumerate(text_lines(path) if path.exists() else (), 1):
        fields = [" ".join(field.replace("’", "'").replace("' ", "'").split()) for field in line.split("\t")]
        if len(fields) != 3 or not all(fields):
            raise DataError(
                f"{path}, line {number}: expected English ⇥ masculine ⇥ feminine, found {line[:60]!r}"
            )
        yield fields[0].lower(), Pair(*fields[1:])


def _german(folder: Path) -> Iterator[Entry]:
    path = folder / "professions.de.csv"
    if not path.exists():
        return
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:  # as it was published
        text = raw.decode("cp1252", errors="replace")
    rows: Iterable[Mapping[str, str]] = csv.DictReader(text.splitlines())
    for number, row in enumerate(rows, 2):
        try:
            english, forms = row["English"], [row["German_MS"], row["German_FS"]]
        except KeyError as error:
            raise DataError(
                f"{path} has no column {error.args[0]}; expected English, German_MS and German_FS"
            ) from None
        if not all(isinstance(field, str) and field for field in (english, *forms)):
            raise DataError(f"{path}, line {number}: a column is missing")
        # Some rows have German where the English should be.
        if english.startswith("The ") and forms[0].startswith("Der ") and forms[1].startswith("Die "):
            masculine, feminine = forms[0][4:], forms[1][4:]
            # Those that are declined as adjectives are written "Der Beteiligte" or "Der Reisender".
            kind = ADJECTIVAL if masculine.removesuffix("r") == feminine else ""
            yield english[4:].lower(), Pair(masculine, feminine, kind)


_ADDED = {"fr": _french, "de": _german}
