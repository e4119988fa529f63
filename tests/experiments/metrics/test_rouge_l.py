"""ROUGE-L against ROUGE-1.5.5's own words, and a longest common subsequence by trying them all."""

import hashlib
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurologic
from neurologic.experiments.metrics import RougeL, corpus, measure
from neurologic.experiments.metrics.rouge_l import common_subsequence, f_measure
from neurologic.experiments.metrics.rouge_words import base_forms, rouge_words


def rouge_l(outputs, references):
    pytest.importorskip("pycocoevalcap")
    return measure(RougeL(), corpus(outputs, references))


def test_the_example_of_the_paper():
    reference = ["police", "killed", "the", "gunman"]
    assert f_measure(["police", "kill", "the", "gunman"], reference) == 3 / 4
    assert f_measure(["the", "gunman", "kill", "police"], reference) == 2 / 4


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_the_longest_of_all_common_subsequences(first, second):
    def subsequences(text):
        return {chosen for size in range(len(text) + 1) for chosen in combinations(text, size)}

    longest = max(map(len, subsequences(first) & subsequences(second)))
    assert common_subsequence(first, second) == longest


def test_mean_over_pairs_and_not_over_inputs():
    score = rouge_l(["a dog", "a cat"], [["a dog", "a big dog", "x"], ["one cat"]])
    pairs = [1.0, 4 / 5, 0.0, 1 / 2]
    assert score.value == pytest.approx(100 * sum(pairs) / 4)
    assert score.per_input == pytest.approx((100 * 1.8 / 3, 50))
    assert score.worst() == [1, 0]


def test_words_are_stemmed_or_looked_up():
    pytest.importorskip("pycocoevalcap")
    assert rouge_words("The kids stood, T-shirts on!") == ["the", "kid", "stand", "t", "shirt", "on"]
    assert rouge_words("He ran: men's BEST") == ["he", "ran", "men", "s", "well"]  # three letters stay
    assert rouge_words("Café ﬁve İs 3.5") == ["caf", "ve", "s", "3", "5"]  # ASCII only


# Of ROUGE-1.5.5's own lists, the four files in WordNet-2.0-Exceptions, read in the order of their names.
DIGEST = "3a4bb83017adaa453bcde932613158bdf4a0c58eda73120ce0d70315c1d63559"


def test_irregular_forms_are_those_of_rouge():
    pytest.importorskip("pycocoevalcap")
    content = "".join(f"{form} {base}\n" for form, base in sorted(base_forms().items()))
    assert len(base_forms()) == 5930
    assert hashlib.sha256(content.encode()).hexdigest() == DIGEST


def test_empty_texts_are_worth_nothing():
    assert rouge_l(["", "!"], [["a dog"], ["."]]).value == 0


def test_signature():
    assert rouge_l(["a"], [["a"]]).signature == (
        "rouge_l|inputs:1|refs:1|data:1c65512e|mean:pairs|f:1|case:lower|stem:rouge-1.5.5|forms:wordnet-2.0|"
        f"neurologic:{neurologic.__version__}"
    )
