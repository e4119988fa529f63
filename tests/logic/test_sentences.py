"""Where a sentence ends."""

from __future__ import annotations

import pytest

from neurologic.logic.sentences import ends_sentence


@pytest.mark.parametrize(
    "text",
    [
        "It rains.",
        "Really?",
        'She said "no."',
        "(He left.)",
        "Best regards,\nAnna\n",
        "雨です。",
        "Well … ",
        "Go!\n\n",
    ],
)
def test_these_end_a_sentence(text: str) -> None:
    assert ends_sentence(text)


@pytest.mark.parametrize(
    "text", ["", "It rains", "It rains,", "1.", "Buy:\n2.", "Steps:\n", "Ingredients:\n\n", "a)"]
)
def test_these_do_not(text: str) -> None:
    assert not ends_sentence(text)
