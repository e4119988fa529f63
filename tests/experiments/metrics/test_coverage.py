"""Coverage by hand."""

import pytest

from neurologic.experiments.metrics import Coverage, corpus, measure
from neurologic.experiments.metrics.coverage import lemmas


def coverage(outputs, concepts):
    pytest.importorskip("spacy")
    return measure(Coverage(), corpus(outputs, [["x"]] * len(outputs), concepts))


def test_share_of_the_concepts_in_any_form_as_a_mean_over_inputs():
    score = coverage(
        ["The players stood in the field.", "Kids dance."],
        [["field", "look", "stand"], ["kid", "dance"]],
    )
    assert score.per_input == pytest.approx((200 / 3, 100))
    assert score.value == pytest.approx((200 / 3 + 100) / 2)
    assert score.worst() == [0, 1]


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("frisbees", "frisbee"),  # not in the dictionary
        ("snowboarding", "snowboard"),
        ("ran", "run"),
        ("best", "good"),
        ("jeans", "jean"),  # the dictionary has no singular
        ("species", "specie"),
        ("building", "build"),
        ("building", "building"),
        ("zzz", "zzz"),
    ],
)
def test_lemmas_of_every_part_of_speech(word, lemma):
    assert lemma in lemmas(word)


def test_what_is_no_lemma():
    assert "dres" not in lemmas("dress")
    assert "car" not in lemmas("carpet")
    assert lemmas(".") == {"."}


def test_case_and_repeated_concepts_do_not_count():
    assert coverage(["DOGS run"], [["Dog", "dog", "run"]]).value == 100


def test_a_word_inside_of_another_is_not_covered():
    assert coverage(["a carpet"], [["car"]]).value == 0


def test_empty_output():
    assert coverage(["", "\n"], [["dog"], ["cat"]]).value == 0


def test_without_concepts_there_is_no_coverage():
    score = measure(Coverage(), corpus(["a"], [["a"]]))
    assert (score.value, score.reason) == (None, "coverage needs the concepts of each input")
