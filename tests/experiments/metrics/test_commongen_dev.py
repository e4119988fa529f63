"""CommonGen's dev split, the first reference of each set scored against the others.

The figures expected are those of other programs on the same texts: ROUGE-L of ROUGE-1.5.5.pl (`-m`, the mean
over its pairs), the others of pycocoevalcap 1.2. METEOR, which would take twenty seconds, is left out.
"""

import shutil

import pytest

import paths
from neurologic.experiments.metrics import METRICS, RightPartOfSpeech, TaggedCorpus, corpus, measure
from neurologic.experiments.tasks.commongen.concept_sets import read_sets

DATA = paths.DATA / "commongen"


@pytest.fixture(scope="module")
def texts():
    for package in ("spacy", "sacrebleu", "pycocoevalcap"):
        pytest.importorskip(package)
    if not DATA.is_dir():
        pytest.skip(f"CommonGen is not at {DATA}")
    sets: dict[str, list[str]] = {}
    concepts = (DATA / "commongen.dev.src_alpha.txt").read_text(encoding="utf-8").splitlines()
    sentences = (DATA / "commongen.dev.tgt.txt").read_text(encoding="utf-8").splitlines()
    for line, sentence in zip(concepts, sentences, strict=True):
        sets.setdefault(line, []).append(sentence)
    first = [several[0] for several in sets.values()]
    return corpus(first, [several[1:] for several in sets.values()], [line.split() for line in sets])


@pytest.mark.parametrize(
    ("name", "expected", "tolerance"),
    [
        ("rouge_l", 43.07295, 0.0005),  # the script rounds each pair to five digits
        ("bleu_3", 30.25362, 0.00001),
        ("bleu_4", 21.70590, 0.00001),
        ("cider", 14.09615, 0.00001),
        ("coverage", 99.92, 0.05),  # people use nearly all concepts; there is no other program for this one
    ],
)
def test_figures_of_other_programs(texts, name, expected, tolerance):
    assert measure(METRICS[name], texts).value == pytest.approx(expected, abs=tolerance)


@pytest.mark.skipif(shutil.which("link-parser") is None, reason="link-parser is not installed")
def test_people_use_most_concepts_in_their_part_of_speech(texts):
    """Not all: the parser's reading may differ from the tagger's that made the data."""
    tags = tuple(found.parts_of_speech for found in read_sets(DATA, "dev"))
    tagged = TaggedCorpus(texts.outputs, texts.references, texts.concepts, tags)
    assert measure(RightPartOfSpeech(), tagged).value == pytest.approx(93.66, abs=0.5)
