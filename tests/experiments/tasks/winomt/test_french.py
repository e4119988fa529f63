"""Formulas for French."""

from __future__ import annotations

import pytest

from experiments.tasks.winomt.sentences_and_files import obeys
from neurologic.experiments.tasks.winomt import formula, read_lexicon
from neurologic.logic import to_clauses
from neurologic.logic.contradictions import find_contradiction


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
    asked = {literal.phrase.text for clause in to_clauses(someone) for literal in clause.literals}
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


def test_neutral_persons_may_have_either_form():
    either = french("The analyst laughed.", 1, "neutral")
    assert all(
        obeys(either, text) for text in ("L'analyste a ri.", "Une analyste a ri.", "Un analyste a ri.")
    )
    assert len(to_clauses(either)) == 1


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
                assert obeys(own, literal.phrase.text), (noun, literal.phrase.text)
                assert not obeys(other, literal.phrase.text), (noun, literal.phrase.text)
