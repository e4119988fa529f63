"""A text as the detectors read it: its words, its lines, and the places of the required phrases.

Each view is made when a detector first asks for it, and only once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from neurologic.logic import Clause, Literal, Node, Phrase, Predicate, is_true
from neurologic.logic.spans import Span, spans

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_LINE = re.compile(r"[^\n]*\S[^\n]*")
_SENTENCE = re.compile(r"[^\s.!?…][^.!?…\n]*(?:[.!?…]++(?!\s|$|[\"'”’»)\]])[^.!?…\n]*)*")


class Word(NamedTuple):
    """A word and its place; `text` is in lower case, with straight apostrophes."""

    text: str
    start: int
    end: int


class PhrasePlace(NamedTuple):
    """The place of a required phrase; phrases that can stand in for each other have the same `item`."""

    start: int
    end: int
    item: int
    phrase: Phrase


class Reading:
    """A text, what was asked for, and how the text ended (`find_marks` explains the arguments)."""

    def __init__(
        self,
        text: str,
        clauses: Sequence[Clause],
        *,
        prompt: str = "",
        before: str = "",
        truncated: bool | None = None,
    ) -> None:
        self.text = text
        self.prompt = prompt
        self.before = before
        self.truncated = truncated
        self._clauses = clauses

    def allows(self, text: str) -> bool:
        """Return whether all predicates that the formula asks for by themselves hold of another text."""
        literals = (clause.root for clause in self._clauses if isinstance(clause.root, Literal))
        return all(
            is_true(literal.atom, text) == literal.positive
            for literal in literals
            if isinstance(literal.atom, Predicate)
        )

    @cached_property
    def words(self) -> list[Word]:
        return words_of(self.text)

    @cached_property
    def word_texts(self) -> list[str]:
        return [word.text for word in self.words]

    @cached_property
    def lines(self) -> list[Span]:
        """The lines that are not blank."""
        return [match.span() for match in _LINE.finditer(self.text)]

    @cached_property
    def line_words(self) -> list[Span]:
        """The same lines, as numbers of their first word and of the word after them."""
        return numbers_of_words(self.words, self.lines)

    @cached_property
    def sentence_words(self) -> list[Span]:
        """The sentences, as numbers of their first word and of the word after them."""
        return numbers_of_words(self.words, sentences_of(self.text))

    @cached_property
    def items(self) -> list[tuple[Phrase, ...]]:
        """What is required: each item is one phrase, or several of which one is enough."""
        # A formula may forbid thousands of phrases: pass over them first, as fast as possible.
        roots = [clause.root for clause in self._clauses]
        required = [root for root in roots if not isinstance(root, Literal) or root.positive]
        return list(dict.fromkeys(item for root in required for item in _items(root)))

    @cached_property
    def phrase_places(self) -> list[PhrasePlace]:
        """The places of required phrases in order; of places that overlap, the first and longest."""
        places = []
        seen: set[Phrase] = set()
        for number, item in enumerate(self.items):
            for phrase in item:
                if phrase not in seen:
                    seen.add(phrase)
                    found = spans(phrase, self.text, before=self.before)
                    places += [PhrasePlace(start, end, number, phrase) for start, end in found]
        places.sort(key=lambda place: (place.start, -place.end))
        kept: list[PhrasePlace] = []
        for place in places:
            if not kept or place.start >= kept[-1].end:
                kept.append(place)
        return kept

    @cached_property
    def required_words(self) -> frozenset[int]:
        """The numbers of the words that belong to a required phrase."""
        numbers = set()
        places = iter(self.phrase_places)
        place = next(places, None)
        for number, word in enumerate(self.words):
            while place is not None and place.end <= word.start:
                place = next(places, None)
            if place is not None and place.start < word.end:
                numbers.add(number)
        return frozenset(numbers)

    def is_required(self, start: int, end: int) -> bool:
        """Return whether a required phrase covers this stretch of the text."""
        return any(place.start <= start and end <= place.end for place in self.phrase_places)


def words_of(text: str) -> list[Word]:
    """Return the words of a text; apostrophes and hyphens inside belong to them.

    >>> [word.text for word in words_of("Anna’s well-known Café")]
    ["anna's", 'well-known', 'café']
    """
    return [
        Word(match[0].lower().replace("’", "'"), match.start(), match.end()) for match in _WORD.finditer(text)
    ]


def sentences_of(text: str) -> list[Span]:
    """Return the places of the sentences without their final punctuation; a line break ends one too.

    >>> text = "It costs 3.50 here. Why? No idea"
    >>> [text[start:end] for start, end in sentences_of(text)]
    ['It costs 3.50 here', 'Why', 'No idea']
    """
    return [match.span() for match in _SENTENCE.finditer(text)]


def numbers_of_words(words: Sequence[Word], places: Iterable[Span]) -> list[Span]:
    """Return places, which are in order, as numbers of their first word and of the word after them."""
    found = []
    number = 0
    for start, end in places:
        while number < len(words) and words[number].start < start:
            number += 1
        first = number
        while number < len(words) and words[number].end <= end:
            number += 1
        found.append((first, number))
    return found


def is_name(text: str, word: Word) -> bool:
    """Return whether a word has a digit, or a capital that its place in a sentence does not explain.

    >>> text = "Two days in Geneva, 2024. The iPhone"
    >>> [text[word.start : word.end] for word in words_of(text) if is_name(text, word)]
    ['Geneva', '2024', 'iPhone']
    """
    written = text[word.start : word.end]
    if any(character.isdigit() for character in written):
        return True
    if written.islower() or word.text.split("'")[0] == "i":
        return False
    if not written[1:].islower() and len(written) > 1:
        return True
    before = text[max(0, word.start - 4) : word.start].rstrip(" ")[-1:]
    return written[0].isupper() and (before.isalnum() or before in (",", ";", "&", "-"))


def _items(node: Node) -> list[tuple[Phrase, ...]]:
    """Return the items that a clause requires: one if any of its phrases is enough, else several."""
    if isinstance(node, Literal):
        return [(node.atom,)] if node.positive and isinstance(node.atom, Phrase) else []
    items = [item for part in node.parts for item in _items(part)]
    if node.needed > 1 or not items:
        return items
    return [tuple(phrase for item in items for phrase in item)]
