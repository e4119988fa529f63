"""Highlights and the picture of a search, as clients get them."""

from __future__ import annotations

from typing import Any

import pytest

SETTINGS = {"formula": "dog & !cat", "num_beams": 3, "alpha": 30}


def answer(client: Any, **own: Any) -> Any:
    messages = [{"role": "user", "content": "Say something."}]
    extra = {"neurologic": {**SETTINGS, **own}}
    return client.chat.completions.create(
        model="tiny-chat", messages=messages, max_tokens=12, n=2, extra_body=extra
    )


def test_a_client_that_does_not_ask_gets_neither(client: Any) -> None:
    verdict = answer(client).choices[0].neurologic
    assert not {"picture", "highlights"} & {*verdict}


def test_highlights_tell_where_the_phrases_are(client: Any) -> None:
    for choice in answer(client, highlights=True).choices:
        places = choice.neurologic["highlights"]
        assert {choice.message.content[start:end].lower() for start, end, _ in places} == {"dog"}
        assert not any(forbidden for _, _, forbidden in places)


def test_the_first_choice_has_the_picture_of_the_search(client: Any) -> None:
    plain = [choice.message.content for choice in answer(client).choices]
    first, second = answer(client, picture=True).choices
    assert [first.message.content, second.message.content] == plain
    (search,) = first.neurologic["picture"]["searches"]
    assert search["clauses"] == ["dog", "!cat"]
    assert [text["text"] for text in search["texts"]] == plain
    assert "picture" not in second.neurologic


@pytest.mark.parametrize("name", ["picture", "highlights"])
def test_what_is_neither_true_nor_false_is_refused(client: Any, name: str) -> None:
    import openai

    with pytest.raises(openai.BadRequestError, match=name):
        answer(client, **{name: "yes"})
