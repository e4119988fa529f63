"""The tokens with which a text pays when it has to: as the user wrote them, where a word can stand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.logic.sentences import ends_sentence
from neurologic.matching.advancing_tokens import as_written
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.hypothesis import Hypothesis

# Three words or more, from a capital to a full stop.
_SENTENCE = re.compile(rb"\s*[\"']?[A-Z][^\s.!?]*(?:\s[^\s.!?]+){2,}[.!?]")


class Owed(NamedTuple):
    """The tokens a row may still take; empty means any.

    forced    whether the budget leaves no others. False when the formula alone forces the token: a phrase
              that may not be started twice must be finished now.
    can_wait  whether the plan still fits after any token that pays nothing, so that the guarantee does not
              need its first token now
    """

    tokens: tuple[int, ...] = ()
    forced: bool = False
    can_wait: bool = False


def paying_tokens(
    constraint: CompiledConstraint,
    hypothesis: Hypothesis,
    wanted: int,
    plan: TokenIds,
    *,
    opens: bool,
    in_time: Callable[[int], bool],
) -> TokenIds:
    """Return the tokens that begin or continue a wanted phrase after a text, and the first one of its plan.

    Where a sentence opens, the plan's first token is left out if it has no capital and others in time have.

    opens    whether a sentence opens after the text
    in_time  whether what is owed can still be paid after a token
    """
    state, matcher, pieces = hypothesis.state, constraint.matcher, constraint.vocabulary.pieces
    if b"".join(pieces[token] or b"" for token in plan[:2]).lstrip(b" ").startswith(b"\n"):
        return plan[:1]  # what is owed has to be in the next line
    advancing = constraint.advancing(state, wanted)
    # Force words as the user wrote them: " Uppsala" and not " uppsala".
    advancing = as_written(matcher, state, advancing, wanted, hypothesis.text, opens=opens) or advancing
    if not constraint.matched_fraction(state, wanted):
        # Begin a phrase with a space before it where possible: " tree" and not ".tree", but not two spaces.
        is_apart = hypothesis.text[-1:].isspace()
        well = tuple(token for token in advancing if (pieces[token] or b"")[:1].isspace() != is_apart)
        follows_directly = bool(plan) and not (pieces[plan[0]] or b"")[:1].isspace()
        advancing = advancing if follows_directly and not is_apart else well or advancing
        if opens and plan and not _is_capital(pieces[plan[0]]):
            capitals = tuple(token for token in advancing if _is_capital(pieces[token]) and in_time(token))
            if capitals:
                return capitals
    return tuple(sorted({*advancing, *plan[:1]}))


def _is_capital(piece: bytes | None) -> bool:
    """Return whether a piece begins a word with a capital, or has no letter that could be one.

    >>> _is_capital(b" Shelf"), _is_capital(b" shelf"), _is_capital(b" 12")
    (True, False, True)
    """
    word = (piece or b"").decode(errors="ignore").strip()
    return word[:1] == word[:1].upper()


def opens_part(plan: bytes) -> bool:
    r"""Return whether a plan begins with a line break or a whole sentence: no text for the middle of one.

    >>> opens_part(b"\n\n P.S."), opens_part(b" It was late."), opens_part(b" P.S."), opens_part(b" lid")
    (True, True, False, False)
    """
    return plan.lstrip(b" ").startswith(b"\n") or _SENTENCE.match(plan) is not None


def opens_sentence(before: str, text: bytes) -> bool:
    """Return whether a sentence opens after a text, which itself follows the text before it."""
    end = before + text[-80:].decode(errors="ignore")
    return not end.strip() or ends_sentence(end)
