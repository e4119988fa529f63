"""Who in a sentence has which gender."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from experiments.tasks.winomt.sample_data import (
    COOK,
    DATA,
    items,
    needs_data,
    obeys,
    write,
)
from neurologic.errors import DataError
from neurologic.experiments.tasks.winomt.coreference import genders, tagged
from neurologic.experiments.tasks.winomt.lexicon import people, read_lexicon
from neurologic.experiments.tasks.winomt.sentences import read_sentences


def test_gold_genders_are_those_of_the_data(tmp_path):
    sentences = read_sentences(write(tmp_path))
    assert genders(tmp_path, sentences, "gold") == [{1: "female"}, {5: "male"}, {3: "neutral"}]


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("the developer <F> argued with the cook , because she was late .", {1: "female"}),
        ("the developer argued with the cook <M> , because he was late .", {5: "male"}),
        ("the developer argued with the cook  , because they were late .", {}),
        # A tag inside of a word was meant for another word.
        ("the develop <F>er argued with the cook , because she was late .", {}),
        # The first of two counts.
        ("the cook <F> struck a friendship because she cook <F>ed .", {}),
        ("<F> the developer", {}),
    ],
)
def test_tags_of_a_coreference_model(line, places):
    assert tagged(line, COOK.split("\t")[2].split()) == places


def test_tags_find_their_word_though_tokens_differ():
    words = ["The", "auditor", "couldn't", "examine", "the", "farmer", "'s", "farm."]
    line = "the auditor couldn &apos;t examine the farmer <M> &apos; s farm ."
    assert tagged(line, words) == {5: "male"}


def test_tags_need_a_line_for_each_sentence(tmp_path):
    write(tmp_path, coref__roberta__tagged="the developer <F> argued\n")
    with pytest.raises(DataError, match="has 1 lines for 3 sentences"):
        items(tmp_path, gender="coref")


def test_a_function_of_ones_own(tmp_path, monkeypatch):
    asked = []

    def resolve(sentence):
        asked.append(sentence)
        return {1: "male"} if "argued" in sentence else {}

    monkeypatch.setitem(sys.modules, "my_coreference", SimpleNamespace(resolve=resolve))
    first, second, third = items(write(tmp_path), gender="function", resolver="my_coreference:resolve")
    assert asked == [one.prompt for one in (first, second, third)]
    assert obeys(first.formula, "Le développeur")
    assert third.formula is None


@pytest.mark.parametrize(
    ("resolver", "message"),
    [
        ("", "names no function"),
        ("my_coreference", "names no function"),
        ("no_such_module_here:resolve", "cannot find the resolver"),
        ("my_coreference:nothing", "cannot find the resolver"),
        ("my_coreference:number", "is not a function"),
        ("my_coreference:wrong", "expected places of words"),
        ("my_coreference:beyond", "expected places of words"),
        ("my_coreference:broken", r"broken failed on 'The developer .*: ZeroDivisionError: division by zero"),
    ],
)
def test_functions_that_will_not_do_are_reported(tmp_path, monkeypatch, resolver, message):
    functions = {"wrong": lambda text: {1: "woman"}, "beyond": lambda text: {99: "male"}}
    module = SimpleNamespace(number=1, broken=lambda text: 1 / 0, **functions)
    monkeypatch.setitem(sys.modules, "my_coreference", module)
    with pytest.raises(DataError, match=message):
        items(write(tmp_path), gender="function", resolver=resolver)


@needs_data
def test_how_often_the_coreference_tags_are_right():
    """77% if the tag had to stand at the data's place, which in "construction worker" it does not."""
    sentences = read_sentences(DATA)
    found = genders(DATA, sentences, "coref")
    lexicon = read_lexicon(DATA, "fr")
    right = 0
    for sentence, places in zip(sentences, found, strict=True):
        meant = [one for one in people(sentence.words, lexicon) if one.start <= sentence.place < one.end]
        right += any(
            gender == sentence.gender and one.start <= place < one.end
            for one in meant
            for place, gender in places.items()
        )
    assert round(100 * right / len(sentences), 1) == 78.8
