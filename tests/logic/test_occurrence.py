import sys

import pytest

from neurologic.errors import FormulaError
from neurologic.logic import occurs, phrase, places
from neurologic.logic.characters import is_word_character


@pytest.mark.parametrize(
    ("wanted", "text", "found"),
    [
        ("dog", "A dog.", True),
        ("dog", "The dog's bone", True),
        ("car", "a carpet", False),
        ("car", "car_1", False),
        ("dog", "Hot DOG!", True),
        ("flying disc", "a flying\n\t disc", True),
        ("flying disc", "a flying-disc", False),
        ("C++", "I like C++11", True),
        ("C++", "ObjC++", False),
        ("'s", "the dog's", True),
        ("猫", "黒猫が", True),
        ("iPhone", "我的iPhone很好", True),
        ("café", "un cafe\u0301 noir", True),
        ("cafe", "un cafe\u0301 noir", False),
        ("straße", "STRASSE 9", True),
        ("ss", "ß", True),
        ("dog", "", False),
    ],
)
def test_whole_words_in_any_case(wanted, text, found):
    assert occurs(wanted, text) is found


def test_a_substring_is_found_anywhere():
    assert occurs(phrase("art", match="substring"), "The party")


def test_exact_case_tells_letters_apart():
    assert occurs(phrase("Apple", case="exact"), "An Apple store")
    assert not occurs(phrase("Apple", case="exact"), "an apple")


def test_places_are_counted_also_where_they_overlap():
    assert occurs(phrase("dog", times=2), "A dog and a dog's hotdog")
    assert not occurs(phrase("dog", times=3), "A dog and a dog's hotdog")
    assert occurs(phrase("1 1", times=2), "1 1 1")
    assert not occurs(phrase("1 1", times=3), "1 1 1")
    assert places("1 1", "1 1 1") == 2


def test_the_prompt_can_deny_a_boundary_but_holds_nothing():
    assert not occurs("car", "car park", before="os")
    assert occurs("car", "car park", before="my ")
    assert not occurs("scar", "car", before="s")


def test_token_phrases_have_no_place_in_a_text():
    with pytest.raises(FormulaError, match="token ids"):
        occurs(phrase("dog", match="tokens"), "dog")


def test_folding_never_makes_or_unmakes_a_word_character():
    """Word boundaries are therefore the same for exact and folded phrases, on which containment relies."""
    for character in map(chr, range(sys.maxunicode + 1)):
        folded = character.casefold()
        if folded != character:
            assert {is_word_character(part) for part in folded} == {is_word_character(character)}, hex(
                ord(character)
            )
