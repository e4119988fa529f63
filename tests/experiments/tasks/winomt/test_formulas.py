"""Formulas of either language, and the authors' clauses."""

from __future__ import annotations

import json

import pytest

from experiments.tasks.winomt.sample_data import (
    DATA,
    DEVELOPER,
    items,
    needs_data,
    obeys,
    write,
)
from neurologic.errors import DataError
from neurologic.experiments.tasks.winomt.formulas import formula
from neurologic.experiments.tasks.winomt.lexicon import read_lexicon
from neurologic.logic import to_clauses
from neurologic.logic.contradictions import find_contradiction


def french(text, place, gender, pairs=None):
    lexicon = read_lexicon("nowhere", "fr") if pairs is None else pairs
    return formula(text.split(), {place: gender}, lexicon, "fr")


def test_only_those_with_a_known_gender_are_constrained():
    text = "The developer met the cook."
    lexicon = read_lexicon("nowhere", "fr")
    assert formula(text.split(), {}, lexicon) is None
    assert formula(text.split(), {0: "female"}, lexicon) is None  # "The" is nobody
    assert formula(["The", "victim", "left."], {1: "male"}, lexicon) is None
    both = formula(text.split(), {1: "female", 4: "male"}, lexicon)
    assert obeys(both, "La développeuse a rencontré le cuisinier.")
    assert not obeys(both, "La développeuse a rencontré la cuisinière.")


def test_nouns_that_another_person_shares_are_left_out():
    """The cook may be a cheffe too, so that the word says nothing of the chief."""
    chief = french("The chief met the cook.", 1, "female")
    assert obeys(chief, "La patronne a rencontré le chef.")
    assert not obeys(chief, "Le patron a rencontré la cheffe.")


def test_where_all_nouns_are_shared_none_is_forbidden():
    client = french("The client met the customer.", 1, "female")
    assert obeys(client, "La cliente a rencontré le client.")
    assert not obeys(client, "Le client a rencontré le client.")


@pytest.mark.parametrize("language", ["fr", "de"])
@pytest.mark.parametrize("gender", ["male", "female", "neutral"])
def test_no_formula_of_our_table_contradicts_itself(language, gender):
    lexicon = read_lexicon("nowhere", language)
    for noun in lexicon:
        one = formula(noun.split(), {0: gender}, lexicon, language)
        assert one is not None
        assert find_contradiction(to_clauses(one)) is None, noun


@pytest.mark.parametrize("language", ["fr", "de"])
def test_what_one_gender_asks_for_the_other_forbids(language):
    """For every noun: no phrase that one gender asks for obeys the formula of the other."""
    lexicon = read_lexicon("nowhere", language)
    for noun in lexicon:
        male, female = (
            formula(noun.split(), {0: gender}, lexicon, language) for gender in ("male", "female")
        )
        for own, other in ((male, female), (female, male)):
            for literal in to_clauses(own)[0].literals:
                assert obeys(own, literal.atom.text), (noun, literal.atom.text)
                assert not obeys(other, literal.atom.text), (noun, literal.atom.text)


def test_neutral_persons_may_have_either_form():
    either = french("The analyst laughed.", 1, "neutral")
    assert all(
        obeys(either, text) for text in ("L'analyste a ri.", "Une analyste a ri.", "Un analyste a ri.")
    )
    assert len(to_clauses(either)) == 1


@needs_data
def test_every_sentence_of_the_data_but_the_victims_has_a_formula():
    without = {item.fields["noun"] for item in items(DATA) if item.formula is None}
    assert without == {"victim"}


@needs_data
@pytest.mark.parametrize("language", ["fr", "de"])
def test_no_formula_of_the_data_contradicts_itself(language):
    prompts = {item.formula: item.prompt for item in items(DATA, language=language)}  # each formula once
    for one, prompt in prompts.items():
        assert one is None or find_contradiction(to_clauses(one)) is None, prompt


def test_the_official_clauses(tmp_path):
    lines = [
        {
            "positive": [["La chef", "la chef", "a l’analyste"]],
            "negative": [["le chef", "chef"], ["Le chef"]],
        },
        {"positive": [[]], "negative": [["le chef"], ["la chef"]]},
        {"positive": [[]], "negative": [[]]},
    ]
    write(tmp_path, fr_constraints__jsonl="".join(json.dumps(line) + "\n" for line in lines))
    first, second, third = items(tmp_path, forms="official")
    # "chef" alone would forbid "la chef".
    assert str(first.formula) == '("La chef" | "a l\'analyste") & !"le chef"'
    assert str(second.formula) == '!"le chef" & !"la chef"'
    assert third.formula is None


@needs_data
def test_official_clauses_that_only_forbid_are_those_of_neutral_persons():
    forbidding = []
    for item in items(DATA, forms="official"):
        clauses = to_clauses(item.formula) if item.formula is not None else ()
        if clauses and not any(one.positive for clause in clauses for one in clause.literals):
            forbidding.append(item.fields["gender"])
    assert forbidding == ["neutral"] * 123


def test_official_clauses_are_for_french_and_gold_genders(tmp_path):
    write(tmp_path)
    with pytest.raises(DataError, match="for French and gold genders"):
        items(tmp_path, forms="official", language="de")


@pytest.mark.parametrize(
    "line", ['{"positive": 1, "negative": []}', '{"negative": []}', '{"positive": [[1]], "negative": []}']
)
def test_official_clauses_of_another_kind_are_reported(tmp_path, line):
    write(tmp_path, DEVELOPER, fr_constraints__jsonl=line)
    with pytest.raises(DataError, match="line 1: expected"):
        items(tmp_path, forms="official")
