import pytest

from neurologic.errors import FormulaError
from neurologic.logic import check, parse, phrase, to_clauses


def verdicts(constraint, text, **options):
    return [(r.text, r.satisfied, r.state.name, r.by) for r in check(constraint, text, **options)]


def test_each_clause_is_judged_and_says_by_what():
    assert verdicts("inflect(dog) & (cat | !bird) & !fish", "Two dogs and a fish.") == [
        ("inflect(dog)", True, "S4", ("dogs",)),
        ("cat | !bird", True, "S3", ("bird",)),
        ("!fish", False, "S2", ()),
    ]


def test_a_phrase_that_is_wanted_just_once():
    assert verdicts("dog & !dog[times=2]", "A dog.") == [
        ("dog", True, "S4", ("dog",)),
        ("!dog[times=2]", True, "S3", ("dog[times=2]",)),
    ]
    assert [satisfied for _, satisfied, *_ in verdicts("dog & !dog[times=2]", "Dog eats dog.")] == [
        True,
        False,
    ]


def test_found_phrases_come_before_absent_ones():
    assert verdicts("cat | !bird", "a cat")[0][3] == ("cat",)
    assert verdicts("at_least(2, a, b, !c)", "a")[0][3] == ("a", "c")


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
