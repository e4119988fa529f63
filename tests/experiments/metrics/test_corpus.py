"""What is scored: white space, counts that must match, and what a signature says of it."""

import pytest

from neurologic.errors import DataError
from neurologic.experiments.metrics import corpus

REFERENCES = [["The dog runs.", "A dog ran."], ["A cat sleeps."]]


def test_white_space_becomes_single_spaces():
    texts = corpus([" A dog\nruns.\r\n", "\u2028"], [["The\tdog "], ["x"]], [[" dog "], ["x"]])
    assert texts.outputs == ("A dog runs.", "")
    assert texts.references == (("The dog",), ("x",))
    assert texts.concepts == (("dog",), ("x",))


def test_half_a_character_is_a_question_mark():
    assert corpus(["a \ud800 dog"], [["x"]]).outputs == ("a ? dog",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "no outputs"),
        ((["a"], REFERENCES), "there are 1 outputs, but references for 2 inputs"),
        ((["a", "b"], [["a"], []]), "input 2 has no references"),
        ((["a", "b"], REFERENCES, [["a"]]), "there are 2 outputs, but concepts for 1 inputs"),
        ((["a", "b"], REFERENCES, [["a"], []]), "input 2 has no concepts"),
        (("a", [["a"]]), "the outputs are one text"),
        ((["a"], ["a"]), "the references of input 1 are one text"),
        ((["a"], "a"), "the references are one text"),
        ((["a", None], REFERENCES), "outputs: number 2 must be a string, not None"),
    ],
)
def test_wrong_data_is_named(arguments, message):
    with pytest.raises(DataError, match=message):
        corpus(*arguments)


def test_a_signature_is_of_what_is_scored_against():
    first, second = corpus(["a", "b"], REFERENCES), corpus(["c", "d"], REFERENCES)
    assert first.signature == second.signature == "inputs:2|refs:1-2|data:bccda030"
    other = corpus(["a", "b"], [["The dog runs.", "A dog ran!"], ["A cat sleeps."]])
    with_concepts = corpus(["a", "b"], REFERENCES, [["dog"], ["cat"]])
    assert len({first.signature, other.signature, with_concepts.signature}) == 3
    assert corpus(["a"], [["a", "b"]]).signature.startswith("inputs:1|refs:2|")
