from hypothesis import assume, given
from hypothesis import strategies as st

from logic.strategies import LETTERS
from neurologic.logic import ClauseState, Literal, clause_state, parse, to_clauses
from neurologic.logic.clause_trees import threshold
from random_cases import cases


def futures(occurred, phrases):
    """Every set of phrases that may have occurred later: phrases come, they never go."""
    missing = [phrase for phrase in phrases if phrase not in occurred]
    for bits in range(2 ** len(missing)):
        yield occurred | {phrase for i, phrase in enumerate(missing) if bits >> i & 1}


def truth(node, occurred):
    if isinstance(node, Literal):
        return (node.atom in occurred) == node.positive
    return sum(truth(part, occurred) for part in node.parts) >= node.needed


@st.composite
def clauses(draw):
    """Clauses that mention each phrase once, plain or counting."""
    phrases = draw(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=5, unique=True))
    literals = [Literal(phrase, draw(st.booleans())) for phrase in phrases]
    split = draw(st.integers(0, len(literals)))
    inner = threshold(draw(st.integers(1, max(split, 1))), literals[:split])
    outer = [inner, *literals[split:]]
    return threshold(draw(st.integers(1, len(outer))), outer)


@cases(400)
@given(clauses(), st.sets(st.sampled_from(LETTERS)))
def test_states_are_what_all_futures_say(root, occurred):
    assume(not isinstance(root, bool))
    now = truth(root, occurred)
    later = {truth(root, future) for future in futures(occurred, LETTERS)}
    expected = {
        (False, False): ClauseState.S1,
        (False, True): ClauseState.S2,
        (True, False): ClauseState.S3,
        (True, True): ClauseState.S4,
    }[now, later == {now}]
    assert clause_state(root, occurred.__contains__) is expected


def test_the_papers_transitions():
    (clause,) = to_clauses(parse("a | !b"))

    def state(*occurred):
        return clause_state(clause.root, lambda phrase: phrase.text in occurred)

    assert state() is ClauseState.S3
    assert state("b") is ClauseState.S1
    assert state("a") is state("a", "b") is ClauseState.S4
    (forbidden,) = to_clauses(parse("!b"))
    assert clause_state(forbidden.root, lambda phrase: True) is ClauseState.S2
