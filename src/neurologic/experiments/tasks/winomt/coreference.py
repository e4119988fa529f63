"""Find the gender of persons in a sentence: by gold labels, a coreference model's tags, or a function.

The file of tags, `coref.roberta.tagged`, has a line per sentence: the sentence in lower case, with <M> or <F>
after the noun to which the model resolved the pronoun. That may be another person than WinoMT asks about, or
no person at all ("out of the house <F>"); the gender of the right one is then unknown.

A user's own function has a name like "module:function". It takes a sentence and returns the genders that it
knows, by the place of a word of the person's noun: `{1: "female"}` for "The developer argued with the
designer because she …".
"""

from __future__ import annotations

import html
import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import text_lines
from neurologic.experiments.tasks.winomt.sentences import FEMALE, GENDERS, MALE, Sentence

GOLD, TAGS, FUNCTION = "gold", "coref", "function"

SOURCES: Mapping[str, str] = {
    GOLD: "the labels of the data",
    TAGS: "the tags of a coreference model, in coref.roberta.tagged",
    FUNCTION: "a function of yours, named by --resolver",
}

GenderByPlace: TypeAlias = Mapping[int, str]  # by the place of a word

_TAG = re.compile(r"<([MF])>")
_WORD = re.compile(r"\w+")
_GENDERS = {"M": MALE, "F": FEMALE}


def genders(
    data: str | Path, sentences: Sequence[Sentence], source: str, resolver: str = ""
) -> list[GenderByPlace]:
    """Return the known genders of each sentence, by one of `SOURCES`."""
    if source == GOLD:
        return [{sentence.place: sentence.gender} for sentence in sentences]
    if source == TAGS:
        return _from_tags(Path(data) / "coref.roberta.tagged", sentences)
    function = _imported(resolver)
    return [_resolved(function, sentence, resolver) for sentence in sentences]


def _from_tags(path: Path, sentences: Sequence[Sentence]) -> list[GenderByPlace]:
    lines = text_lines(path)
    if len(lines) != len(sentences):
        raise DataError(f"{path} has {len(lines)} lines for {len(sentences)} sentences")
    return [tagged(line, sentence.words) for line, sentence in zip(lines, sentences, strict=True)]


def tagged(line: str, words: Sequence[str]) -> GenderByPlace:
    """Return the place of the word before the first tag, with its gender.

    The line may separate punctuation that the sentence does not, so we count words without it. A tag inside
    of a word ("house <M>keeper") was meant for another word than this.

    >>> tagged("the writer &apos;s cook <F> left .", ["The", "writer's", "cook", "left."])
    {2: 'female'}
    """
    text = html.unescape(line)
    tag = _TAG.search(text)
    if tag is None:
        return {}
    before = _WORD.findall(text[: tag.start()])
    runs = [(place, run) for place, word in enumerate(words) for run in _WORD.findall(word)]
    if not before or len(before) > len(runs):
        return {}
    place, run = runs[len(before) - 1]
    return {place: _GENDERS[tag[1]]} if run.lower() == before[-1].lower() else {}


def _imported(name: str) -> Callable[[str], Any]:
    module, _, function = name.partition(":")
    if not module or not function:
        raise DataError(f"the resolver {name!r} names no function; write module:function")
    try:
        found: Any = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise DataError(f"cannot find the resolver {name}: {error}") from error
    if not callable(found):
        raise DataError(f"the resolver {name} is not a function")
    return found


def _resolved(resolver: Callable[[str], Any], sentence: Sentence, name: str) -> GenderByPlace:
    """Return the genders that a user's function gives for a sentence; raise `DataError` if it misbehaves."""
    text = sentence.text
    try:
        found = resolver(text)
    except Exception as error:
        raise DataError(f"the resolver {name} failed on {text!r}: {type(error).__name__}: {error}") from error
    if not isinstance(found, Mapping) or not all(
        isinstance(place, int) and 0 <= place < len(sentence.words) and gender in GENDERS
        for place, gender in found.items()
    ):
        raise DataError(
            f"the resolver {name} returned {found!r} for {text!r}; expected places of words with "
            f"one of {', '.join(GENDERS)}, as in {{1: 'female'}}"
        )
    return found
