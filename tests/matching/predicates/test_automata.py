"""The automata of predicates agree with `holds` on every text, and know exactly what can still change."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from neurologic.logic import Formula, parse
from neurologic.logic.specification import holds
from neurologic.logic.units import canonical
from neurologic.matching.predicates.build import machine_of
from neurologic.matching.predicates.text_automaton import _LOOKED_AT, TextAutomaton
from random_cases import cases
from random_predicates import predicates

# What the predicates of `random_predicates` tell apart, and a few that Unicode has in store.
CHARACTERS = "aabbA  1..!?'-\n\n,)\"_漢ßé\x85\t#"


@cases(600)
@given(predicates(), st.text(CHARACTERS, max_size=9))
def test_automata_agree_with_the_specification_after_every_prefix(predicate: Formula, text: str) -> None:
    automaton = TextAutomaton(machine_of(predicate))
    state = automaton.start
    for end in range(len(text) + 1):
        assert automaton.holds(state) == holds(predicate, text[:end]), (str(predicate), text[:end])
        if end < len(text):
            state = automaton.step(state, text[end])


def test_an_exception_that_has_ended_excepts_nothing_after_it() -> None:
    """In "abab" the first b is inside of "aba", the second is not."""
    predicate = parse("near(0, b[match=substring], b[match=substring, unless=aba])")
    automaton = TextAutomaton(machine_of(predicate))
    for length in range(7):
        for text in map("".join, product("ab ", repeat=length)):
            assert automaton.holds(automaton.read(automaton.start, text)) == holds(predicate, text), text
    assert holds(predicate, "abab")


@cases(100)
@given(predicates(), st.text("aab 1.\n'", max_size=6))
def test_no_continuation_surprises(predicate: Formula, text: str) -> None:
    automaton = TextAutomaton(machine_of(predicate))
    now = holds(predicate, text)
    can_change = automaton.can_change(automaton.read(automaton.start, text))
    if not can_change:
        for length in range(1, 4):
            for more in product("ab1 .\n-x", repeat=length):
                assert holds(predicate, text + "".join(more)) == now, (str(predicate), text, more)


@cases(200)
@given(predicates(), st.text("aab 1.\n'", max_size=6))
def test_what_can_change_does_by_some_continuation(predicate: Formula, text: str) -> None:
    automaton = TextAutomaton(machine_of(predicate))
    state = automaton.read(automaton.start, text)
    value = holds(predicate, text)
    if automaton.can_change(state):
        more = automaton.way(state, not value)
        if more is None:  # there is one, but too many states are nearer
            assert len(automaton) > _LOOKED_AT
        else:
            assert holds(predicate, canonical(text + more)) != value
