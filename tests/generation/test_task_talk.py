"""Talk about the task: what is forbidden, and what is not because the user says it."""

from __future__ import annotations

import pytest

from neurologic.generation.task_talk import _task_talk, _unsaid_openings
from neurologic.logic import parse, to_clauses
from toys import toy_vocabulary

CHARACTERS = toy_vocabulary(*map(chr, range(32, 127)))


def allows(text: str, prompt: str = "", formula: str = "dog") -> bool:
    """Return whether a search may write a text character by character."""
    unwanted = _task_talk(prompt, to_clauses(parse(formula)), CHARACTERS)
    written = text.encode()
    return not any(
        CHARACTERS.token_of[written[place : place + 1]] in one.tokens_after(written[:place])
        for place in range(len(written))
        for one in unwanted
    )


@pytest.mark.parametrize(
    "text",
    [
        "Dear [Your Name],",
        "I hope this helps!",
        "This sentence uses a dog.",
        "As an AI, I cannot.",
        "A dog. In this context, it barks.",
        "Dear [Hotel Name],",
    ],
)
def test_talk_and_placeholders_are_forbidden(text: str) -> None:
    assert not allows(text)


@pytest.mark.parametrize(
    "text",
    ["Here is the report you asked for.", "The dog [sic] slept.", "I hope this letter finds you well."],
)
def test_what_people_write_is_not(text: str) -> None:
    assert allows(text)


def test_what_the_prompt_or_the_formula_says_is_allowed() -> None:
    assert allows("The chatbot answers.", prompt="Describe our new chatbot.")
    assert allows("A language model writes.", formula='"language model"')
    assert allows("A language model writes.", formula='some(sentence, order("language model", dog))')


def test_openings_that_the_user_says_are_allowed() -> None:
    clauses = to_clauses(parse('"Here is"'))
    assert "here is" not in _unsaid_openings("", clauses)
    assert "here's" in _unsaid_openings("", clauses)


def test_a_text_does_not_speak_of_its_own_length_even_if_the_prompt_does() -> None:
    prompt = "Write a sentence with exactly 82 characters about the word game."
    assert not allows("It has 82 keys.", prompt, formula="characters(82)")
    assert not allows("A short sentence.", prompt, formula="characters(82)")
    assert allows("It has 82 keys.", prompt, formula="dog")
    assert not allows("There are three sentences.", formula="sentences(3)")
    assert allows("There are three dogs.", formula="sentences(3)")
    assert allows("Its 82 characters.", formula='characters(82) & "82 characters"')


def test_a_text_does_not_name_the_places_of_its_words() -> None:
    formula = "nth(3, word, dog) & nth(12, word, cat)"
    assert not allows("It is the 3rd dog.", formula=formula)
    assert not allows("It is the 12th.", formula=formula)
    assert allows("It is the 4th dog.", formula=formula)


def test_texts_of_limited_length_do_not_begin_with_a_digit() -> None:
    assert "1" in _unsaid_openings("", to_clauses(parse("words(..20)")))
    assert "1" not in _unsaid_openings("", to_clauses(parse("dog")))
