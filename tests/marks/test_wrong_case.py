"""Wrong case: names, starts of sentences, and capitals in their middle."""

import pytest

from marks.reading_texts import read
from neurologic.logic import parse, to_clauses
from neurologic.marks.reading import Reading
from neurologic.marks.wrong_case import find


@pytest.mark.parametrize(
    ("text", "required", "excerpt"),
    [
        ("The train to uppsala is late.", ("Uppsala",), "uppsala"),
        ("Buy an IPHONE today.", ("iPhone",), "IPHONE"),
        ("Iphone users love it.", ("iPhone",), "Iphone"),
        ("A usb cable is here.", ("USB",), "usb"),
        ("They read the guardian.", ("The Guardian",), "the guardian"),
        ("Uppsala is old. We love uppsala.", ("Uppsala",), "uppsala"),
        ("We sell a Ceramic cup.", ("ceramic",), "Ceramic"),
        ("Put it into your DISHWASHER today.", ("dishwasher",), "DISHWASHER"),
        ("It comes with a nice Lid for coffee.", ("lid",), "Lid"),
        ("Lunch for Anna and us and a Whale today.", ("whale",), "Whale"),
        ("soft wool from Ireland.", ("soft",), "soft"),
        ("The cup is new. it has a lid.", (), "it"),
        ("Is it new? yes, it is.", (), "yes"),
        ("The year was 2024. the storm came.", ("storm",), "the"),
        ("“the cup is new,” he said.", (), "the"),
    ],
)
def test_wrong(text, required, excerpt):
    assert find(read(text, *required)) == excerpt


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("The train to Uppsala is late.", ("Uppsala",)),
        ("iPhone users love it. iPhone cases are cheap.", ("iPhone",)),
        ("Ceramic cups are nice. Lids are extra.\nDishwasher safe.", ("ceramic", "lids", "dishwasher")),
        ("The Ceramic Cup with the Spill-Proof Lid", ("ceramic", "spill-proof", "lid")),
        (
            "A Whale and a Rescue: A Volunteer and a Hero on the Beach",
            ("whale", "rescue", "volunteer", "beach"),
        ),
        ("Lisbon 50 Euros: A Day to Remember\nIt is cheap.", ("50 euros",)),
        ("Read “The Storm” tonight: Storm warnings follow.", ("storm",)),
        ("Our shop is closed on Monday, and USB sticks are out.", ("monday", "usb")),
        ("NEW LIBRARY IN UPPSALA", ("Uppsala", "library")),
        ("They read the Guardian with best regards.", ("The Guardian", "Best regards")),
        ("Write to info@brightbudget.com or #brightbudget. See brightbudget.com.", ("BrightBudget",)),
        ("Use herbs, e.g. thyme, for approx. ten minutes, etc. and wait... then eat.", ()),
        ("“Stop!” she cried. “Why?” he asked. We met at 5 p.m. on a Friday with Dr. van Dyk.", ()),
        ("3 eggs. 2 cups of milk. www.example.com has more.", ()),
        ("Heat 2 tbs. oil in a 350°F. oven.", ()),
        ("Yahoo! is old.", ("Yahoo!",)),
        ("I like it, and I am sure that I do.", ()),
        ("Roses are red,\nviolets are blue", ()),
        ("Dear Anna,\n\nthank you for your letter.", ()),
        ("Die Straße ist lang.", ("STRASSE",)),
        ("Es war der Hund von Anna.", ("Hund",)),
        ("猫が好きです。", ("猫",)),
        ("", ("Uppsala",)),
    ],
)
def test_right(text, required):
    assert find(read(text, *required)) is None


def test_a_text_may_continue_a_raw_prompt_in_lower_case():
    assert find(read(" was dark and cold.", before="The night")) is None
    assert find(read("was dark and cold.")) == "was"


def test_a_text_that_may_have_no_capitals_has_none():
    text = "the sea is calm. it is late."
    assert find(Reading(text, to_clauses(parse("!/[A-Z]/")))) is None
    assert find(Reading(text, to_clauses(parse("!/[0-9]/")))) == "the"
