"""Find repetition: the same words again, directly or soon after.

Good prose repeats its things ("the old lighthouse", "a cup of tea") and common turns ("at the end of the"),
poems repeat lines, recipes measures. So each rule asks for more than that:

- in a row: a word or a turn of up to three words three times, or four words twice;
- a line twice in a row, or most lines of a text;
- within 40 words: a sentence of four words or more twice, or five words that are more than a thing; within
  one sentence four of them;
- within 120 words: six words twice of which three are no function words, or eight of any kind; or three
  words that are more than a thing three times.

Required phrases, names and numbers do not count. Short lines (verse, lists) follow the rules for lines only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from neurologic.logic.spans import Span
from neurologic.marks.function_words import DETERMINERS, FUNCTION_WORDS
from neurologic.marks.reading import Reading, is_name

_NEAR = 120  # words
_NEXT = 40  # words
_LONG = 6  # words in a run
_VERY_LONG = 8
_GRAM = 3  # words by which runs are found
_PROSE = 10  # a longer line is prose
_SENTENCE = 4  # words
_DISTINCT_LINES = 0.6  # share, in a text of at least four lines

# People do say these three times.
_CALLS = frozenset(("ha", "hee", "heh", "ho", "la", "na", "no", "yes", "bye", "knock", "tick", "blah"))


class _Run(NamedTuple):
    """Words that are said twice: where, as numbers of words, and how many."""

    first: int
    second: int
    length: int

    def without_overlap(self) -> _Run:
        return self._replace(length=min(self.length, self.second - self.first))


def find(reading: Reading) -> str | None:
    """Return the words that a text repeats.

    >>> find(Reading("It is a work of art, a work of art.", ()))
    'a work of art'
    """
    texts = reading.word_texts
    grams = list(zip(texts, texts[1:], texts[2:], strict=False))
    rules = [_stutter, _line_again, _sentence_again, _run_again, _three_times]
    if len(set(grams)) == len(grams):
        del rules[1:]  # no three words come again, so no line, sentence or run does
    for rule in rules:
        if (found := rule(reading)) is not None:
            first, end = found
            return reading.text[reading.words[first].start : reading.words[end - 1].end]
    return None


def _stutter(reading: Reading) -> Span | None:
    """Find one to three words that follow each other three times."""
    words = reading.word_texts
    for period in (1, 2, 3):
        same = 0
        for place in range(period, len(words)):
            same = same + 1 if words[place] == words[place - period] else 0
            if same == 2 * period and not _may_stutter(words[place - period + 1 : place + 1]):
                return place - 3 * period + 1, place + 1
    return None


def _may_stutter(unit: list[str]) -> bool:
    """Return whether people say it: "no, no, no", "2 2 2", "on and on and on and on"."""
    return all(word in _CALLS or word.isdigit() for word in unit) or (len(unit) == 2 and "and" in unit)


def _line_again(reading: Reading) -> Span | None:
    """Find a short line that follows itself, or one of many that come again."""
    lines = [
        line for line in reading.line_words if line[1] - line[0] >= _GRAM and not _is_prose(reading, line)
    ]
    texts = [tuple(reading.word_texts[start:end]) for start, end in lines]
    for line, words, following in zip(lines, texts, texts[1:], strict=False):
        if words == following:
            return line
    counts = Counter(texts)
    if len(lines) >= 4 and len(counts) < _DISTINCT_LINES * len(lines):
        return next(line for line, words in zip(lines, texts, strict=True) if counts[words] > 1)
    return None


def _sentence_again(reading: Reading) -> Span | None:
    """Find a sentence of prose that comes twice."""
    prose = {place for line in _prose(reading) for place in range(*line)}
    last: dict[tuple[str, ...], int] = {}
    for start, end in reading.sentence_words:
        words = tuple(reading.word_texts[start:end])
        if end - start < _SENTENCE or start not in prose:
            continue
        if words in last and (end - start >= _LONG or start - last[words] <= _NEXT):
            return start, end
        last[words] = start
    return None


def _run_again(reading: Reading) -> Span | None:
    """Find a run of words that follows itself, or, in prose, comes again soon."""
    for line in reading.line_words:
        for run in _runs(reading, [line]):
            if _follows_itself(reading, run):
                return run.first, run.first + run.length
    for run in _runs(reading, _prose(reading)):
        if _is_too_much(reading, run):
            return run.first, run.first + run.length
    return None


def _three_times(reading: Reading) -> Span | None:
    """Find three words of prose that come three times; a mere thing may come three times, not four."""
    places: dict[tuple[str, ...], list[int]] = {}
    for start, end in _prose(reading):
        for place in range(start, end - _GRAM + 1):
            places.setdefault(tuple(reading.word_texts[place : place + _GRAM]), []).append(place)
    for words, found in places.items():
        if len(found) < 3 or _content(words) < 2:
            continue
        times = 4 if _is_thing(words) else 3
        near = any(last - first <= _NEAR for first, last in zip(found, found[times - 1 :], strict=False))
        if near and _counted(reading, found[0], _GRAM) == _GRAM:
            return found[0], found[0] + _GRAM
    return None


def _runs(reading: Reading, lines: list[Span]) -> Iterator[_Run]:
    """Yield the runs of words in some lines that came before in them, with the last place where they came."""
    last: dict[tuple[str, ...], int] = {}
    for start, end in lines:
        run: _Run | None = None
        for place in range(start, end - _GRAM + 1):
            gram = tuple(reading.word_texts[place : place + _GRAM])
            before = last.get(gram)
            last[gram] = place
            if run is not None and before == run.first + run.length - _GRAM + 1:
                run = run._replace(length=run.length + 1)
                continue
            if run is not None:
                yield run.without_overlap()
            run = None if before is None else _Run(before, place, _GRAM)
        if run is not None:
            yield run.without_overlap()


def _follows_itself(reading: Reading, run: _Run) -> bool:
    """Return whether four words or more follow themselves, perhaps after an "and"."""
    gap = reading.word_texts[run.first + run.length : run.second]
    return run.length >= 4 and gap in ([], ["and"], ["or"])


def _is_too_much(reading: Reading, run: _Run) -> bool:
    """Return whether a run that comes twice is more than a thing or a common turn."""
    if run.length < 4 or run.second - run.first > _NEAR:
        return False
    words = tuple(reading.word_texts[run.first : run.first + run.length])
    counted, content = _counted(reading, run.first, run.length), _content(words)
    if counted >= _LONG and (content >= 3 or (counted >= _VERY_LONG and content)):
        return True
    if _is_thing(words):
        return False
    return (counted >= 5 and content >= 3 and run.second - run.first <= _NEXT) or (
        counted >= 4
        and content >= 2
        and any(start <= run.first and run.second < end for start, end in reading.sentence_words)
    )


def _is_thing(words: tuple[str, ...]) -> bool:
    """Return whether the words name a thing: "the old lighthouse", "in a cup of hot tea"."""
    inner = list(words)
    while inner and inner[0] in FUNCTION_WORDS:
        inner.pop(0)
    while inner and inner[-1] in FUNCTION_WORDS:
        inner.pop()
    joined = all(word in ("of", "and") for word in inner if word in FUNCTION_WORDS - DETERMINERS)
    return joined and all(before in ("of", "and") for before, word in pairwise(inner) if word in DETERMINERS)


def _content(words: tuple[str, ...]) -> int:
    return sum(word not in FUNCTION_WORDS for word in words)


def _counted(reading: Reading, start: int, length: int) -> int:
    """Return how many words are neither required nor a name nor a number."""
    return sum(
        place not in reading.required_words and not is_name(reading.text, reading.words[place])
        for place in range(start, start + length)
    )


def _prose(reading: Reading) -> list[Span]:
    return [line for line in reading.line_words if _is_prose(reading, line)]


def _is_prose(reading: Reading, line: Span) -> bool:
    return line[1] - line[0] > _PROSE or len(reading.lines) == 1
