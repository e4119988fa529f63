"""Words, distinct-n and rep-n, by examples counted by hand."""

import pytest

from neurologic.experiments.runs.diversity import FUNCTION_WORDS, distinct, ngrams, repetition, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A Dog runs.", ["a", "dog", "runs"]),
        ("the kids’ room, the kid's", ["the", "kids", "room", "the", "kid", "'s"]),
        ("don't – stop --- 3,5", ["don't", "stop", "3", "5"]),
        ("un cafe\u0301", ["un", "café"]),
        ("黒猫 ok", ["黒", "猫", "ok"]),
        ("हिन्दी", ["हिन्दी"]),
        (" ... ", []),
    ],
)
def test_words(text, found):
    assert words(text) == found


def test_ngrams_stay_inside_the_text():
    assert ngrams(["a", "b", "c"], 2) == [("a", "b"), ("b", "c")]
    assert ngrams(["a"], 2) == []


def test_distinct_counts_over_all_texts_together():
    texts = ["the dog and the cat", "The dog!"]  # 7 words, 4 different; 5 pairs, 4 different
    assert distinct(texts, 1) == pytest.approx(4 / 7)
    assert distinct(texts, 2) == pytest.approx(4 / 5)


def test_distinct_of_nothing_is_nothing():
    assert distinct([], 1) is None
    assert distinct(["one", "two"], 2) is None


def test_repetition_is_that_of_one_text():
    text = "a dog and a dog and a cat"  # pairs: 7, of which a-dog, dog-and, and-a, a-cat differ
    assert repetition(text, 2) == pytest.approx(1 - 4 / 7)
    assert repetition(text, 1, FUNCTION_WORDS) == pytest.approx(1 - 2 / 3)  # dog dog cat


def test_what_is_too_short_repeats_nothing():
    assert repetition("", 1) == 0
    assert repetition("dog", 2) == 0
    assert repetition("the the", 1, FUNCTION_WORDS) == 0
