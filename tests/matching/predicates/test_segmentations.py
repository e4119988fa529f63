"""Predicates see the same text in every segmentation, byte by byte included."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from neurologic.feasibility.compiled_constraint import compile_clauses
from neurologic.logic import Formula, parse, to_clauses
from neurologic.logic.specification import holds
from neurologic.matching.matcher import DEAD
from random_cases import cases
from random_predicates import predicates
from toys import toy_vocabulary

CHARACTERS = "abA 1.!\n\r\r\n'-,漢ßé\u0301\u0323e\u0338=\u2028"
EVERY_BYTE = toy_vocabulary(*(bytes([byte]) for byte in range(256)), *("ab", " a", "b.", "\r\n", ". ", "é"))


def segmented(data: st.DataObject, text: str) -> list[int]:
    """Draw a segmentation of a text into tokens."""
    left, tokens = text.encode(), []
    while left:
        fitting = [piece for piece in EVERY_BYTE.token_of if left.startswith(piece)]
        piece = data.draw(st.sampled_from(sorted(fitting)))
        tokens.append(EVERY_BYTE.token_of[piece])
        left = left[len(piece) :]
    return tokens


@cases(200)
@given(predicates(), st.text(CHARACTERS, max_size=8), st.data())
def test_every_segmentation_gives_the_verdict_of_the_specification(
    predicate: Formula, text: str, data: st.DataObject
) -> None:
    clauses = to_clauses(predicate)
    assume(clauses)
    constraint = compile_clauses(clauses, EVERY_BYTE)
    state, found = constraint.matcher.start(), 0
    for token in segmented(data, text):
        state, more = constraint.matcher.step(state, token)
        assume(state != DEAD)  # the text leaves NFC where it matters: never written
        found |= more
    satisfied = not constraint.tracker.at_end(constraint.present(state, found)).unsatisfied
    assert satisfied == holds(predicate, text), (str(predicate), text)


def test_the_states_of_clauses_are_those_of_the_paper() -> None:
    clauses = to_clauses(parse("order(a, b) & words(..2) & ends(b)"))
    constraint = compile_clauses(clauses, EVERY_BYTE)

    def states(text: str) -> str:
        tokens = tuple(byte + 1 for byte in text.encode())
        after = constraint.matcher.read(constraint.matcher.start(), tokens)
        assert after is not None
        matcher = constraint.matcher
        listed = constraint.tracker.states(after[1], matcher.provisional(after[0]), matcher.verdict(after[0]))
        return " ".join(state.name for state in listed)

    assert states("") == "S1 S3 S1"
    assert states("a b") == "S3 S3 S3"  # "b" may still become "bad"
    assert states("a b ") == "S4 S3 S3"
    assert states("a b, it") == "S4 S2 S1"
