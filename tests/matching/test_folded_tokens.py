"""Tokens are found by what they spell, in small letters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from neurologic.matching.folded_tokens import FoldedTokens, folded
from random_cases import cases

PIECES = st.lists(st.one_of(st.none(), st.text("aB \n\0é", max_size=4).map(str.encode)), max_size=8)


@cases(300)
@given(PIECES, st.text("ab ", min_size=1, max_size=3).map(str.encode))
def test_the_tokens_are_those_that_a_loop_finds(pieces: list[bytes | None], text: bytes) -> None:
    tokens = FoldedTokens(pieces)
    contain = {number for number, piece in enumerate(pieces) if piece and text in folded(piece)}
    begin = {number for number, piece in enumerate(pieces) if piece and folded(piece).startswith(text)}
    assert {token for token, _, _ in tokens.containing(text)} == contain
    if not any(b"\0" in (piece or b"") for piece in pieces):
        assert {token for token, _ in tokens.beginning_with(text)} == begin
        for token, before, after in tokens.containing(text):
            assert before + text + after == folded(pieces[token] or b"")
