"""Nouns in both genders."""

from __future__ import annotations

import pytest

from experiments.tasks.winomt.sample_data import DATA, needs_data, obeys
from neurologic.errors import DataError
from neurologic.experiments.tasks.winomt.formulas import formula
from neurologic.experiments.tasks.winomt.lexicon import NounPair, people, read_lexicon
from neurologic.experiments.tasks.winomt.sentences import read_sentences


def test_nouns_of_the_data_folder_are_added(tmp_path):
    (tmp_path / "professions.fr.tsv").write_text(
        "Cook\tcuistot\tcuistote\nbell ringer\tsonneur d’ église\tx\n"
    )
    lexicon = read_lexicon(tmp_path, "fr")
    assert lexicon["cook"][0] == NounPair("cuisinier", "cuisinière")
    assert lexicon["cook"][-1] == NounPair("cuistot", "cuistote")
    assert lexicon["bell ringer"] == (NounPair("sonneur d'église", "x"),)


def test_german_nouns_lose_their_articles(tmp_path):
    rows = "ID,German_MS,German_FS,English\n1,Der Bäcker,Die Bäckerin,The baker\n"
    rows += "2,Der Gärtner,Die Gärtnerin,The gardener\n"
    (tmp_path / "professions.de.csv").write_bytes(
        (rows + "3,Der Notar,Die Notarin,der*die Notar*in\n").encode("cp1252")
    )
    lexicon = read_lexicon(tmp_path, "de")
    assert lexicon["gardener"] == (NounPair("Gärtner", "Gärtnerin"),)
    assert lexicon["baker"] == (NounPair("Bäcker", "Bäckerin"),)
    assert not any("*" in noun for noun in lexicon)


@pytest.mark.parametrize("masculine", ["Beteiligte", "Beteiligter"])
def test_german_nouns_of_the_data_folder_may_be_declined_as_adjectives(tmp_path, masculine):
    rows = f"English,German_MS,German_FS\nThe participant,Der {masculine},Die Beteiligte\n"
    (tmp_path / "professions.de.csv").write_text(rows)
    lexicon = read_lexicon(tmp_path, "de")
    male, female = (formula(["participant"], {0: gender}, lexicon, "de") for gender in ("male", "female"))
    assert obeys(male, "Er half dem Beteiligten.")
    assert not obeys(male, "Er half der Beteiligten.")
    assert obeys(female, "Er half der Beteiligten.")
    assert not obeys(female, "Ein Beteiligter lachte.")


@pytest.mark.parametrize("language", ["fr", "de"])
def test_our_table_has_no_mark_that_means_nothing(language):
    pairs = [pair for several in read_lexicon("nowhere", language).values() for pair in several]
    assert {pair.kind for pair in pairs} == {"", {"fr": "bare", "de": "adjectival"}[language]}
    assert not any(mark in pair.masculine + pair.feminine for pair in pairs for mark in "[]/,")


@pytest.mark.parametrize(
    ("language", "name", "text", "message"),
    [
        ("fr", "professions.fr.tsv", "cook\tcuisinier\n", "line 1: expected English ⇥ masculine ⇥ feminine"),
        ("de", "professions.de.csv", "English,German\nThe cook,Der Koch\n", "no column German_MS"),
        ("de", "professions.de.csv", "English,German_MS,German_FS\nThe cook,Der Koch\n", "line 2: a column"),
    ],
)
def test_nouns_of_another_kind_are_reported(tmp_path, language, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_lexicon(tmp_path, language)


def test_everybody_in_a_sentence_by_the_longest_noun():
    text = "Someone met the construction worker, the CEO and the writer's cook."
    found = people(text.split(), read_lexicon("nowhere", "fr"))
    assert [person.noun for person in found] == ["someone", "construction worker", "ceo", "writer", "cook"]
    assert [(person.start, person.end) for person in found] == [(0, 1), (3, 5), (6, 7), (9, 10), (10, 11)]


@needs_data
@pytest.mark.parametrize(
    ("language", "without"), [("fr", {"victim"}), ("de", {"victim", "child", "someone"})]
)
def test_our_table_has_every_person_of_the_data(language, without):
    lexicon = read_lexicon("nowhere", language)
    assert {sentence.noun.lower() for sentence in read_sentences(DATA)} - set(lexicon) == without
