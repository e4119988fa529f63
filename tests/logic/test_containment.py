import time
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from neurologic.logic import Phrase, certainly_contains, containment, occurs, phrase

AROUND = ["", " ", ".", "a", "ß", "'", "猫", "1", "1.", ".1"]

small_phrases = st.builds(
    Phrase,
    st.text("aAß-' 猫1.", min_size=1, max_size=4).filter(str.strip),
    st.sampled_from(["word", "substring"]),
    st.sampled_from(["fold", "exact"]),
    number=st.sampled_from(["whole", "part"]),
)
counted_phrases = st.builds(replace, small_phrases, times=st.integers(1, 3))


@st.composite
def phrases_and_parts(draw):
    """A phrase, and one made of a piece of its text, which it often contains."""
    outer = draw(counted_phrases)
    start = draw(st.integers(0, len(outer.text) - 1))
    piece = outer.text[start : draw(st.integers(start + 1, len(outer.text)))]
    assume(piece.strip())
    match = draw(st.sampled_from([outer.match, "substring"]))
    return outer, Phrase(piece, match, draw(st.sampled_from([outer.case, "fold"])), times=outer.times)


@settings(max_examples=300, deadline=None)
@given(phrases_and_parts(), st.text("aAß-' 猫1.", max_size=9))
def test_what_is_contained_is_there_as_often_as_it_is_wanted(phrases, text):
    outer, inner = phrases
    assume(certainly_contains(outer, inner))
    for around in (text, f"{outer.text} {text} {outer.text}", outer.text * 3):
        assert not occurs(outer, around) or occurs(inner, around)


@settings(max_examples=1500, deadline=None)
@given(small_phrases, small_phrases)
def test_containment_is_what_every_text_around_the_phrase_says(outer, inner):
    """Sound: no text with the outer phrase lacks the inner one. Complete: otherwise one of these does."""
    written = {outer.text, outer.text.upper(), outer.text.lower(), outer.text.replace("ss", "ß")}
    written |= {text.replace("'", "’") for text in written}
    texts = [left + middle + right for left, middle, right in product(AROUND, written, AROUND)]
    texts = [text for text in texts if occurs(outer, text)]
    assert certainly_contains(outer, inner) == all(occurs(inner, text) for text in texts)


@pytest.mark.parametrize(
    ("outer", "inner", "contained"),
    [
        (phrase("ice cream"), phrase("ice"), True),
        (phrase("carpet"), phrase("car"), False),
        (phrase("carpet"), phrase("car", match="substring"), True),
        (phrase("car", match="substring"), phrase("car"), False),
        (phrase("a car b", match="substring"), phrase("car"), True),
        (phrase("Ice cream"), phrase("ice", case="exact"), False),
        (phrase("ice cream", case="exact"), phrase("Ice"), True),
        (phrase("No. 42"), phrase("42", case="exact"), True),
        (phrase("No. 42"), phrase("No", case="exact"), False),
        (phrase("12,450"), phrase("450"), False),
        (phrase("12,450"), phrase("450", number="part"), True),
        (phrase("12, 450"), phrase("450"), True),
        (phrase("450 m"), phrase("450"), True),
        (phrase("450 m", number="part"), phrase("450"), False),
        (phrase("450."), phrase("450"), True),
        (phrase("don't", case="exact"), phrase("don’t"), True),
        (phrase("don't"), phrase("don't", case="exact"), False),
        (phrase("x", match="tokens", ids=[1, 2, 3]), phrase("y", match="tokens", ids=[2, 3]), True),
        (phrase("x y", match="tokens"), phrase("x", match="tokens"), False),
        (phrase("x y"), phrase("x", match="tokens", ids=[1]), False),
        (phrase("dog", times=2), phrase("dog"), True),
        (phrase("dog"), phrase("dog", times=2), False),
        (phrase("dog eats dog"), phrase("dog", times=2), True),
        (phrase("a a", times=2), phrase("a", times=3), True),
        (phrase("a a", times=2), phrase("a", times=4), False),  # "a a a" is enough
        (phrase("x", match="tokens", ids=[1, 1]), phrase("y", match="tokens", ids=[1], times=2), True),
    ],
)
def test_examples(outer, inner, contained):
    assert certainly_contains(outer, inner) is contained
    assert (inner in containment([outer, inner]).get(outer, ())) is contained


def test_many_counts_of_one_phrase_are_quick():
    counted = [phrase("dog", times=times) for times in range(1, 1500)]
    start = time.process_time()
    assert len(containment(counted)[counted[-1]]) == len(counted) - 1
    assert time.process_time() - start < 5


def test_thousands_of_phrases_are_quick():
    forbidden = [phrase(f"bad{i} word") for i in range(5000)]
    required = [phrase(f"so bad{i} word indeed") for i in range(10)]
    start = time.process_time()
    assert containment(forbidden + required) == {required[i]: frozenset({forbidden[i]}) for i in range(10)}
    assert time.process_time() - start < 5
