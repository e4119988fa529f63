"""The second prompt: what it says, when there is one, and what it changes."""

from __future__ import annotations

from typing import Any

import pytest

from neurologic.generation.hint import TwinPrompt, twin_prompt
from neurologic.logic import parse, to_clauses
from neurologic.search.settings import SearchSettings


def twin(prompt: Any, formula: str, *, is_chat: bool = True, plain: Any = None, **settings: Any) -> Any:
    clauses = to_clauses(parse(formula))
    return twin_prompt(prompt, clauses, SearchSettings(**settings), plain_prompt=plain, is_chat=is_chat)


def test_a_prompt_that_does_not_name_the_words_gets_a_twin_that_does() -> None:
    found = twin("Describe a mug.", 'ceramic & inflect(lid) & (safe | "dishwasher-safe")')
    assert found == TwinPrompt("Describe a mug. Use the words ceramic, lid and safe.")


def test_one_word_is_a_word() -> None:
    assert twin("Describe a mug.", "ceramic") == TwinPrompt("Describe a mug. Use the word ceramic.")


def test_bans_are_in_no_prompt() -> None:
    assert twin("Describe a mug.", "lid & !plastic") == TwinPrompt("Describe a mug. Use the word lid.")


@pytest.mark.parametrize("formula", ["!plastic", "!rain | umbrella", "at_most(1, red, green)"])
def test_a_formula_that_requires_nothing_needs_no_hint(formula: str) -> None:
    assert twin("Describe a mug.", formula) is None


def test_in_a_conversation_the_last_message_gets_the_hint() -> None:
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Describe a mug."}]
    found = twin(prompt, "lid")
    assert found.prompt == [prompt[0], {"role": "user", "content": "Describe a mug. Use the word lid."}]


def test_a_prompt_that_names_the_words_gets_the_hint_too() -> None:
    prompt = "Write a sentence about a dog in the park."
    assert twin(prompt, "dog & park") == TwinPrompt(prompt + " Use the words dog and park.")


def test_the_users_own_plain_prompt_comes_first() -> None:
    found = twin("Write about a dog in the park.", "dog & park", plain="Write about an animal.")
    assert found == TwinPrompt("Write about an animal.", has_hint=False)


def test_a_hint_of_ones_own_names_the_words_where_it_says_so() -> None:
    found = twin("Beschreibe eine Tasse.", "Deckel & Keramik", hint="Benutze: {words}.", is_chat=False)
    assert found == TwinPrompt("Beschreibe eine Tasse. Benutze: Deckel and Keramik.")


def test_off_and_text_to_continue_mean_no_hint() -> None:
    assert twin("Describe a mug.", "lid", hint="off") is None
    assert twin("Describe a mug.", "lid", hint="off", plain="Describe something.") is None
    assert twin("Once upon a time", "lid", is_chat=False) is None


def test_phrases_that_predicates_need_are_named_and_lengths_are_told() -> None:
    found = twin("Describe a mug.", "order(ceramic | clay, lid) & starts(This) & words(..20) & !ends(bye)")
    told = 'Use the words ceramic and lid. Write at most 20 words. Begin with "This".'
    assert found == TwinPrompt(f"Describe a mug. {told}")
    found = twin("Describe a mug.", 'sentences(3) & every(sentence, words(..8)) & last(sentence, ends("?"))')
    told = "Write three sentences. Each sentence should have at most eight words. End with a question."
    assert found == TwinPrompt(f"Describe a mug. {told}")
    assert twin("Describe a mug.", "every(sentence, lid) & !words(10..)") is None


def test_facts_of_one_sentence_are_named() -> None:
    assert twin("Describe a lake.", "some(sentence, deep & swans)") == TwinPrompt(
        "Describe a lake. Use the words deep and swans."
    )


def test_an_expression_is_shown_by_an_example() -> None:
    assert twin("Announce a concert.", "/20[1-4][0-9]-0[1-9]/") == TwinPrompt(
        "Announce a concert. Include something of the form 2011-01."
    )
    assert twin("Announce a concert.", "!/[0-9]/") is None
