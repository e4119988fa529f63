"""The judge marks texts: with the prompt of the request, and with the way the text ended."""

from __future__ import annotations

import pytest

from echo_model import EchoModel
from neurologic.generation.constrained_model import ConstrainedModel

QUESTION = "How can we save money this month"
# Let the model echo its prompt, character by character.
ECHO = {
    "whole_sentences": False,
    "no_echo_size": 0,
    "no_repeat_ngram_size": 0,
    "max_run": 0,
    "avoid_marks": False,
    "hint": "off",
}


@pytest.fixture
def lm() -> ConstrainedModel:
    """A model that answers P by "The text of P."."""
    return ConstrainedModel(EchoModel())  # type: ignore[arg-type]


def kinds(result) -> list[str]:
    return [mark.kind for mark in result.marks]


def test_an_echo_of_the_prompt_or_of_the_last_message_is_marked(lm):
    result = lm.generate(QUESTION, max_new_tokens=60, **ECHO)
    assert [str(mark) for mark in result.marks] == [f'echo ("{QUESTION}")']
    conversation = [{"role": "system", "content": "Help."}, {"role": "user", "content": QUESTION}]
    assert kinds(lm.generate([conversation], max_new_tokens=90, **ECHO)[0]) == ["echo"]


def test_a_text_that_ends_at_its_limit_is_cut_off(lm):
    assert kinds(lm.generate("a dog", decoder="greedy", max_new_tokens=60)) == []
    assert kinds(lm.generate("a dog", decoder="greedy", max_new_tokens=10)) == ["cut off"]


def test_required_phrases_are_those_of_the_whole_formula(lm):
    result = lm.generate("red, green and blue", "red & green & blue", max_new_tokens=60, **ECHO)
    assert [str(mark) for mark in result.marks] == ['list ("red, green and blue")']
    reduced = lm.generate(
        "red, green and blue", "red & green & blue", decoder="beam", reduce=True, max_new_tokens=60
    )
    assert kinds(reduced) == ["list"]


def test_a_raw_prompt_may_go_on_in_lower_case(lm):
    assert "wrong case" not in kinds(lm.generate("the", raw=True, max_new_tokens=30))


def test_further_texts_have_marks_of_their_own(lm):
    result = lm.generate(QUESTION, num_return_sequences=2, num_beams=4, max_new_tokens=60, **ECHO)
    assert result.others[0].text == "The text of How can we save monZy this month."
    assert (kinds(result), kinds(result.others[0])) == (["echo"], [])
