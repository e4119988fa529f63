"""Texts that stop before their end, known to be cut or not."""

import pytest

from marks.reading_texts import read
from neurologic.marks.cut_off import find

LETTER = "Dear Tom,\n\nThe lamp is on its way.\n\nBest regards,\nAnna"
HEADLINE = "New Library Opens in Uppsala After Ten Years"
ITEMS = "You need:\n- flour\n- two eggs"


@pytest.mark.parametrize(
    "text",
    [
        "The keeper opened the letter and",
        "You can save money each month with BrightBudget: How can I",
        "The blanket is made of soft wool from the green hills of",
        "We are happy to offer you,",
        "It was a dark night. The storm had taken the roof and the",
        "Dear Tom,\n\nThe lamp is on",
        "He said (and I was there",
    ],
)
def test_the_middle_of_a_sentence(text):
    assert find(read(text)) == ""


@pytest.mark.parametrize("text", ["The keeper slept.", LETTER, HEADLINE, ITEMS])
def test_a_text_that_a_limit_ended_is_cut_off_wherever_it_ends(text):
    assert find(read(text, truncated=True)) == ""


@pytest.mark.parametrize(
    "text", ["She bought the", "We are happy to offer you,", "You need:", "Bread, butter and", "The keeper —"]
)
def test_a_text_that_ended_by_itself_may_still_lack_a_word(text):
    assert find(read(text, truncated=False)) == ""


@pytest.mark.parametrize("truncated", [None, False])
@pytest.mark.parametrize(
    "text",
    [
        "The keeper slept.",
        "Is it late? Yes!",
        "“It says yes,” he said. “Read it.”",
        "He smiled (a little).",
        "Come and see… ",
        "Order today! 🎉",
        "**Order today!**",
        "猫が好きです。",
        LETTER,
        "Thanks for your help!\n\nKind regards",
        "See you on Monday.\n\nYours sincerely,\nDr. Tom Berg",
        HEADLINE,
        ITEMS,
        "1. Whisk the eggs.\n2. Fry them",
        "",
    ],
)
def test_a_proper_end(text, truncated):
    assert find(read(text, truncated=truncated)) is None


@pytest.mark.parametrize(
    "text", ["New library opens in Uppsala", "soft and washable", "“Never again”", "Tom"]
)
def test_a_text_that_ended_by_itself_needs_no_full_stop(text):
    assert find(read(text, truncated=False)) is None
