"""The sentences of WinoMT, and who in them has which gender."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from experiments.tasks.winomt.sentences_and_files import COOK, DEVELOPER, items, obeys, write
from neurologic.errors import DataError
from neurologic.experiments.tasks.winomt import genders, read_sentences
from neurologic.experiments.tasks.winomt.coreference import tagged


def test_sentences_with_the_person_and_the_gender(tmp_path):
    first, second, third = read_sentences(write(tmp_path))
    assert (first.number, first.gender, first.noun) == (1, "female", "developer")
    assert first.words[first.place] == "developer"
    assert (second.gender, second.words[second.place]) == ("male", "cook,")
    assert (third.gender, third.words[third.place]) == ("neutral", "construction")


def test_stereotypes_are_matched_by_gender_place_and_words(tmp_path):
    other = DEVELOPER.replace("female\t1", "female\t5").replace("\tdeveloper", "\tcook")
    write(tmp_path, DEVELOPER, COOK, en_pro__txt=COOK + "\n", en_anti__txt=f"{DEVELOPER}\n{other}\n")
    assert [sentence.subset for sentence in read_sentences(tmp_path)] == ["anti", "pro"]
    write(tmp_path, other.replace("late", "early"))
    assert [sentence.subset for sentence in read_sentences(tmp_path)] == [""]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("female\t1\tThe cook left.", "line 2: expected gender ⇥ place ⇥ sentence ⇥ noun"),
        ("woman\t1\tThe cook left.\tcook", "line 2: expected gender"),
        ("female\tone\tThe cook left.\tcook", "line 2: expected gender"),
        ("female\t3\tThe cook left.\tcook", "line 2: the sentence has no word 3"),
    ],
)
def test_lines_of_another_kind_are_told(tmp_path, line, told):
    write(tmp_path, DEVELOPER, line)
    with pytest.raises(DataError, match=told):
        read_sentences(tmp_path)


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
    ("resolver", "told"),
    [
        ("", "names no function"),
        ("my_coreference", "names no function"),
        ("no_such_module_here:resolve", "cannot be found"),
        ("my_coreference:nothing", "cannot be found"),
        ("my_coreference:number", "is not a function"),
        ("my_coreference:wrong", "expected places of words"),
        ("my_coreference:beyond", "expected places of words"),
        ("my_coreference:broken", r"broken failed on 'The developer .*: ZeroDivisionError: division by zero"),
    ],
)
def test_functions_that_will_not_do_are_told(tmp_path, monkeypatch, resolver, told):
    functions = {"wrong": lambda text: {1: "woman"}, "beyond": lambda text: {99: "male"}}
    module = SimpleNamespace(number=1, broken=lambda text: 1 / 0, **functions)
    monkeypatch.setitem(sys.modules, "my_coreference", module)
    with pytest.raises(DataError, match=told):
        items(write(tmp_path), gender="function", resolver=resolver)
