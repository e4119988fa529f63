"""Unwanted phrases: the tokens kept out are those with which a text would have one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.logic import Phrase, occurs
from neurologic.matching.folded_tokens import FoldedTokens
from neurologic.models.loading import LoadedModel
from neurologic.search.unwanted_phrases import UnwantedPhrases
from random_cases import cases

LETTERS = "aAb [."
PHRASES = st.lists(
    st.builds(
        Phrase,
        st.from_regex(r"\A[\[]?[ab]{1,2}( [ab]{1,2})?\Z"),
        match=st.sampled_from(("word", "substring")),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda phrase: phrase.text,
)


@cases(400)
@given(
    PHRASES,
    st.lists(st.text(LETTERS, min_size=1, max_size=5), min_size=1, max_size=6),
    st.text(LETTERS, max_size=8).filter(lambda text: "  " not in text),
)
def test_a_token_is_kept_out_if_a_phrase_ends_with_it(
    phrases: list[Phrase], pieces: list[str], text: str
) -> None:
    unwanted = UnwantedPhrases(FoldedTokens([piece.encode() for piece in pieces]), phrases)
    kept_out = unwanted.tokens_after(text.encode())
    for token, piece in enumerate(pieces):
        if "  " in text + piece or any(occurs(phrase, text) for phrase in phrases):
            continue  # runs of spaces are one in formulas only, and what is there already is too late
        assert (token in kept_out) == any(occurs(phrase, text + piece) for phrase in phrases), piece


def test_phrases_may_be_allowed() -> None:
    unwanted = UnwantedPhrases(FoldedTokens([b" model", b" Model", b"bot"]), [Phrase("language model")])
    assert set(unwanted.tokens_after(b"A Language")) == {0, 1}
    assert not unwanted.tokens_after(b"A slanguage")
    assert not unwanted.tokens_after(b"A language", unwanted.named([Phrase("language model")]))


def test_a_phrase_may_be_there_once() -> None:
    unwanted = UnwantedPhrases(FoldedTokens([b" dog", b" dogs"]), [Phrase("dog", times=2)])
    assert not unwanted.tokens_after(b"A dogged")
    assert set(unwanted.tokens_after(b"A dog and a")) == {0}


@pytest.mark.real_model
def test_a_phrase_that_a_formula_needs_may_be_written(smollm2: LoadedModel) -> None:
    lm = ConstrainedModel(smollm2)
    formula = '"an AI" & "language model"'
    result = lm.generate("Write one sentence about yourself.", formula, max_new_tokens=40)
    assert result.satisfied
