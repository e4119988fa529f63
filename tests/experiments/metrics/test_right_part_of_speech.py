"""Concepts in the part of speech that the data means, as link-grammar reads the text."""

from __future__ import annotations

import shutil

import pytest

from neurologic.experiments.metrics import Corpus, RightPartOfSpeech, TaggedCorpus, measure
from neurologic.experiments.metrics.right_part_of_speech import marked_words

needs_program = pytest.mark.skipif(shutil.which("link-parser") is None, reason="link-parser is not installed")

# As the program prints it: two linkages of one sentence, links that a rule may drop, a guess.
ANSWER = """
Found 2 linkages (2 had no P.P. violations)
\tLinkage 1, cost vector = (UNUSED=1 DIS= 0.00 LEN=9)
           LEFT-WALL      Xp            ----Xp-----  Xp              .
 (m)       LEFT-WALL      hWV           >---WV---->  dWV             holds.v
 (m) (e)   woman.n        M             ----Mg-----  Mg              she
 (m)       [a]            Ds**c         ----Ds**c--  Ds**c           sledpark[!].n-u

\tLinkage 2, cost vector = (UNUSED=1 DIS= 0.00 LEN=9)
 (m)       LEFT-WALL      hWV           >---WV---->  dWV             falls.n
"""


def score(text: str, *concepts: tuple[str, str | None]):
    words, tags = zip(*concepts, strict=True)
    return measure(RightPartOfSpeech(), TaggedCorpus((text,), ((),), (words,), (tags,)))


def test_the_words_of_the_best_linkage_have_their_marks():
    found = marked_words(ANSWER)
    assert {("holds", "v"), ("woman", "n"), ("she", ""), ("sledpark", "n-u")} <= found
    assert not any(word == "falls" for word, _ in found)


@needs_program
@pytest.mark.parametrize(
    ("text", "concepts", "value"),
    [
        ("A fall threw a ball.", (("fall", "verb"), ("throw", "verb"), ("ball", "noun")), 200 / 3),
        ("A boy falls. He throws the balls.", (("fall", "verb"), ("throw", "verb"), ("ball", "noun")), 100),
        ("A cat is holding a clip.", (("clip", "verb"), ("hold", "verb")), 50),
        ("A cat is holding a clip.", (("clip", "noun"), ("hold", None)), 100),
        ("The dog is asleep.", (("cat", "noun"), ("dog", "noun")), 50),
        ("The water is clear.", (("clear", "adjective"), ("water", "verb")), 50),
        ("", (("cat", "noun"),), 0),
    ],
)
def test_a_concept_counts_where_the_text_uses_it_as_it_is_meant(text, concepts, value):
    assert score(text, *concepts).value == pytest.approx(value)


def test_without_parts_of_speech_there_is_no_figure():
    assert "does not say" in score("A cat.", ("cat", None)).reason
    assert (
        "needs the concepts" in measure(RightPartOfSpeech(), Corpus(("A cat.",), ((),), (("cat",),))).reason
    )


def test_without_the_program_there_is_no_figure(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "link-parser is not installed" in score("A cat.", ("cat", "noun")).reason
