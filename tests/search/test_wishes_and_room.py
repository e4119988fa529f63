"""Wishes weigh in the ranking and nowhere else; texts of limited length end well."""

from __future__ import annotations

import pytest

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.feasibility.rooms import MUCH_ROOM
from neurologic.logic import parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
from toys import ToyModel, toy_vocabulary, word_model

TWO_WAYS = word_model({"": {"a": 0.6, "b": 0.4}, "a": {"</s>": 0.9}, "b": {"</s>": 0.9}})


def best(model: ToyModel, formula: str, **knobs: object) -> Finished:
    one = SearchInput(EncodedPrompt((0,)), compile_formula(parse(formula), model.vocabulary))
    settings = SearchSettings(max_new_tokens=8, num_beams=4, **knobs)  # type: ignore[arg-type]
    return search(model, [one], NeuroLogicDecoder(), settings)[0].texts[0]


def test_a_wish_decides_between_texts_that_are_about_as_likely() -> None:
    assert best(TWO_WAYS, "a | b").text == b" a"
    wished = best(TWO_WAYS, "(a | b) & prefer(b, 2)")
    assert wished.text == b" b"
    assert wished.logprob == pytest.approx(best(TWO_WAYS, "b").logprob)  # the weight is no part of it


def test_a_wish_that_costs_more_than_its_weight_stays_unmet() -> None:
    assert best(TWO_WAYS, "(a | b) & prefer(b, 0.1)").text == b" a"


def test_a_text_ends_its_sentence_before_it_is_too_long() -> None:
    """The likeliest text goes on and on; a full stop is unlikely everywhere but after "home"."""
    on = {"on": 0.9, "home": 0.05, ".": 0.001}
    model = word_model({"": on, "on": on, "home": {".": 0.9}, ".": {"</s>": 0.99}})
    text = best(model, "words(..3)").text.decode()
    assert text.endswith("home.")


@pytest.mark.parametrize(
    ("text", "room"), [("", 3), ("it", 2), ("it it", 1), ("it it it", 0), ("it it it.", 3), ("it. it it", 1)]
)
def test_room_is_how_many_words_may_follow_in_the_sentence(text: str, room: int) -> None:
    vocabulary = toy_vocabulary(*(bytes([byte]) for byte in range(128)))
    constraint = compile_formula(parse("every(sentence, words(..3))"), vocabulary)
    after = constraint.matcher.read(constraint.matcher.start(), tuple(byte + 1 for byte in text.encode()))
    assert after is not None
    assert constraint.room(after[0]) == room
    assert compile_formula(parse("words(3..)"), vocabulary).room(0) == MUCH_ROOM


def test_characters_that_are_missing_are_known_where_their_number_matters() -> None:
    vocabulary = toy_vocabulary(*(bytes([byte]) for byte in range(128)))

    def missing(formula: str) -> tuple[int, ...]:
        constraint = compile_formula(parse(formula), vocabulary)
        after = constraint.matcher.read(constraint.matcher.start(), tuple(byte + 1 for byte in b"It is"))
        assert after is not None
        return constraint.landing(after[0])

    assert missing("characters(30..40) & sentences(1)") == (25,)
    assert missing("characters(..40)") == missing("words(12)") == missing("characters(10)") == ()


def test_a_plan_may_make_a_list() -> None:
    """Three required words in a row make a list, but here nothing else can satisfy the formula."""
    model = word_model(
        {word: {"a": 0.3, "b": 0.3, "c": 0.3} for word in ("", "a", "b", "c", "x")} | {"x": {"</s>": 0.9}}
    )
    formula = "words(3) & nth(1, word, a) & nth(2, word, b) & last(word, c)"
    one = SearchInput(EncodedPrompt((0,)), compile_formula(parse(formula), model.vocabulary))
    (output,) = search(model, [one], NeuroLogicDecoder(), SearchSettings(max_new_tokens=8, num_beams=2))
    assert output.kept
    assert output.texts[0].text == b" a b c"


def test_the_word_before_a_place_is_free() -> None:
    """A word at a place leaves no room before it, and is not to be paid early for that."""
    words = {"x": 0.9, "y": 0.05, "a": 0.001, "b": 0.001}
    model = word_model(dict.fromkeys(("", "x", "y", "a"), words) | {"b": {"</s>": 0.9}})
    text = best(model, "words(6) & nth(4, word, a) & last(word, b)").text
    assert text == b" x x x a x b"


def test_a_sentence_without_room_leaves_room_in_the_text() -> None:
    """A text that owes sentences may fill the one at hand: the next one has room again."""
    following = {"": {"one": 0.9}, "one": {"two": 0.9}, "two": {".": 0.9}, ".": {"one": 0.5, "</s>": 0.4}}
    text = best(word_model(following), "every(sentence, words(..2)) & sentences(2)").text
    assert text == b" one two. one two."


def test_a_text_that_ends_in_mid_sentence_comes_after_one_that_does_not() -> None:
    model = word_model({"": {"home": 0.9}, "home": {".": 0.05, "</s>": 0.9}, ".": {"home": 0.5, "</s>": 0.4}})
    assert best(model, "sentences(1..2)").text.endswith(b".")


def test_a_text_closes_its_sentence_before_a_line_that_it_owes() -> None:
    """The likeliest text ends no sentence before the time to pay; a full stop is not unlikely, though."""
    on = {"on": 0.7, ".": 0.2, "\n": 1e-6, "a": 1e-6}
    following = dict.fromkeys(("", "on", "a"), on) | {".": on | {"\n": 1e-4}, "\n": {"a": 0.5, "on": 0.5}}
    settings = SearchSettings(max_new_tokens=40, num_beams=4, alpha=4)
    model = word_model(following | {"a": {"</s>": 0.9, ".": 0.1}})
    one = SearchInput(
        EncodedPrompt((0,)), compile_formula(parse("lines(2) & last(line, starts(a))"), model.vocabulary)
    )
    text = search(model, [one], NeuroLogicDecoder(), settings)[0].texts[0].text.decode()
    assert text.splitlines()[0].rstrip().endswith(".")


def test_signs_inside_of_a_wanted_phrase_are_no_bad_ends() -> None:
    """The full stops of "P.S." end no sentence and need no word before them."""
    following = {"": {"x": 0.9}, "x": {".": 0.9, "P": 0.01}, ".": {"S": 0.4, "P": 0.4}, "P": {".": 0.9}}
    model = word_model(following | {"S": {".": 0.8, "</s>": 0.1}})
    text = best(model, 'words(..6) & "P. S."').text
    assert b" P. S." in text
