"""The stemmer: the examples of Porter's paper where ROUGE follows it, and those where it does not."""

import pytest

from neurologic.experiments.metrics.porter import stem

# Words of the paper's tables, with the stem that all steps together give.
PAPER = {
    "caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed", "agreed": "agre",
    "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing", "conflated": "conflat",
    "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan", "falling": "fall",
    "hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file", "happy": "happi", "sky": "sky",
    "relational": "relat", "conditional": "condit", "rational": "ration", "valenci": "valenc",
    "digitizer": "digit", "differentli": "differ", "vileli": "vile", "analogousli": "analog",
    "vietnamization": "vietnam", "predication": "predic", "operator": "oper", "feudalism": "feudal",
    "decisiveness": "decis", "hopefulness": "hope", "callousness": "callous", "formaliti": "formal",
    "sensitiviti": "sensit", "sensibiliti": "sensibl", "triplicate": "triplic", "formative": "form",
    "electrical": "electr", "goodness": "good", "revival": "reviv", "allowance": "allow",
    "inference": "infer", "airliner": "airlin", "adjustable": "adjust", "irritant": "irrit",
    "replacement": "replac", "adjustment": "adjust", "dependent": "depend", "adoption": "adopt",
    "communism": "commun", "activate": "activ", "effective": "effect", "bowdlerize": "bowdler",
    "probate": "probat", "rate": "rate", "cease": "ceas", "controll": "control", "roll": "roll",
}  # fmt: skip


@pytest.mark.parametrize(("word", "expected"), PAPER.items())
def test_examples_of_the_paper(word, expected):
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("agreement", "agreem"),  # not -ement, but then -ent
        ("accidental", "accid"),  # -al, and then -ent
        ("vacations", "vacat"),
        ("possibly", "possibl"),
        ("technologies", "technolog"),
    ],
)
def test_departures_of_rouge(word, expected):
    assert stem(word) == expected


def test_y_is_a_consonant_at_the_start_and_a_vowel_after_one():
    assert [stem(word) for word in ("yelled", "yoyo", "cry", "crying", "syzygy")] == [
        "yell", "yoyo", "cry", "cry", "syzygi",
    ]  # fmt: skip


def test_short_words_and_numbers_stay():
    assert [stem(word) for word in ("a", "is", "42", "2000s", "")] == ["a", "is", "42", "2000", ""]
