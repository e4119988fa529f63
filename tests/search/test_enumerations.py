"""Required phrases in a row: what counts as one, and what a search does about a long one."""

from __future__ import annotations

import pytest

from neurologic.search.enumerations import NO_PHRASE, PhraseRun


def run(*texts: tuple[str, str]) -> PhraseRun:
    """The row after texts that grow, each ending with a phrase."""
    found = NO_PHRASE
    for text, phrase in texts:
        found = found.with_phrase(text.encode(), [phrase])
    return found


@pytest.mark.parametrize(
    ("text", "length", "clump"),
    [
        ("mug, lid", 2, 1),
        ("mug and lid", 2, 1),
        ("mug lid", 2, 2),
        ("mug-lid", 2, 2),
        ("mug: lid", 2, 1),
        ('"mug", "lid', 2, 1),
        ("mug with a lid", 1, 1),
        ("mug. The lid", 1, 1),
        ("mug, a lid", 1, 1),
    ],
)
def test_only_separators_may_stand_between(text: str, length: int, clump: int) -> None:
    start = text.index("mug") + 3
    assert run((text[:start], "mug"), (text, "lid"))[:2] == (length, clump)


def test_a_row_grows_and_starts_again() -> None:
    assert (
        run(("bread", "bread"), ("bread, butter", "butter"), ("bread, butter and milk", "milk")).length == 3
    )
    assert (
        run(("bread", "bread"), ("bread, butter", "butter"), ("bread, butter for milk", "milk")).length == 1
    )


def test_a_word_that_grows_into_another_form_keeps_its_place_in_the_row() -> None:
    grown = run(("3 euros", "3 euros"), ("3 euros, cancel", "cancel"), ("3 euros, canceling", "canceling"))
    assert grown == (2, 1, len("3 euros, canceling"))
    assert grown.with_phrase(b"3 euros, canceling at any time", ["at any time"])[:2] == (3, 2)


def test_a_number_that_the_matcher_finds_again_after_a_comma_counts_once() -> None:
    found = run(("sorry", "sorry"), ("sorry, 450", "450"), ("sorry, 450,", "450"))
    assert found == run(("sorry", "sorry"), ("sorry, 450", "450"))
    assert found.with_phrase(b"sorry, 450, parcel", ["parcel"]).length == 3


def test_the_mark_after_a_phrase_may_be_part_of_its_token() -> None:
    assert run(("bread,", "bread"), ("bread, milk.", "milk")).length == 2
