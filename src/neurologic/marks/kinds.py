"""All kinds of marks in their fixed order, and the search for them in a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neurologic.logic import Clause
from neurologic.marks import clump, cut_off, echo, phrase_list, repetition, task_talk, wrong_case
from neurologic.marks.reading import Reading

_SHOWN = 60  # characters of an excerpt


@dataclass(frozen=True)
class Mark:
    """A fault that a text shows.

    kind     its name, one of `MARKS`
    excerpt  where the text shows it, as written; "" for a text that is cut off
    """

    kind: str
    excerpt: str = ""

    def __str__(self) -> str:
        """Return the kind and a short excerpt on one line, for people."""
        excerpt = " ".join(self.excerpt.split())
        if not excerpt:
            return self.kind
        return f'{self.kind} ("{excerpt if len(excerpt) <= _SHOWN else excerpt[:_SHOWN].rstrip() + "…"}")'


@dataclass(frozen=True)
class Kind:
    """A kind of mark.

    name         as in `Mark.kind`
    description  the fault, in one line
    find         returns the excerpt of a text that shows it, None if the text does not
    """

    name: str
    description: str
    find: Callable[[Reading], str | None]


MARKS = (
    Kind("list", "required phrases in a row, joined by commas", phrase_list.find),
    Kind("clump", "three required phrases with nothing between them", clump.find),
    Kind("echo", "a run of the prompt, beyond the required phrases", echo.find),
    Kind("repetition", "the same words again", repetition.find),
    Kind("cut off", "an end in the middle of a sentence, or at a limit", cut_off.find),
    Kind("talk about the task", "words about the text, the prompt or the model", task_talk.find),
    Kind("wrong case", "capitals where none belong, or none where they do", wrong_case.find),
)


def find_marks(
    text: str, clauses: Sequence[Clause], *, prompt: str = "", before: str = "", truncated: bool | None = None
) -> tuple[Mark, ...]:
    """Return the marks of a text, at most one of a kind, in the order of `MARKS`.

    clauses    those of the formula; the phrases of their positive literals are the required ones
    prompt     what the user asked for, to find echoes of it
    before     the text directly before, if the text continues a raw prompt
    truncated  whether a limit ended the text; None if that is unknown

    >>> from neurologic.logic import parse, to_clauses
    >>> clauses = to_clauses(parse("soft & washable & Ireland"))
    >>> [str(mark) for mark in find_marks("Soft, washable and Ireland. A blanket for", clauses)]
    ['list ("Soft, washable and Ireland")', 'cut off']
    """
    reading = Reading(text, clauses, prompt=prompt, before=before, truncated=truncated)
    found = ((kind.name, kind.find(reading)) for kind in MARKS)
    return tuple(Mark(name, excerpt) for name, excerpt in found if excerpt is not None)
