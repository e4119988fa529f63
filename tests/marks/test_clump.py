"""Clumps: required phrases with nothing between them."""

import pytest

from marks.reading_texts import read
from neurologic.marks.clump import find

MUG = ("ceramic", "spill-proof", "dishwasher", "lid")


@pytest.mark.parametrize(
    ("text", "required", "excerpt"),
    [
        (
            "Discover the essence of your dishwasher spill-proof lid ceramic.",
            MUG,
            "dishwasher spill-proof lid ceramic",
        ),
        ("A cup with lid dishwasher ceramic and more.", MUG, "lid dishwasher ceramic"),
        ("Lid-ceramic-dishwasher safe.", MUG, "Lid-ceramic-dishwasher"),
        ("The storm letter apple came.", ("storm", "letter", "apple"), "storm letter apple"),
        (
            "Visit platform 7  Geneva delay now.",
            ("platform 7", "Geneva", "delay"),
            "platform 7  Geneva delay",
        ),
        ("It is merino\u00a0washable soft.", ("soft", "washable", "merino"), "merino\u00a0washable soft"),
    ],
)
def test_a_clump(text, required, excerpt):
    assert find(read(text, *required)) == excerpt


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("A ceramic cup with a spill-proof lid, safe in the dishwasher.", MUG),
        ("The ceramic lid is for the dishwasher.", MUG),
        ("A soft, washable merino blanket.", ("soft", "washable", "merino", "Ireland")),
        ("Merino\nWashable\nSoft", ("merino", "washable", "soft", "Ireland")),
        ("Lid lid lid!", MUG),
        ("The spill-proof lid.", ("spill-proof", "lid")),
        ("The letter came. Storm. Apple.", ("storm", "letter", "apple")),
        ("黒猫犬鳥", ("猫", "犬", "鳥")),
        ("", MUG),
    ],
)
def test_no_clump(text, required):
    assert find(read(text, *required)) is None


def test_a_phrase_inside_of_another_one_is_no_neighbour():
    assert find(read("The wool blanket is soft.", "wool blanket", "wool", "blanket", "soft")) is None
