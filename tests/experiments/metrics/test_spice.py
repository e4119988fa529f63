"""SPICE's wrapper, by a program that stands in for the real one: CoreNLP is the user's to fetch."""

import pytest

from experiments.metrics.stub_java import stub_java
from neurologic.experiments.metrics import Spice, corpus, measure

pytest.importorskip("spacy")
pytest.importorskip("pycocoevalcap")

TEXTS = corpus(["A dog's café.", "", "x"], [["A dog.", "Dogs."], ["y"], ["z"]])

# Reads the request as SPICE does, checks it, and answers out of order, with null for a text without tuples.
SCORER = r"""
import json, os
arguments = sys.argv[1:]
path = arguments[arguments.index('-cp') + 1].split(os.pathsep)
assert path[0].endswith('spice-1.0.jar') and path[2].endswith('stanford-corenlp-3.6.0-models.jar'), path
asked = json.load(open(arguments[arguments.index('edu.anu.spice.SpiceScorer') + 1]))
assert asked[0] == {'image_id': 0, 'test': "A dog 's caf\u00e9 .", 'refs': ['A dog .', 'Dogs .']}, asked
values = {0: 0.5, 1: None, 2: 0.25}
answer = [{'image_id': n, 'scores': {'All': {'f': values[n]}}} for n in (2, 0, 1)]
json.dump(answer, open(arguments[arguments.index('-out') + 1], 'w'))
"""


@pytest.fixture
def corenlp(tmp_path, monkeypatch):
    for name in ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar"):
        (tmp_path / name).touch()
    monkeypatch.setenv("NEUROLOGIC_CORENLP", str(tmp_path))
    return tmp_path


def test_answers_go_to_their_inputs(corenlp, monkeypatch):
    monkeypatch.setenv("NEUROLOGIC_JAVA", stub_java(corenlp, SCORER, "1.8.0_292"))
    score = measure(Spice(), TEXTS)
    assert score.reason == ""
    assert score.per_input == (50, 0, 25)
    assert score.value == 25
    assert "|spice:1.0|corenlp:3.6.0|tok:" in score.signature


@pytest.mark.parametrize("version", ["1.7.0", "15.0.1", "17.0.15"])
def test_java_too_old_or_too_new(corenlp, monkeypatch, version):
    monkeypatch.setenv("NEUROLOGIC_JAVA", stub_java(corenlp, SCORER, version))
    score = measure(Spice(), TEXTS)
    assert score.value is None
    assert score.reason.startswith("SPICE needs Java 8 to 14")


@pytest.mark.parametrize("body", ["", "open(sys.argv[sys.argv.index('-out') + 1], 'w').write('[]')"])
def test_no_answer_is_no_number(corenlp, monkeypatch, body):
    monkeypatch.setenv("NEUROLOGIC_JAVA", stub_java(corenlp, body))
    score = measure(Spice(), TEXTS)
    assert (score.value, score.reason) == (None, "SPICE did not give a score for each of 3 inputs")


def test_no_corenlp_is_no_spice(tmp_path, monkeypatch):
    monkeypatch.setenv("NEUROLOGIC_CORENLP", str(tmp_path))
    assert "(from NEUROLOGIC_CORENLP) has no stanford-corenlp-3.6.0.jar" in measure(Spice(), TEXTS).reason
    monkeypatch.delenv("NEUROLOGIC_CORENLP")
    score = measure(Spice(), TEXTS)
    if score.value is None:  # someone may have let pycocoevalcap fetch it
        assert "fetch it" in score.reason or "Java" in score.reason
