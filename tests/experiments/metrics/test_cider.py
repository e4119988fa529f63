"""CIDEr against vectors written out, and against COCO's scorer where it is installed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.experiments.metrics import Cider, corpus, measure

pytest.importorskip("spacy")


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


words = st.lists(st.sampled_from(["a", "dog", "runs", "fast"]), max_size=7).map(" ".join)
inputs = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=2, max_size=4)


@given(inputs)
def test_any_corpus_as_by_coco(texts):
    coco = pytest.importorskip("pycocoevalcap.cider.cider")
    outputs, references = [output for output, _ in texts], [several for _, several in texts]
    if not any(one for several in references for one in several):
        return  # COCO's scorer needs at least one word
    expected, per_input = coco.Cider().compute_score(
        dict(enumerate(references)), {place: [output] for place, output in enumerate(outputs)}
    )
    score = cider(outputs, references)
    assert score.value == pytest.approx(10 * expected)
    assert score.per_input == pytest.approx(tuple(10 * per_input))
