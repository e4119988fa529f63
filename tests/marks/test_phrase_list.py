"""Lists: the required phrases in a row, as the prompt gave them, against honest enumerations."""

import pytest

from marks.reading_texts import read
from neurologic.logic import parse, to_clauses
from neurologic.marks.phrase_list import find
from neurologic.marks.reading import Reading


@pytest.mark.parametrize(
    ("text", "required", "excerpt"),
    [
        (
            "Merino, washable, Ireland and soft. I am delighted to craft a bespoke wool blanket.",
            ("merino", "washable", "Ireland", "soft"),
            "Merino, washable, Ireland and soft",
        ),
        (
            "Lighthouse, piano, storm, letter, and apple: a story of the sea.",
            ("lighthouse", "piano", "storm", "letter", "apple"),
            "Lighthouse, piano, storm, letter, and apple",
        ),
        ("It is a tale of bread, butter & milk.", ("bread", "butter", "milk"), "bread, butter & milk"),
        (
            "The cup:\n- ceramic\n- spill-proof\n- dishwasher\n- lid",
            ("ceramic", "spill-proof", "dishwasher", "lid"),
            "ceramic\n- spill-proof\n- dishwasher\n- lid",
        ),
        ('It has "lid"; "ceramic"; "cup".', ("ceramic", "cup", "lid"), 'lid"; "ceramic"; "cup'),
        ("1. lid\n2. cup\n3. ceramic", ("ceramic", "cup", "lid"), "lid\n2. cup\n3. ceramic"),
        (
            "We sell **soft**, **warm** or **red** socks.",
            ("red", "soft", "warm"),
            "soft**, **warm** or **red",
        ),
        (
            "He saw storm, storm, piano, letter and apple.",
            ("piano", "storm", "letter", "apple"),
            "storm, storm, piano, letter and apple",
        ),
    ],
)
def test_a_list(text, required, excerpt):
    assert find(read(text, *required)) == excerpt


@pytest.mark.parametrize(
    ("text", "required"),
    [
        # Three of more than three.
        ("Buy bread, butter and milk, then bake.", ("bread", "butter", "milk", "bake")),
        ("A soft, washable merino blanket from Ireland.", ("soft", "washable", "merino", "Ireland")),
        # A single comma between words that follow each other anyway.
        ("A soft, washable merino blanket.", ("soft", "washable", "merino", "blanket")),
        ("A soft, washable blanket.", ("soft", "washable", "blanket")),
        # Something stands between them.
        (
            "The lighthouse shook in the storm, the piano was silent, and the letter lay by an apple.",
            ("lighthouse", "piano", "storm", "letter", "apple"),
        ),
        (
            "Whisk 2 eggs with a cup of flour, add milk and a knob of butter.",
            ("eggs", "flour", "milk", "butter"),
        ),
        ("Salt and pepper, please.", ("salt", "pepper")),
        ("Dogs, dogs, dogs, dogs and cats.", ("dogs", "cats", "birds", "mice")),
        ("Soft. Washable. Merino.", ("soft", "washable", "merino")),
        ("", ("soft", "washable", "merino")),
    ],
)
def test_no_list(text, required):
    assert find(read(text, *required)) is None


def test_alternatives_are_one_item_and_the_parts_of_a_count_are_several():
    any_form = to_clauses(parse("inflect(run) & inflect(jump) & inflect(sing)"))
    assert find(Reading("Run, running and ran.", any_form)) is None
    assert find(Reading("Run, jumped and sang.", any_form)) == "Run, jumped and sang"
    at_least = to_clauses(parse("at_least(4, red, green, blue, black, white)"))
    assert find(Reading("Red, green, blue, white.", at_least)) == "Red, green, blue, white"


def test_forbidden_phrases_are_no_items():
    assert find(Reading("Red, green and blue.", to_clauses(parse("red & green & !blue")))) is None
