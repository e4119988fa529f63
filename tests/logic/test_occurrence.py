import sys

import pytest

from neurologic.errors import FormulaError
from neurologic.logic import occurs, phrase, places
from neurologic.logic.characters import composed, folded, is_digit, is_word_character, separates_digits


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


@pytest.mark.parametrize(
    ("wanted", "text", "found"),
    [
        ("8%", "up 3.8%", False),
        ("8%", "up 8%", True),
        ("450", "12,450.75", False),
        ("450", "450,000", False),
        ("450", "It was 450.", True),
        ("450", "450, 451", True),
        ("450", "(450)", True),
        ("450", "450-451", True),
        ("450", "450/7", True),
        ("450", "12 450", True),
        ("05", "14:05:33", False),
        ("450", "12'450", False),
        ("450", "12’450", False),
        ("3.8", "13.8", False),
        ("3.8", "3.85", False),
        ("3.8", "3.8.1", False),
        ("3.8", "3.8.", True),
        ("3.8", "3.8..1", True),
        ("12,450.75", "12,450.75 euros", True),
        ("14:05", "at 14:05", True),
        ("$5", "$5.99", False),
        ("v2", "v2.1", False),
        ("3.", "3.5", False),
        ("3.", "3. Stir", True),
        (".5", "0.5", False),
        (".5", "a .5 share", True),
        (",", "12,450", True),
        ("a", "1.a", True),
        ("٤", "٣٫٤", False),
    ],
)
def test_digits_with_separators_between_them_are_one_number(wanted, text, found):
    assert occurs(wanted, text) is found


def test_a_number_may_be_part_of_another_if_the_phrase_says_so():
    assert occurs(phrase("450", number="part"), "12,450.75")
    assert not occurs(phrase("450", number="part"), "1450")
    assert occurs(phrase("45", match="substring"), "12,450.75")


def test_the_prompt_can_begin_a_number():
    assert not occurs("8%", "8%", before="3.")
    assert not occurs("8%", ".8%", before="3")
    assert occurs("8%", "8%", before="No.")
    assert occurs("8%", " 8%", before="3.")


@pytest.mark.parametrize("apostrophe", "'’‘ʼ")
def test_apostrophes_are_one_character_unless_case_is_exact(apostrophe):
    text = f"They don{apostrophe}t."
    assert occurs("don't", text)
    assert occurs("don’t", text)
    assert occurs("t", text)
    assert occurs(phrase("don't", case="exact"), text) is (apostrophe == "'")
    assert occurs(phrase("t", case="exact"), text)


def test_double_quotes_are_told_apart():
    assert not occurs('"dog"', "a “dog”")


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


def test_folding_never_makes_or_unmakes_a_part_of_words_or_numbers():
    """Boundaries are therefore the same for exact and folded phrases, on which containment relies."""
    for code in range(sys.maxunicode + 1):
        if 0xD800 <= code < 0xE000:
            continue
        for character in composed(chr(code)):
            for belongs in (is_word_character, is_digit, separates_digits):
                assert {belongs(part) for part in folded(character)} == {belongs(character)}, hex(code)
