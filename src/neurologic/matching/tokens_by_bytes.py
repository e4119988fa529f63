"""Tokens by the bytes they add, and the fewest of them that spell given bytes."""

from __future__ import annotations

from collections.abc import Sequence


class TokensByBytes:
    """A look-up from bytes to tokens; if several tokens have the same bytes, the lowest id wins."""

    def __init__(self, pieces: Sequence[bytes | None]) -> None:
        self.token_of: dict[bytes, int] = {}
        for token, piece in enumerate(pieces):
            if piece:
                self.token_of.setdefault(piece, token)
        self.longest = max(map(len, self.token_of), default=0)

    def fewest_tokens(self, data: bytes) -> tuple[int, ...]:
        """Return the shortest sequence of tokens that adds exactly `data`; () if there is none.

        Dynamic programming over byte positions; among equally short sequences take the one with the longest
        last token.
        """
        # For every end: how many tokens lead there, and where the last of them begins.
        best: list[tuple[int, int] | None] = [(0, 0)] + [None] * len(data)
        for end in range(1, len(data) + 1):
            for start in range(max(0, end - self.longest), end):
                before = best[start]
                if before is None or data[start:end] not in self.token_of:
                    continue
                here = best[end]
                if here is None or before[0] + 1 < here[0]:
                    best[end] = (before[0] + 1, start)
        tokens: list[int] = []
        end = len(data)
        while end:
            step = best[end]
            if step is None:
                return ()
            tokens.append(self.token_of[data[step[1] : end]])
            end = step[1]
        return tuple(reversed(tokens))
