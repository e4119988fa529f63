"""What a request says of itself."""

from __future__ import annotations

import pytest

from neurologic.generation.request import Request


def message(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("Write a poem.", "Write a poem."),
        ([message("system", "Be kind."), message("user", "Hi!")], "Hi!"),
        ([message("user", "Hi!"), message("assistant", "Hello."), message("user", "Bye!")], "Bye!"),
        ([message("user", "Continue."), message("assistant", "Once upon")], "Continue."),
        ([message("system", "Be kind.")], ""),
        ([message("user", [{"type": "image"}])], ""),
        ([], ""),
    ],
)
def test_what_was_asked_is_the_prompt_or_the_users_last_message(prompt, asked):
    assert Request(prompt).asked == asked
