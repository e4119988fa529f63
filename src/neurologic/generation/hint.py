"""Write the second prompt of a text: with a hint at the required phrases, or without naming them.

The formula alone does not tell the model what is coming, and a prompt that lists the words invites it to copy
the list. So the search reads two prompts (`search.two_prompts`): the user's own, and a twin that this module
writes.

- a chat prompt gets a twin with a hint, "… Use the words ceramic, lid and mug.", even if it names them
  itself: what only one way of asking brings about, such as a copied list, loses;
- a user who knows better gives the hint, or a plain prompt that names none of the phrases.

A hint names one phrase per clause, the first one. It names no forbidden phrase: that would suggest it.
Formulas that require nothing get no twin. The words are English; other languages need a hint of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from neurologic.generation.length_hint import length_hint
from neurologic.logic import Atom, Clause, Phrase, Predicate, is_true, to_clauses
from neurologic.logic.clauses import Literal, Node, clause_state
from neurologic.logic.predicates import Near, Order, UnitCount, choices
from neurologic.models.base import Prompt
from neurologic.search.settings import SearchSettings


@dataclass(frozen=True)
class TwinPrompt:
    """The twin of a prompt, and whether it is the one that names the required phrases."""

    prompt: Prompt
    has_hint: bool = True


def twin_prompt(
    prompt: Prompt,
    clauses: Sequence[Clause],
    settings: SearchSettings,
    *,
    plain_prompt: Prompt | None = None,
    is_chat: bool,
) -> TwinPrompt | None:
    """Return the twin of a prompt; None if the text is written after the prompt alone.

    plain_prompt  the user's own twin, which does not name the phrases
    is_chat       whether the model takes the prompt as an instruction, and not as a text to continue
    """
    required = [clause for clause in clauses if _is_owed(clause)]
    words = _words(required)
    lengths = length_hint(clauses)
    if settings.hint == "off" or not (words or lengths):
        return None
    if plain_prompt is not None:
        return TwinPrompt(plain_prompt, has_hint=False)
    if settings.hint != "auto":
        return TwinPrompt(
            _with_hint(prompt, settings.hint.replace("{words}", _listed(words) if words else ""))
        )
    if not is_chat:
        return None
    noun = "words" if len(words) > 1 else "word"
    told = [f"Use the {noun} {_listed(words)}."] if words else []
    return TwinPrompt(_with_hint(prompt, " ".join([*told, lengths] if lengths else told)))


def _is_owed(clause: Clause) -> bool:
    """Return whether an empty text leaves the clause unsatisfied."""
    return not clause_state(
        clause.root, lambda atom: isinstance(atom, Predicate) and is_true(atom, "")
    ).satisfied


def _words(required: Sequence[Clause]) -> list[str]:
    """Return the first phrase of every clause; phrases of token ids have no words.

    >>> from neurologic.logic import parse, to_clauses
    >>> _words(to_clauses(parse('inflect(dog) & (frisbee | "flying disc") & park[times=2]')))
    ['dog', 'frisbee', 'park (2 times)']
    """
    phrases = dict.fromkeys(phrase for clause in required for phrase in _first_phrases(clause.root))
    return [
        phrase.text if phrase.times == 1 else f"{phrase.text} ({phrase.times} times)" for phrase in phrases
    ]


def _listed(words: Sequence[str]) -> str:
    """Return words as an English enumeration.

    >>> _listed(["dog", "frisbee", "park"])
    'dog, frisbee and park'
    """
    return " and ".join([part for part in (", ".join(words[:-1]), words[-1]) if part])


def _first_phrases(node: Node) -> Iterator[Phrase]:
    """Yield the first positive phrases that together make the node true."""
    if isinstance(node, Literal):
        if node.positive:
            yield from _first_phrases_of_atom(node.atom)
        return
    ways = [way for part in node.parts if (way := list(_first_phrases(part)))]
    for way in ways[: node.needed]:
        yield from way


def _first_phrases_of_atom(atom: Atom) -> Iterator[Phrase]:
    """Yield the first phrases that together can make an atom true; of units and lengths there are none."""
    match atom:
        case Phrase(match=match):
            yield from [atom] if match != "tokens" else []
        case Order() | Near():
            yield from (choices(part)[0] for part in atom.operands)
        case UnitCount(notation="some", part=part):
            for clause in to_clauses(part):
                yield from _first_phrases(clause.root)


def _with_hint(prompt: Prompt, hint: str) -> Prompt:
    message = _last_message(prompt)
    return _with_last_message(prompt, message + ("" if not message or message[-1].isspace() else " ") + hint)


def _last_message(prompt: Prompt) -> str:
    """Return the text of a prompt: the last message of a conversation."""
    return prompt if isinstance(prompt, str) else prompt[-1]["content"]


def _with_last_message(prompt: Prompt, content: str) -> Prompt:
    if isinstance(prompt, str):
        return content
    last: Mapping[str, str] = {**prompt[-1], "content": content}
    return [*prompt[:-1], last]
