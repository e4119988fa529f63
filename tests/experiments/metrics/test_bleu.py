"""BLEU against the paper's examples, a plain implementation, and sacrebleu's own score of a corpus."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.experiments.metrics import Bleu, corpus, measure

pytest.importorskip("spacy")
sacrebleu = pytest.importorskip("sacrebleu")


def bleu(order, outputs, references):
    return measure(Bleu(order), corpus(outputs, references))


def plain_bleu(order, outputs, references):
    """BLEU as one would write it from the paper."""

    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    length = sum(len(output.split()) for output in outputs)
    nearest = sum(
        min(
            (abs(len(reference.split()) - len(output.split())), len(reference.split()))
            for reference in several
        )[1]
        for output, several in zip(outputs, references, strict=True)
    )
    logs = []
    for n in range(1, order + 1):
        matched = total = 0
        for output, several in zip(outputs, references, strict=True):
            counts = ngrams(output.split(), n)
            most = Counter()
            for reference in several:
                most |= ngrams(reference.split(), n)
            matched += sum((counts & most).values())
            total += sum(counts.values())
        if not matched:
            return 0.0
        logs.append(math.log(matched / total))
    return 100 * min(1.0, math.exp(1 - nearest / length)) * math.exp(sum(logs) / order)


def test_the_paper_s_clipped_counts():
    references = [["the cat is on the mat", "there is a cat on the mat"]]
    assert bleu(1, ["the the the the the the the"], references).value == pytest.approx(100 * 2 / 7)


words = st.lists(st.sampled_from(["a", "dog", "runs", "fast"]), min_size=1, max_size=8).map(" ".join)
inputs = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=4)


@given(inputs, st.sampled_from([3, 4]))
def test_any_corpus_as_by_the_plain_implementation(texts, order):
    outputs, references = [output for output, _ in texts], [several for _, several in texts]
    assert bleu(order, outputs, references).value == pytest.approx(plain_bleu(order, outputs, references))


def test_a_corpus_is_what_sacrebleu_says():
    outputs = ["A dog runs in the park.", "Two men don't climb a wall.", "Nothing."]
    references = [
        ["A dog is running in the park.", "The dog runs in the park near a lake."],
        ["Two men climb a wall.", "Men don't climb a wall."],
        ["A woman sings."],
    ]
    texts = corpus(outputs, references)
    columns = [
        [" ".join(several[place]) if place < len(several) else None for several in texts.reference_tokens]
        for place in range(2)
    ]
    for order in (3, 4):
        theirs = sacrebleu.BLEU(max_ngram_order=order, tokenize="none", force=True, smooth_method="none")
        expected = theirs.corpus_score([" ".join(output) for output in texts.output_tokens], columns)
        assert measure(Bleu(order), texts).value == pytest.approx(expected.score)
        assert expected.score > 0


def test_case_matters():
    assert bleu(3, ["A dog runs"], [["a dog runs"]]).value == 0
    assert bleu(3, ["a dog runs"], [["a dog runs"]]).value == pytest.approx(100)


def test_single_inputs_are_smoothed():
    score = bleu(4, ["a dog runs", "a dog sat", "", "x"], [["a dog runs"], ["a dog runs"], ["a"], ["y"]])
    assert score.per_input == pytest.approx((100, 100 * (2 / 3 * 1 / 2 * 1 / 2) ** (1 / 3), 0, 0))
    assert score.worst() == [2, 3, 1, 0]
    assert score.value == 0  # no run of four words in any text


def test_empty_output():
    assert bleu(4, [""], [["a dog runs fast"]]).value == 0


def test_signature_has_the_versions():
    signature = bleu(4, ["a"], [["a"]]).signature
    assert signature.startswith("bleu_4|inputs:1|refs:1|data:")
    assert "|case:mixed|smooth:none|per-input:exp|tok:spacy-blank-en-" in signature
    assert f"|sacrebleu:{sacrebleu.__version__}|neurologic:" in signature
