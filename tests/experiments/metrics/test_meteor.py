"""METEOR by its own program where Java is, and what happens where it is not."""

import numpy as np
import pytest

from experiments.metrics.stub_java import stub_java
from neurologic.experiments.metrics import Meteor, UnavailableError, corpus, measure
from neurologic.experiments.metrics.java_programs import find_java

pytest.importorskip("spacy")
pytest.importorskip("pycocoevalcap")

# Line breaks and the program's own separators would shift all answers after them.
OUTPUTS = [
    "The dogs run in a park.",
    "",
    "A dog ran",
    "a\nman ||| sits\r\non a chair",
    "Der Hund.",
    "A café is big.",
]
REFERENCES = [
    ["A dog is running in the park.", "Two dogs ran through a park."],
    ["A dog ran."],
    ["A dog ran"],
    ["A man sits on a | chair ||| ."],
    ["A woman sings."],
    ["A large café."],
]


@pytest.fixture(scope="module")
def score():
    """One start of the program for all tests here: it takes ten seconds."""
    try:
        find_java()
    except UnavailableError as error:
        pytest.skip(f"METEOR needs Java: {error}")
    return measure(Meteor(), corpus(OUTPUTS, REFERENCES))


def test_values_of_the_program(score):
    """What the program itself makes of its counts (its command EVAL, by pycocoevalcap 1.2)."""
    assert score.reason == ""
    assert score.per_input == pytest.approx((35.407265, 0, 100, 40.391304, 5.095541, 24.539877), abs=1e-6)
    assert score.value == pytest.approx(28.948229, abs=1e-6)


def test_a_corpus_is_not_the_mean_of_its_inputs(score):
    assert score.value != pytest.approx(sum(score.per_input) / len(OUTPUTS), abs=1)


def test_signature(score):
    assert "|meteor:1.5|lang:en|norm:yes|tok:spacy-blank-en-" in score.signature


def counts(output=6, reference=6, exact=(2, 2, 2, 2), stems=(0, 0, 0, 0), chunks=2, matched=4):
    """Counts of texts with two function words each."""
    return np.array(
        [output, reference, 2, 2, *exact, *stems, *[0] * 8, chunks, matched, matched], dtype=float
    )


def test_the_formula_by_hand():
    # Content words count 0.75, function words 0.25: P = R = (0.75·2 + 0.25·2) / (0.75·4 + 0.25·2) = 2 / 3.5
    fragmented = 1 - 0.6 * (2 / 4) ** 0.2
    assert Meteor().value(counts()) == pytest.approx(100 * 2 / 3.5 * fragmented)
    # Two more words of the reference's content: R = 2 / 5, and recall has 0.85 of the weight
    mean = 1 / (0.15 / (2 / 3.5) + 0.85 / (2 / 5))
    assert Meteor().value(counts(reference=8)) == pytest.approx(100 * mean * fragmented)
    # A stem is worth 0.6 of a word
    only_stems = counts(exact=(0, 0, 2, 2), stems=(2, 2, 0, 0))
    assert Meteor().value(only_stems) == pytest.approx(100 * (0.75 * 1.2 + 0.5) / 3.5 * fragmented)
    assert Meteor().value(np.zeros(23)) == 0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print('1.0 2.0')", "METEOR did not give 23 counts for each of 2 inputs"),
        ("print('Error: what?')", "METEOR did not give 23 counts"),
        ("", "METEOR did not give 23 counts"),
        ("sys.exit(3)", "Java failed with code 3: it says nothing"),
        ("import time; time.sleep(600)", "Java did not finish within 1 seconds"),
    ],
)
def test_a_program_that_fails_gives_no_number(tmp_path, monkeypatch, body, reason):
    monkeypatch.setenv("NEUROLOGIC_JAVA", stub_java(tmp_path, body))
    score = measure(Meteor(timeout=1 if "sleep" in body else 60), corpus(["a", "b"], [["a"], ["b"]]))
    assert (score.value, score.per_input) == (None, ())
    assert score.reason.startswith(reason)


def test_no_java_is_no_meteor(tmp_path, monkeypatch):
    for name in ("NEUROLOGIC_JAVA", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert str(measure(Meteor(), corpus(["a"], [["a"]]))) == "METEOR n/a (Java is not installed)"
