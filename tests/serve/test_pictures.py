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


def streamed(client: Any, picture: Any) -> list[Any]:
    messages = [{"role": "user", "content": "Say something."}]
    given = {"model": "tiny-chat", "messages": messages, "max_tokens": 12, "n": 2, "stream": True}
    return list(
        client.chat.completions.create(**given, extra_body={"neurologic": {**SETTINGS, "picture": picture}})
    )


def test_a_live_picture_grows_with_every_step_and_is_whole_in_the_end(client: Any) -> None:
    chunks = streamed(client, "live")
    additions = [chunk.neurologic["picture"] for chunk in chunks if not chunk.choices]
    (whole,) = next(
        choice.neurologic["picture"]["searches"]
        for chunk in chunks
        for choice in chunk.choices
        if choice.finish_reason
    )
    assert [addition["steps"] for addition in additions] == [[step] for step in whole["steps"]]
    for name in set(whole["nodes"]) - {"lane", "plan"}:
        assert [value for addition in additions for value in addition["nodes"][name]] == whole["nodes"][name]
    assert not chunks[0].choices, "the first step comes before any text"
    assert chunks[-1].choices[0].finish_reason, "the last chunk has a verdict"


def test_who_asks_for_a_picture_alone_gets_it_in_the_end(client: Any) -> None:
    chunks = streamed(client, True)
    assert all(chunk.choices for chunk in chunks)
    assert "picture" in next(
        choice.neurologic for chunk in chunks for choice in chunk.choices if choice.finish_reason
    )


def test_every_prompt_of_a_list_grows_its_own_picture(client: Any) -> None:
    given = {"model": "tiny-chat", "prompt": ["The dog", "She"], "max_tokens": 6, "n": 2, "stream": True}
    chunks = list(
        client.completions.create(**given, extra_body={"neurologic": {**SETTINGS, "picture": "live"}})
    )
    steps: dict[int, int] = {}
    for chunk in chunks:
        if not chunk.choices:
            index = chunk.neurologic["index"]
            steps[index] = steps.get(index, 0) + len(chunk.neurologic["picture"]["steps"])
    whole = {
        choice.index: len(choice.neurologic["picture"]["searches"][0]["steps"])
        for chunk in chunks
        for choice in chunk.choices
        if choice.finish_reason and "picture" in choice.neurologic
    }
    assert steps == whole
    assert [*steps] == [0, 2]


def test_a_live_picture_needs_a_stream(client: Any) -> None:
    import openai

    with pytest.raises(openai.BadRequestError, match='"live" needs "stream": true'):
        answer(client, picture="live")
