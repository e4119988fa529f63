"""Find the terms of a glossary in a source.

A form occurs where `neurologic.occurs` finds it, but straight and typographic apostrophes are the same. Of
occurrences that share a character only the longest counts, so that "blood pressure" is not also "pressure".
The finder looks forms up by their first word, so ten thousand terms cost no more than ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from neurologic.integrations.glossary.term import straightened
from neurologic.logic import Phrase
from neurologic.logic.characters import folded, is_word_character, normalise, number_goes_on


@dataclass(frozen=True)
class SourceForm:
    """A way to write a term; `listed` if the glossary has it like this, not as an inflected form."""

    phrase: Phrase
    term: int
    listed: bool = True


@dataclass(frozen=True)
class Occurrence:
    """A form found in a source: its start and end, and how it is written there."""

    start: int
    end: int
    text: str
    form: SourceForm

    @property
    def rank(self) -> tuple[int, bool, bool, int, int]:
        """Smaller is better: long occurrences first, then forms that the glossary writes more exactly."""
        form = self.form
        return (self.start - self.end, not form.listed, form.phrase.case != "exact", self.start, form.term)


class TermFinder:
    """Finds forms in sources."""

    def __init__(self, forms: Iterable[SourceForm]) -> None:
        self._by_first_word: dict[str, list[tuple[str, SourceForm]]] = {}
        for form in forms:
            key = normalise(form.phrase.text, exact_case=False)
            self._by_first_word.setdefault(_first_word(key, 0), []).append((key, form))

    def find(self, source: str) -> list[Occurrence]:
        """Return the occurrences that count, in the order of the source."""
        best: list[Occurrence] = []
        taken: set[int] = set()
        for found in sorted(self._all(source), key=lambda found: found.rank):
            places = range(found.start, found.end)
            if taken.isdisjoint(places):
                taken.update(places)
                best.append(found)
        return sorted(best, key=lambda found: found.start)

    def _all(self, source: str) -> Iterator[Occurrence]:
        text = normalise(straightened(source), exact_case=True)
        # Folding may lengthen a character ("ß" to "ss"): remember the place of each in the text.
        pieces = [folded(character) for character in text]
        searched = "".join(pieces)
        place = [index for index, piece in enumerate(pieces) for _ in piece] + [len(text)]
        for start in range(len(searched)):
            if start and is_word_character(searched[start]) and is_word_character(searched[start - 1]):
                continue  # inside a word, where none begins
            for key, form in self._by_first_word.get(_first_word(searched, start), ()):
                end = start + len(key)
                if not searched.startswith(key, start) or _continues(searched, end):
                    continue
                if _cuts_number(form.phrase, searched, start, end):
                    continue
                written = text[place[start] : place[end]]
                if form.phrase.case == "exact" and written != normalise(form.phrase.text, exact_case=True):
                    continue
                yield Occurrence(place[start], place[end], written, form)


def _first_word(text: str, start: int) -> str:
    """Return the word at `start`, or the single character if it belongs to no word."""
    end = start
    while end < len(text) and is_word_character(text[end]):
        end += 1
    return text[start : max(end, start + 1)]


def _continues(text: str, end: int) -> bool:
    """Return whether a form that ends here ends inside a word."""
    return end < len(text) and is_word_character(text[end - 1]) and is_word_character(text[end])


def _cuts_number(phrase: Phrase, text: str, start: int, end: int) -> bool:
    """Return whether a number that the phrase needs whole goes on beyond this place of it."""
    left, right = phrase.number_edges
    before, inside, after = text[max(0, start - 2) : start], text[start:end], text[end : end + 2]
    return (left and number_goes_on(before, inside)) or (right and number_goes_on(inside, after))
