from __future__ import annotations

import random
from itertools import islice

import pytest
import torch

from decoders.editing.tiny import ToyScorer
from neurologic.decoders.editing.sentence import Keywords
from neurologic.decoders.editing.start_sentences import starting_sentence, starting_sentences
from neurologic.errors import UnsatisfiedWarning
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.matching.vocabulary import TokenIds
from toys import toy_vocabulary

VOCABULARY = toy_vocabulary(" dog", " ran", " home", "dog", "Dog", "<x>")


def keywords(formula: str | None, limit: int = 10) -> Keywords:
    return Keywords(compile_formula(None if formula is None else parse(formula), VOCABULARY), "", limit)


def scorer_that_likes(*liked: int) -> ToyScorer:
    def logits_of(tokens: TokenIds) -> torch.Tensor:
        return torch.tensor([float(token in liked) for token in range(len(VOCABULARY))])

    return ToyScorer(VOCABULARY, logits_of)


@pytest.mark.parametrize(
    ("liked", "text"), [(1, b" dog ran home"), (4, b"dog ran home"), (5, b"Dog ran home")]
)
def test_the_first_keyword_is_written_as_the_model_likes_it(liked: int, text: bytes) -> None:
    start = starting_sentence(scorer_that_likes(liked), keywords("dog & ran & home"), (0, 1, 2))
    assert VOCABULARY.decode(start.tokens) == text


def test_further_starts_are_the_other_orders_each_once() -> None:
    starts = starting_sentences(scorer_that_likes(1), keywords("dog & ran & home"), random.Random(0))
    texts = [VOCABULARY.decode(start.tokens) for start in starts]
    assert texts[0] == b" dog ran home"
    assert len(set(texts)) == len(texts) == 6


def test_the_same_chance_gives_the_same_orders() -> None:
    def first_three(seed: int) -> list[TokenIds]:
        starts = starting_sentences(scorer_that_likes(1), keywords("dog & ran & home"), random.Random(seed))
        return [start.tokens for start in islice(starts, 3)]

    assert first_three(4) == first_three(4)
    assert len({tuple(first_three(seed)) for seed in range(8)}) > 1


def test_without_keywords_the_likeliest_token_that_is_text_starts() -> None:
    starts = starting_sentences(scorer_that_likes(0, 3), keywords(None), random.Random(0))
    assert [start.tokens for start in starts] == [(3,)]


def test_keywords_that_do_not_fit_are_left_out_with_a_warning() -> None:
    with pytest.warns(UnsatisfiedWarning, match="within 3 tokens"):
        starts = list(
            starting_sentences(scorer_that_likes(1), keywords("dog & ran & home", 3), random.Random(0))
        )
    assert [VOCABULARY.decode(start.tokens) for start in starts] == [b" dog ran"]
