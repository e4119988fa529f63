"""A token read as a whole has the effect of its bytes read one after the other."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.logic.formula import Phrase
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.token_shapes import DIGIT, NO_NUMBER, SEPARATOR, TokenShapes, states_after_endings
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.tokenizers import vocabulary_of
from random_cases import cases
from toys import toy_vocabulary

EVERY_BYTE = Vocabulary(tuple(bytes([byte]) for byte in range(256)), frozenset(), lambda text: ())

PHRASES = {
    "plain words": ["dog", "dogs", "catch", "flying disc", "the dog", "New York City"],
    "words in each other": ["a", "an", "an AI", "do", "dog", "og", "ice cream", "cream"],
    "numbers": ["450", "8%", "3.8", "12:30", "1,000", "1.5", "5", "10 km"],
    "marks": ["café", "naïve", "straße", "é", "e", "ñ"],
    "signs": ["C++", "state-of-the-art", ".", ",", "?!", "<|", "don't", "|>"],
    "other scripts": ["привет", "中文", "狗", "หมา", "が", "강아지", "❤️"],
}


def phrases_of(kind: str) -> list[Phrase]:
    words = PHRASES[kind]
    return [
        *map(Phrase, words),
        *(Phrase(word, match="substring") for word in words[:3]),
        *(Phrase(word, case="exact") for word in words[-2:]),
        Phrase(words[0], times=2),
    ]


@cache
def real_vocabulary(tokenizer: Any) -> Vocabulary:
    return vocabulary_of(tokenizer, len(tokenizer), end_ids=frozenset(), starts_text=False)


def assert_steps_agree(vocabulary: Vocabulary, phrases: list[Phrase], tokens: list[int]) -> bool:
    """Read tokens whole, and their bytes; return whether they are text."""
    whole, by_bytes = Matcher(phrases, vocabulary), Matcher(phrases, EVERY_BYTE)
    state, other, found, other_found = whole.start(), by_bytes.start(), 0, 0
    for token in tokens:
        state, new = whole.step(state, token)
        after = by_bytes.read(other, tuple(vocabulary.pieces[token] or b""))
        assert (after is None) == (state == DEAD)
        if after is None:
            return False
        other, found, other_found = after[0], found | new, other_found | after[1]
        assert whole.position(state) == by_bytes.position(other)
        assert whole.provisional(state) == by_bytes.provisional(other)
        assert found == other_found
    return True


@pytest.mark.parametrize("kind", PHRASES)
@pytest.mark.parametrize("tokenizer", ["smollm2_tokenizer", "bert_tokenizer"])
def test_real_tokens_have_the_effect_of_their_bytes(
    tokenizer: str, kind: str, request: pytest.FixtureRequest
) -> None:
    vocabulary = real_vocabulary(request.getfixturevalue(tokenizer))
    phrases = phrases_of(kind)
    generator = random.Random(kind)
    writable = [token for token, piece in enumerate(vocabulary.pieces) if piece]
    # Tokens with a beginning of a phrase, and the ones that spell the phrases, come up often.
    parts = {phrase.text[:end].encode() for phrase in phrases for end in range(1, len(phrase.text) + 1)}
    likely = [token for token in writable if vocabulary.pieces[token].strip().lower() in parts]  # type: ignore[union-attr]
    likely += [token for phrase in phrases for token in vocabulary.segment(" " + phrase.text)]
    written = 0
    for _ in range(60):
        tokens = [
            generator.choice(likely if generator.random() < 0.7 else writable)
            for _ in range(generator.randint(1, 6))
        ]
        written += assert_steps_agree(vocabulary, phrases, tokens)
    assert written > 5


TEXTS = st.text(st.sampled_from("ab .1,'é\u0301ß"), min_size=1, max_size=4)


@cases(300)
@given(
    st.lists(
        st.builds(Phrase, TEXTS.filter(str.strip), match=st.sampled_from(["word", "substring"])),
        min_size=1,
        max_size=3,
    ),
    st.lists(TEXTS, min_size=1, max_size=8, unique=True),
    st.lists(st.integers(0, 7), min_size=1, max_size=6),
)
def test_any_tokens_have_the_effect_of_their_bytes(
    phrases: list[Phrase], pieces: list[str], places: list[int]
) -> None:
    vocabulary = toy_vocabulary(*pieces)
    assert_steps_agree(vocabulary, phrases, [1 + place % len(pieces) for place in places])


def test_a_shape_tells_how_a_token_opens_and_ends() -> None:
    shapes = TokenShapes.of([None, b" dog", b"3.", b".", "\u0301".encode(), b"\xc3"])
    assert [shapes.characters[place] for place in shapes.opening[1:4]] == [" ", "3", "."]
    assert [shapes.characters[place] for place in shapes.closing[1:4]] == ["g", ".", "."]
    assert not shapes.opening[
        [0, 4, 5]
    ].any()  # no text, a mark that changes what is before it, half a character
    after_digit = list(states_after_endings(DIGIT))
    assert [after_digit[ending] for ending in shapes.ending[1:4]] == [
        (True, NO_NUMBER),
        (False, SEPARATOR),
        (False, SEPARATOR),
    ]
    assert list(states_after_endings(NO_NUMBER))[shapes.ending[3]] == (False, NO_NUMBER)


def test_most_tokens_touch_no_phrase(smollm2_tokenizer: Any) -> None:
    matcher = Matcher([Phrase("frisbee")], real_vocabulary(smollm2_tokenizer))
    touching = [token for token in range(len(matcher.vocabulary)) if matcher.lifting.touches(token)]
    assert {matcher.vocabulary.pieces[token] for token in touching} >= {b" f", b" fr", b" Fr", b"f"}
    assert len(touching) < 60
