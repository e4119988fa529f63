import pytest

from neurologic.errors import FormulaError
from neurologic.logic import check, parse, phrase, to_clauses


def verdicts(constraint, text, **options):
    return [(r.text, r.satisfied, r.state.name, r.reason) for r in check(constraint, text, **options)]


def test_each_clause_is_judged_and_says_by_what():
    assert verdicts("inflect(dog) & (cat | !bird) & !fish", "Two dogs and a fish.") == [
        ("inflect(dog)", True, "S4", "dogs"),
        ("cat | !bird", True, "S3", "no bird"),
        ("!fish", False, "S2", "fish"),
    ]


def test_a_phrase_that_is_wanted_just_once():
    assert verdicts("dog & !dog[times=2]", "A dog.") == [
        ("dog", True, "S4", "dog"),
        ("!dog[times=2]", True, "S3", "no dog[times=2]"),
    ]
    assert [satisfied for _, satisfied, *_ in verdicts("dog & !dog[times=2]", "Dog eats dog.")] == [
        True,
        False,
    ]


def test_found_phrases_come_before_absent_ones():
    assert verdicts("cat | !bird", "a cat")[0][3] == "cat"
    assert verdicts("at_least(2, a, b, !c)", "a")[0][3] == "a, no c"


def test_words_are_quoted_as_they_stand_in_the_text():
    assert verdicts('Ceramic & "flying disc"', "A ceramic FLYING\n disc, Ceramic.") == [
        ("Ceramic", True, "S4", "ceramic"),
        ('"flying disc"', True, "S4", "FLYING disc"),
    ]
    assert verdicts("dog[times=2]", "Dog eats dog, dog.")[0][3] == "Dog, dog"


def test_an_unmet_clause_names_the_forbidden_words_found():
    assert verdicts("!inflect(dog)", "Two Dogs.") == [("!inflect(dog)", False, "S2", "Dogs")]
    assert verdicts("at_most(1, red, green, blue)", "Red, green.")[0][3] == "Red, green"
    assert verdicts("cat", "Two dogs.") == [("cat", False, "S1", "")]


def test_a_forbidden_phrase_is_absent_and_satisfies_nothing_by_itself():
    found, absent = check("dog & !cat", "A dog.")
    assert (found.by, found.absent, "absent" in found.to_json()) == (("dog",), (), False)
    assert (absent.by, absent.absent, absent.to_json()["absent"]) == ((), ("cat",), ["cat"])


def test_every_form_of_constraint_is_taken():
    formula = parse("dog & !cat")
    for constraint in (formula, "dog & !cat", {"include": ["dog"], "exclude": ["cat"]}, to_clauses(formula)):
        assert [report.satisfied for report in check(constraint, "A dog")] == [True, True]
    assert check(None, "A dog") == check((), "A dog") == ()


def test_the_prompt_before_the_text_counts_for_boundaries():
    assert verdicts("!car", "car", before="os")[0][1]
    assert not verdicts("!car", "car", before="a ")[0][1]


def test_token_phrases_need_someone_who_knows_the_tokens():
    must = phrase("dog", match="tokens", ids=[3])
    with pytest.raises(FormulaError, match="token ids"):
        check(must, "dog")
    assert check(must, "dog", occurred=lambda phrase: True)[0].satisfied


LETTER = "However, the price is 20 euros. The warranty is two years, signed 2024-05-01."


@pytest.mark.parametrize(
    ("clause", "satisfied", "state", "reason"),
    [
        ("words(10..20)", True, "S3", "13 words"),
        ("words(10..)", True, "S4", "13 words"),
        ("words(..5)", False, "S2", "13 words"),
        ("!words(..5)", True, "S4", "13 words"),
        ("sentences(1)", False, "S1", "2 sentences"),
        ("order(price, warranty)", True, "S4", "price, warranty"),
        ("order(warranty, price)", False, "S1", "warranty, then no price"),
        ("near(3, euros, price)", True, "S4", "price is 20 euros"),
        ("near(1, price, warranty)", False, "S1", "4 words between"),
        ("starts(however)", True, "S4", "However"),
        ("starts(the)", False, "S2", "starts with However"),
        ("ends(years)", False, "S1", "ends with 2024-05-01."),
        (r"/\d{4}-\d\d-\d\d/", True, "S4", "2024-05-01"),
        ("every(sentence, the)", True, "S3", "2 sentences"),
        ("every(sentence, price)", False, "S1", "sentence 2: The warranty is two years, signed 2024-05-01."),
        ("some(sentence, warranty)", True, "S3", "1 of 2 sentences"),
        ("no(word, characters(8..))", False, "S1", "word 8: warranty, and 1 more"),
        ("first(sentence, price)", True, "S3", "However, the price is 20 euros."),
        ("nth(7, sentence, x)", False, "S1", "only 2 sentences"),
        ("dog | words(..3)", False, "S1", "13 words"),
        ('price[unless="the price"]', False, "S1", ""),
        ('price[unless="old price"]', True, "S3", "price"),
    ],
)
def test_predicates_say_what_the_text_has(clause, satisfied, state, reason):
    assert verdicts(clause, LETTER) == [(clause, satisfied, state, reason)]


def test_predicates_of_an_empty_text():
    reasons = [reason for *_, reason in verdicts("starts(a) & ends(a) & words(3) & near(1, a, b)", "")]
    assert reasons == ["", "", "0 words", ""]
