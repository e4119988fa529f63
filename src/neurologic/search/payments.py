"""The tokens with which a text pays when it has to: as the user wrote them, where a word can stand."""

from __future__ import annotations

import re
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
    constraint: CompiledConstraint, hypothesis: Hypothesis, wanted: int, plan: TokenIds, *, opens: bool
) -> TokenIds:
    """Return the tokens that begin or continue a wanted phrase after a text, and the first one of its plan.

    opens  whether a sentence opens after the text
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
    return tuple(sorted({*advancing, *plan[:1]}))


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
