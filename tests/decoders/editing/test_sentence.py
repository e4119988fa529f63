from __future__ import annotations

import pytest

from neurologic.decoders.editing.sentence import Keywords, gap, hole_of
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.matching.vocabulary import TokenIds
from toys import toy_vocabulary

PIECES = (" dog", "s", " ice", " cream", " the", "Dog", " d", "og", "é".encode()[:1], "é".encode()[1:])
VOCABULARY = toy_vocabulary(*PIECES)
DOG, S, ICE, CREAM, THE, CAPITAL_DOG, D, OG, FIRST_BYTE, SECOND_BYTE = range(1, 11)


def keywords(formula: str, limit: int = 10) -> Keywords:
    constraint = compile_formula(parse(formula), VOCABULARY)
    return Keywords(constraint, "", limit, (1 << len(constraint.phrases)) - 1)


@pytest.mark.parametrize(
    ("tokens", "allowed"),
    [
        ((THE, DOG), True),
        ((THE, D, OG), True),  # another segmentation is the same word
        ((CAPITAL_DOG,), True),
        ((THE, DOG, S), False),  # "dogs" is another word
        ((THE,), False),
        ((), False),
        ((THE, DOG, FIRST_BYTE), False),  # half a character
        ((THE, DOG, FIRST_BYTE, SECOND_BYTE), False),  # "dogé"
        ((THE, DOG, THE, FIRST_BYTE, SECOND_BYTE), True),
        ((THE, DOG, 0), False),  # an end token inside
    ],
)
def test_a_keyword_is_protected_in_the_text(tokens: TokenIds, allowed: bool) -> None:
    assert keywords("dog").allow(tokens) is allowed


def test_a_phrase_of_two_words_is_one_unit() -> None:
    both = keywords('"ice cream"')
    assert both.allow((ICE, CREAM))
    assert both.free_places((THE, ICE, CREAM)) == [0]
    assert list(both.fillings(gap((ICE, CREAM), 1), iter((THE, DOG)))) == []
    assert list(both.fillings(gap((ICE, CREAM), 2), iter((THE, S, DOG)))) == [THE, DOG]


def test_the_second_copy_of_a_keyword_frees_the_first() -> None:
    assert keywords("dog").free_places((DOG, THE)) == [1]
    assert keywords("dog").free_places((DOG, THE, DOG)) == [0, 1, 2]


def test_the_limit_counts_the_end_token() -> None:
    assert keywords("dog", limit=3).allow((THE, DOG))
    assert not keywords("dog", limit=2).allow((THE, DOG))


def test_without_keywords_a_sentence_keeps_one_token() -> None:
    free = Keywords(compile_formula(None, VOCABULARY), "", 10)
    assert free.free_places((THE, DOG)) == [0, 1]
    assert free.free_places((THE,)) == []


def test_a_raw_prompt_that_ends_inside_a_word_goes_on_with_it() -> None:
    after_hot = Keywords(keywords("dog").constraint, "hot", 10, 1)
    assert not after_hot.allow((CAPITAL_DOG,))
    assert after_hot.allow((DOG,))


def test_holes_and_gaps() -> None:
    assert hole_of((1, 2, 3), 1).filled(9) == (1, 9, 3)
    assert hole_of((1, 2, 3), 1).closed == (1, 3)
    assert gap((1, 2), 2).filled(9) == (1, 2, 9)
