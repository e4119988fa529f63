"""The official client of OpenAI's against the server: every field, and what it says about constraints."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from serve.server_process import FAST, ServerProcess, fast

MESSAGES: list[Any] = [{"role": "user", "content": "A dog runs."}]
SHORT: dict[str, Any] = {"model": "tiny-chat", "max_tokens": 8}


def chat(client: openai.OpenAI, neurologic: dict[str, Any] | None = None, **fields: Any) -> Any:
    extra = {"neurologic": fast(neurologic), **fields.pop("extra_body", {})}
    return client.chat.completions.create(**{**SHORT, "messages": MESSAGES, **fields}, extra_body=extra)


def complete(client: openai.OpenAI, neurologic: dict[str, Any] | None = None, **fields: Any) -> Any:
    given = {**SHORT, "prompt": "The dog", **fields}
    return client.completions.create(**given, extra_body={"neurologic": fast(neurologic)})


# -- texts and verdicts -----------------------------------------------------------------------------


def test_an_answer_is_what_the_library_writes(client: openai.OpenAI, lm: Any) -> None:
    answer = chat(client, {"formula": "shells & !dog"})
    expected = lm.generate(MESSAGES, "shells & !dog", max_new_tokens=8, **FAST)
    choice = answer.choices[0]
    assert choice.message.content == expected.text
    assert choice.finish_reason == {"length": "length"}.get(expected.ending, "stop")
    assert (answer.object, answer.model) == ("chat.completion", "tiny-chat")
    assert choice.message.role == "assistant"
    assert answer.usage.prompt_tokens == expected.prompt_tokens
    assert answer.usage.completion_tokens == len(expected.tokens)


def test_a_choice_carries_its_verdict(client: openai.OpenAI) -> None:
    verdict = chat(client, {"formula": "shells & !dog"}).choices[0].neurologic
    assert (verdict["satisfied"], verdict["unmet"]) == (True, [])
    assert [clause["clause"] for clause in verdict["clauses"]] == ["shells", "!dog"]
    assert isinstance(verdict["forced"], int)


def test_a_verdict_tells_of_wishes_too(client: openai.OpenAI) -> None:
    verdict = chat(client, {"formula": "shells & prefer(zebra, 0.1)"}).choices[0].neurologic
    assert [clause["clause"] for clause in verdict["clauses"]] == ["shells"]
    assert verdict["wishes"] == [{"wish": "zebra", "met": False, "weight": 0.1}]
    assert "wishes" not in chat(client, {"formula": "shells"}).choices[0].neurologic


@pytest.mark.parametrize(
    "formula",
    [
        "order(dog, sea)",
        "near(2, dog, sea)",
        "starts(dog)",
        "ends(sea)",
        "words(4..6)",
        "/d[aeo]g/",
        "fully(/[a-z ]{4,}/)",
        "every(word, characters(..5))",
        "first(word, dog)",
        "count(2.., word, characters(3))",
        'sea[unless="sea dog"]',
    ],
)
def test_every_predicate_is_obeyed_and_judged(client: openai.OpenAI, lm: Any, formula: str) -> None:
    answer = chat(client, {"formula": formula}, max_tokens=16)
    expected = lm.generate(MESSAGES, formula, max_new_tokens=16, **FAST)
    assert answer.choices[0].message.content == expected.text
    verdict = answer.choices[0].neurologic
    assert verdict["satisfied"], (expected.text, verdict)
    assert [clause["clause"] for clause in verdict["clauses"]] == [formula]


def test_a_header_says_whether_all_is_satisfied(client: openai.OpenAI) -> None:
    raw = client.chat.completions.with_raw_response.create(
        **SHORT, messages=MESSAGES, extra_body={"neurologic": fast({"include": ["shells"]})}
    )
    assert raw.headers["x-neurologic-satisfied"] == "true"
    assert raw.headers["x-request-id"].startswith("req_")


def test_an_unmet_clause_is_told(client: openai.OpenAI) -> None:
    raw = client.chat.completions.with_raw_response.create(
        **SHORT,
        messages=MESSAGES,
        extra_body={"neurologic": {"formula": "zebra", "decoder": "beam", "reduce": True}},
    )
    assert raw.headers["x-neurologic-satisfied"] == "false"
    assert raw.parse().choices[0].neurologic["unmet"] == ["zebra"]


@pytest.mark.parametrize(
    ("constraint", "library"),
    [
        ({"include": ["dog", ["run", "ran"]]}, "dog & (run | ran)"),
        ({"exclude": ["dog"], "formula": "shells"}, "shells & !dog"),
        ({"clauses": [["sea", {"not": "dog"}]]}, "sea | !dog"),
        ({"include": ["dog"], "num_beams": 3, "alpha": 50}, "dog"),
    ],
)
def test_constraints_in_every_form(
    client: openai.OpenAI, lm: Any, constraint: dict[str, Any], library: str
) -> None:
    settings = {name: value for name, value in constraint.items() if name in ("num_beams", "alpha")}
    expected = lm.generate(MESSAGES, library, max_new_tokens=8, **{**FAST, **settings})
    assert chat(client, constraint).choices[0].message.content == expected.text


def test_banned_strings_do_not_even_occur_inside_of_words(client: openai.OpenAI) -> None:
    free = chat(client).choices[0].message.content
    banned = free.split()[0][:2]
    answer = chat(client, extra_body={"banned_strings": [banned]})
    assert banned.lower() not in answer.choices[0].message.content.lower()
    assert answer.choices[0].neurologic["satisfied"]


def test_a_hint_of_ones_own_changes_the_text_and_not_the_verdict(client: openai.OpenAI, lm: Any) -> None:
    answer = chat(client, {"formula": "shells", "hint": "Say {words}.", "hint_weight": 0.9})
    expected = lm.generate(MESSAGES, "shells", max_new_tokens=8, **FAST, hint="Say {words}.", hint_weight=0.9)
    assert answer.choices[0].message.content == expected.text


# -- fields of OpenAI's -----------------------------------------------------------------------------


def test_several_texts_come_best_first(client: openai.OpenAI, lm: Any) -> None:
    answer = chat(client, {"formula": "dog"}, n=3)
    expected = lm.generate(MESSAGES, "dog", max_new_tokens=8, **FAST, num_return_sequences=3)
    texts = [result.text for result in (expected, *expected.others)]
    assert [choice.message.content for choice in answer.choices] == texts
    assert [choice.index for choice in answer.choices] == [0, 1, 2]
    assert answer.usage.prompt_tokens == expected.prompt_tokens


def test_more_texts_than_beams_take_more_beams(client: openai.OpenAI) -> None:
    assert len({choice.message.content for choice in chat(client, {"formula": "dog"}, n=10).choices}) == 10


def test_max_completion_tokens_is_the_new_name_of_max_tokens(client: openai.OpenAI) -> None:
    old = chat(client, max_tokens=7)
    new = chat(client, max_tokens=openai.omit, max_completion_tokens=7)
    assert old.choices[0].message.content == new.choices[0].message.content
    assert new.usage.completion_tokens <= 7


def test_temperature_draws_and_a_seed_draws_the_same_again(client: openai.OpenAI, lm: Any) -> None:
    drawn = [chat(client, {"formula": "dog"}, temperature=1.5, seed=seed) for seed in (1, 1, 2)]
    first, again, other = (answer.choices[0].message.content for answer in drawn)
    settings = {"do_sample": True, "temperature": 1.5, "seed": 1, "max_new_tokens": 8, **FAST}
    assert first == again == lm.generate(MESSAGES, "dog", **settings).text
    assert other != first
    assert all(answer.choices[0].neurologic["satisfied"] for answer in drawn)


def test_without_a_seed_drawn_texts_differ(client: openai.OpenAI) -> None:
    texts = {chat(client, temperature=2).choices[0].message.content for _ in range(3)}
    assert len(texts) > 1


def test_top_p_alone_draws_too(client: openai.OpenAI, lm: Any) -> None:
    answer = chat(client, {"formula": "dog"}, top_p=0.9, seed=5)
    settings = {"do_sample": True, "top_p": 0.9, "seed": 5, "max_new_tokens": 8, **FAST}
    assert answer.choices[0].message.content == lm.generate(MESSAGES, "dog", **settings).text


def test_temperature_zero_searches_for_the_likeliest_text(client: openai.OpenAI) -> None:
    texts = {chat(client, temperature=t, top_p=1).choices[0].message.content for t in (0, openai.omit)}
    assert len(texts) == 1


def test_a_stop_string_ends_the_text_and_is_cut_off(client: openai.OpenAI) -> None:
    whole = complete(client, max_tokens=24).choices[0].text
    stop = whole[8:10]
    cut = complete(client, max_tokens=24, stop=[stop, "never occurs"]).choices[0]
    assert stop not in cut.text
    assert cut.finish_reason == "stop"


def test_a_stop_string_that_the_formula_needs_stays(client: openai.OpenAI) -> None:
    choice = complete(client, {"formula": "shells"}, stop="shells", max_tokens=40).choices[0]
    assert choice.neurologic["satisfied"]
    assert "shells" in choice.text


def test_log_likelihoods_of_the_tokens(client: openai.OpenAI, lm: Any) -> None:
    choice = chat(client, {"formula": "dog"}, logprobs=True).choices[0]
    expected = lm.generate(MESSAGES, "dog", max_new_tokens=8, **FAST)
    text = b"".join(bytes(token.bytes) for token in choice.logprobs.content).decode()
    assert text.strip() == choice.message.content
    found = [token.logprob for token in choice.logprobs.content]
    assert found == pytest.approx(expected.logprobs[: len(found)], abs=1e-4)


def test_log_likelihoods_of_a_text_completion(client: openai.OpenAI) -> None:
    choice = complete(client, {"formula": "dog"}, logprobs=0).choices[0]
    assert len(choice.logprobs.tokens) == len(choice.logprobs.token_logprobs)
    for token, offset in zip(choice.logprobs.tokens, choice.logprobs.text_offset, strict=True):
        assert choice.text[offset:].startswith(token) or "\ufffd" in token


def test_a_text_is_continued_as_it_is(client: openai.OpenAI, lm: Any) -> None:
    answer = complete(client, {"formula": "sea"})
    assert answer.choices[0].text == lm.generate("The dog", "sea", raw=True, max_new_tokens=8, **FAST).text
    assert answer.object == "text_completion"


def test_several_prompts_get_texts_of_their_own(client: openai.OpenAI, lm: Any) -> None:
    prompts = ["The dog", "She sells", "Peter"]
    answer = complete(client, {"formula": "sea"}, prompt=prompts, n=2)
    results = lm.generate(prompts, "sea", raw=True, max_new_tokens=8, **FAST, num_return_sequences=2)
    texts = [text.text for result in results for text in (result, *result.others)]
    assert [choice.text for choice in answer.choices] == texts
    assert [choice.index for choice in answer.choices] == list(range(6))


def test_echo_puts_the_prompt_before_the_text(client: openai.OpenAI) -> None:
    assert complete(client, echo=True).choices[0].text == "The dog" + complete(client).choices[0].text


def test_parts_of_messages_and_developers_are_understood(client: openai.OpenAI) -> None:
    plain = [{"role": "system", "content": "Be brief."}, *MESSAGES]
    parts = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "A dog "}, {"type": "text", "text": "runs."}]},
    ]
    texts = {chat(client, messages=messages).choices[0].message.content for messages in (plain, parts)}
    assert len(texts) == 1


def test_fields_that_change_nothing_are_accepted(client: openai.OpenAI) -> None:
    answer = chat(
        client,
        user="somebody",
        presence_penalty=0,
        frequency_penalty=0,
        response_format={"type": "text"},
        tool_choice="none",
        metadata={"a": "b"},
    )
    assert answer.choices[0].message.content == chat(client).choices[0].message.content


def test_the_model_is_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["tiny-chat"]
    assert client.models.retrieve("tiny-chat").owned_by == "neurologic"
    with pytest.raises(openai.NotFoundError, match="this server has 'tiny-chat'"):
        client.models.retrieve("gpt-4")


# -- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("neurologic", "fields", "code", "message"),
    [
        ({"formla": "dog"}, {}, "unknown_field", 'neurologic.formla.*did you mean "formula"'),
        ({"max_new_tokens": 5}, {}, "unknown_field", 'write "max_tokens" beside'),
        (None, {"extra_body": {"formula": "dog"}}, "unknown_field", 'write it into "neurologic"'),
        (None, {"extra_body": {"neurologics": {}}}, "unknown_field", 'did you mean "neurologic"'),
        ({"formula": "dog &"}, {}, "invalid_formula", "line 1, column 6"),
        ({"formula": "dog & !dog"}, {}, "contradiction", "dog"),
        ({"include": [["a", 3]]}, {}, "invalid_formula", r"include\[0\]\[1\]"),
        ({"formula": "dog[times=40]"}, {}, "max_tokens_too_small", "at least"),
        ({"formula": "(dog | cat) & sea", "decoder": "gbs"}, {}, "decoder_cannot_express", "gbs"),
        ({"decoder": "neurologics"}, {}, "invalid_value", 'did you mean "neurologic"'),
        ({"decoder": "cgmh"}, {}, "unsupported_value", "one sentence at a time"),
        ({"num_beams": 0}, {}, "invalid_value", "neurologic.num_beams"),
        ({"num_beams": "8"}, {}, "invalid_value", "neurologic.num_beams"),
        ({"num_beams": 2}, {"n": 3}, "invalid_value", "n=3 needs at least as many beams"),
        ({"decoder": "beam"}, {"temperature": 1}, "invalid_value", "temperature has no effect"),
        (None, {"temperature": 3}, "invalid_value", "temperature"),
        (None, {"max_tokens": 0}, "invalid_value", "max_tokens"),
        (None, {"n": 33}, "limit_exceeded", "33 texts"),
        (None, {"max_tokens": 1000000}, "limit_exceeded", "max_tokens is 1,000,000"),
        (None, {"max_tokens": 2040}, "invalid_prompt", "context holds 2048"),
        (None, {"max_tokens": 5, "max_completion_tokens": 6}, "unsupported_value", "differ"),
        (None, {"presence_penalty": 1}, "unsupported_value", "has no effect here"),
        (None, {"tools": [{"type": "function"}]}, "unsupported_value", "tools"),
        (None, {"response_format": {"type": "json_object"}}, "unsupported_value", "response_format"),
        (None, {"logprobs": True, "top_logprobs": 3}, "unsupported_value", "logprobs alone"),
        (None, {"stop": list("abcdefghijklmnopq")}, "limit_exceeded", "17 stop strings"),
        (None, {"stop": [""]}, "invalid_value", "stop"),
        (None, {"messages": []}, "invalid_value", "messages"),
        (None, {"messages": [{"role": "tool", "content": "x"}]}, "invalid_value", r"messages\.0\.role"),
        (None, {"extra_body": {"banned_strings": [""]}}, "invalid_formula", r"banned_strings\[0\]"),
    ],
)
def test_a_wrong_request_is_told_what_to_change(
    client: openai.OpenAI, neurologic: dict[str, Any] | None, fields: dict[str, Any], code: str, message: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=message) as refused:
        chat(client, neurologic, **fields)
    assert refused.value.code == code


def test_a_mistake_in_a_formula_has_a_place(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        chat(client, {"formula": "dog &\n& cat"})
    assert isinstance(refused.value.body, dict)
    assert (refused.value.body["line"], refused.value.body["column"]) == (2, 1)


def test_another_model_is_not_found(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="this server has 'tiny-chat'"):
        chat(client, model="gpt-4")


def test_prompts_are_not_in_the_log(client: openai.OpenAI, server: ServerProcess) -> None:
    chat(client, {"formula": "shells"}, messages=[{"role": "user", "content": "xyzzy"}])
    server.wait_for("answered", status=200, path="/v1/chat/completions", satisfied=True)
    assert "xyzzy" not in str(server.log)
    assert "shells" not in str(server.log)
