"""CIDEr against vectors written out by hand."""

import math

import pytest

from neurologic.experiments.metrics import Cider, corpus, measure

pytest.importorskip("spacy")
pytest.importorskip("pycocoevalcap")


def cider(outputs, references):
    return measure(Cider(), corpus(outputs, references))


def test_a_text_that_is_its_only_reference_has_100():
    score = cider(["a dog runs fast", "two cats sleep here"], [["a dog runs fast"], ["two cats sleep here"]])
    assert score.value == pytest.approx(100)


def test_weights_by_hand():
    """Of "a dog" and "a cat" only the second words have weight, log 2 each; so have the pairs."""
    score = cider(["a dog", "a dog"], [["a dog"], ["a cat"]])
    # In the second input "dog" shares nothing with "cat": only "a" is common, and has weight 0.
    assert score.per_input == pytest.approx((100 * (1 + 1) / 4, 0))


def test_repeating_a_word_is_clipped_and_length_is_paid_for():
    score = cider(["dog dog dog", "x"], [["dog"], ["cat"]])
    # (1 · log 2)² / (3 log 2 · log 2) for single words; three words are two pairs, one word is none
    assert score.per_input[0] == pytest.approx(100 * (1 / 3) / 4 * math.exp(-(2**2) / 72))


def test_one_input_has_no_weights():
    score = cider(["a dog"], [["a dog"]])
    assert score.value is None
    assert "needs two or more" in score.reason


def test_empty_output():
    assert cider(["", "a cat"], [["a dog"], ["a cat"]]).per_input[0] == 0


def test_references_without_a_word():
    assert cider(["a dog", ""], [[""], [""]]).per_input == (0, 0)
