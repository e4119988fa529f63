"""Vectorised DBA: phrases in a trie, and two sorts that give every input of a batch its places."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from neurologic.decoders.phrase_trie import PhraseTrie
from neurologic.decoders.vdba import VectorisedBeamAllocation, places_in_turn
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.search.beam import Beam
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings
from toys import toy_vocabulary

WORDS = toy_vocabulary(" new", " york", " zealand", " the", " city")
NEW, YORK, ZEALAND, THE, CITY = range(1, 6)
# Likelihoods are eighths, exact in any precision; banks are few, so that there are many ties.
CANDIDATES = st.lists(
    st.tuples(st.integers(0, 3).map(float), st.integers(-40, 0).map(lambda eighths: eighths / 8)), max_size=12
)


def in_plain_python(candidates: list[tuple[float, float]]) -> list[int]:
    """One of each bank, the fullest bank first, then a second one of each, and so on."""
    banks: dict[float, list[int]] = {}
    for place in sorted(range(len(candidates)), key=lambda place: (-candidates[place][1], place)):
        banks.setdefault(candidates[place][0], []).append(place)
    rounds = max(map(len, banks.values()), default=0)
    return [
        banks[bank][number]
        for number in range(rounds)
        for bank in sorted(banks, reverse=True)
        if number < len(banks[bank])
    ]


@given(st.lists(CANDIDATES, max_size=5))
def test_two_sorts_give_every_input_the_turns_of_its_banks(batch: list[list[tuple[float, float]]]) -> None:
    assert places_in_turn(batch) == [in_plain_python(candidates) for candidates in batch]


def test_phrases_with_a_common_beginning_are_tracked_together() -> None:
    """After "new" both "york" and "zealand" go on, where a single tracker is inside of one phrase only."""
    constraint = compile_formula(parse('"new york" & "new zealand"'), WORDS)
    beam = Beam(constraint, SearchSettings(num_beams=1), rule=Rule.UNPLANNED)
    scores = torch.full((1, len(WORDS)), -20.0)
    scores[0, 0] = -torch.inf
    decoder = VectorisedBeamAllocation()
    new = next(one for one in decoder.propose([beam], ScoreMatrix.of(scores))[0] if one.token == NEW)
    beam.replace([beam.extended(new)])
    scores[0, THE] = -0.1
    banks = {one.token: one.score for one in decoder.propose([beam], ScoreMatrix.of(scores))[0]}
    assert banks[YORK] == banks[ZEALAND] == 2
    assert banks[NEW] == 1  # begun anew
    assert banks[THE] == 0  # left before its end


def test_a_trie_follows_several_phrases_at_once() -> None:
    """ "a b c" and "b d": after "a b" either may go on; when one is met, its branch is given up."""
    trie = PhraseTrie({0: (1, 2, 3), 1: (2, 4)})
    after_a = trie.advance((), 1, [0, 1])
    after_b = trie.advance(after_a, 2, [0, 1])
    assert trie.next_tokens(after_b, [0, 1]) == {1, 2, 3, 4}
    assert sorted(trie.progress(after_b)) == [(0, 2), (1, 1)]
    assert trie.next_tokens(after_b, [1]) == {2, 4}
    assert trie.advance(after_a, 2, [1]) == trie.advance((), 2, [1])
    assert trie.advance(after_b, 5, [0, 1]) == ()
    assert len(trie) == 3  # inside of "a b c" after one and two tokens, inside of "b d" after one
