"""Places of phrases: there is one exactly where `occurs` says so."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neurologic.logic import Phrase, occurs
from neurologic.logic.spans import spans

# Characters that fold to several, compose, reorder, or need no boundary.
CHARACTERS = "aAßsSéeİi\u0301\u0327\u0307\u0345ᄀ가ᅡᆨ\u0f73\u0f71\u0f72猫ก \t\n\u2028\xa0'.-_1ﬁΣσς"
texts = st.text(st.sampled_from(CHARACTERS), max_size=12) | st.text(max_size=12)
wanted = st.builds(
    Phrase,
    (st.text(st.sampled_from(CHARACTERS), min_size=1, max_size=4) | st.text(min_size=1, max_size=4)).filter(
        lambda text: _is_phrase(text)
    ),
    st.sampled_from(["word", "substring"]),
    st.sampled_from(["fold", "exact"]),
)


def _is_phrase(text: str) -> bool:
    try:
        Phrase(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("dog", "Dog, dogs, DOG's", ["Dog", "DOG"]),
        ("flying disc", "a flying \n disc", ["flying \n disc"]),
        ("café", "un cafe\u0301 noir", ["cafe\u0301"]),
        ("strasse", "Die Straße.", ["Straße"]),
        ("猫", "黒猫と猫", ["猫", "猫"]),
    ],
)
def test_places_are_those_of_the_text_as_it_is_written(phrase, text, found):
    assert [text[start:end] for start, end in spans(Phrase(phrase), text)] == found


def test_places_may_overlap():
    assert spans(Phrase("aa", "substring"), "aaa") == [(0, 2), (1, 3)]


def test_what_stands_before_can_deny_a_boundary():
    assert spans(Phrase("car"), "car", before="s") == []
    assert spans(Phrase("car"), "car", before=" ") == [(0, 3)]


def test_token_phrases_have_no_place_in_a_text():
    assert spans(Phrase("dog", "tokens"), "dog") == []


@given(wanted, texts, st.sampled_from(["", "a", " "]))
@example(Phrase("a\u0301"), "a\u0327\u0301", "")
@example(Phrase("s", "substring"), "ß", "")
def test_there_is_a_place_exactly_where_it_occurs(phrase, text, before):
    found = spans(phrase, text, before=before)
    assert bool(found) == occurs(phrase, text, before=before)
    assert all(0 <= start < end <= len(text) for start, end in found)


@given(wanted, texts)
def test_every_place_holds_the_phrase(phrase, text):
    """Cut out of the text, it is there without any boundary to respect."""
    anywhere = Phrase(phrase.text, "substring", phrase.case)
    for start, end in spans(phrase, text):
        assert occurs(anywhere, text[start:end])


@given(wanted, st.text(st.sampled_from("ab .'é"), max_size=8), st.text(st.sampled_from("ab .'é"), max_size=8))
def test_a_phrase_put_between_words_is_found_there(phrase, left, right):
    text = f"{left}. {phrase.text} .{right}"
    first, last = len(left) + 2, len(left) + 2 + len(phrase.text)
    # A phrase that begins with a combining mark takes the character along that carries the mark.
    assert any(first - 1 <= start <= first and end == last for start, end in spans(phrase, text))
