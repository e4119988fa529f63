"""Find an echo: the text repeats a run of the prompt.

Some words of the prompt have to be said as they are: required phrases, names and numbers. They may be part of
a run, but do not count. An echo is a run of six words that count, or a whole sentence of the prompt. Shorter
runs are how people answer: "You can save money each month by …".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, takewhile
from typing import NamedTuple

from neurologic.logic.spans import Span
from neurologic.marks.reading import Reading, Word, is_name, numbers_of_words, sentences_of, words_of

_LONG = 6  # words that count in a run
_SENTENCE = 5  # words in a sentence of the prompt
_OWN_IN_SENTENCE = 4  # words that count in it
_GRAM = 3  # words by which runs are found
# A text and a prompt that both repeat one word without end must not take for ever.
_PLACES = 8  # of the same three words in the prompt
_LONGEST = 80  # words in a run


class _Run(NamedTuple):
    """Words in common: where they start in the text and in the prompt, as numbers of words."""

    in_text: int
    in_prompt: int
    length: int


def find(reading: Reading) -> str | None:
    """Return the first echo of the prompt in a text.

    >>> find(Reading("How can I save money? By spending less.", (), prompt="How can I save money?"))
    'How can I save money'
    """
    words = reading.words
    prompt = words_of(reading.prompt)
    if len(words) < _SENTENCE or len(prompt) < _SENTENCE:
        return None
    sentences = numbers_of_words(prompt, sentences_of(reading.prompt))
    for run in _common_runs(words, prompt):
        counts = [
            run.in_text + step not in reading.required_words
            and not is_name(reading.prompt, prompt[run.in_prompt + step])
            for step in range(run.length)
        ]
        if sum(counts) >= _LONG or _holds_sentence(run, counts, sentences):
            return reading.text[words[run.in_text].start : words[run.in_text + run.length - 1].end]
    return None


def _common_runs(words: list[Word], prompt: list[Word]) -> Iterator[_Run]:
    """Yield the longest runs of words that text and prompt have in common."""
    ours, theirs = [word.text for word in words], [word.text for word in prompt]
    places: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(theirs) - _GRAM + 1):
        found = places.setdefault(tuple(theirs[place : place + _GRAM]), [])
        if len(found) < _PLACES:
            found.append(place)
    for start in range(len(ours) - _GRAM + 1):
        for place in places.get(tuple(ours[start : start + _GRAM]), ()):
            if start and place and ours[start - 1] == theirs[place - 1]:
                continue  # inside of a run that is known already
            pairs = zip(ours[start : start + _LONGEST], theirs[place : place + _LONGEST], strict=False)
            yield _Run(start, place, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _holds_sentence(run: _Run, counts: list[bool], sentences: list[Span]) -> bool:
    """Return whether the run holds a whole sentence of the prompt that has enough words of its own."""
    counted = [0, *accumulate(counts)]
    end = run.in_prompt + run.length
    return any(
        run.in_prompt <= first
        and first + _SENTENCE <= last <= end
        and counted[last - run.in_prompt] - counted[first - run.in_prompt] >= _OWN_IN_SENTENCE
        for first, last in sentences
    )
