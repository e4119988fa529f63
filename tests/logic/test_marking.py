"""Marked parts of texts: required phrases, and forbidden ones that occur."""

import pytest

from neurologic.logic import check, parse, to_clauses
from neurologic.logic.marking import Mark, marked


def parts(formula: str, text: str) -> list[tuple[str, str]]:
    clauses = to_clauses(parse(formula))
    found = marked(text, clauses, check(clauses, text))
    assert "".join(part.text for part in found) == text
    return [(part.text, part.mark.name) for part in found if part.mark is not Mark.NONE]


@pytest.mark.parametrize(
    ("formula", "text", "found"),
    [
        ("inflect(dog) & !cat", "Dogs and a CAT.", [("Dogs", "FOUND"), ("CAT", "FORBIDDEN")]),
        ("!rain | umbrella", "rain, umbrella", [("umbrella", "FOUND")]),
        ("!rain | umbrella", "rain", [("rain", "FORBIDDEN")]),
        ("at_least(2, red, green, blue)", "a red car", [("red", "FOUND")]),
        ("at_most(1, red, green)", "red green", [("red", "FORBIDDEN"), ("green", "FORBIDDEN")]),
        ('"ice cream" & cream', "ice cream", [("ice cream", "FOUND")]),
        ("fully(/[0-9]+-[0-9]+/)", " 20-24\n", [("20-24", "FOUND")]),
        ("fully(/[0-9]+/)", "20-24", []),
        ("every(sentence, inflect(dog))", "A dog. Two dogs. A cat.", [("dog", "FOUND"), ("dogs", "FOUND")]),
        ("every(sentence, words(..3))", "A dog. A cat.", []),
        ("some(sentence, words(..2))", "A dog ran by. No cat!", [("No cat!", "FOUND")]),
        ("nth(3, word, dog)", " A big dog, a dog.", [("dog", "FOUND")]),
        ("nth(2, word, dog)", "A big dog, a dog.", []),
        ("last(word, characters(..4))", "A dog ran.", [("ran", "FOUND")]),
        ("no(word, characters(5..))", "A great dog.", [("great", "FORBIDDEN")]),
        ("count(2.., sentence, dog)", "A dog. A cat. Dogs? The dog!", [("dog", "FOUND"), ("dog", "FOUND")]),
        ("!some(word, dog)", "A dog.", []),
        ("every(sentence, some(word, dog))", "The dog. A dog.", [("dog", "FOUND"), ("dog", "FOUND")]),
    ],
)
def test_marks(formula, text, found):
    assert parts(formula, text) == found


def test_phrases_matched_on_tokens_are_not_marked():
    clauses = to_clauses(parse("dog[match=tokens]"))
    assert [part.mark for part in marked("dog", clauses, ())] == [Mark.NONE]


def test_the_phrases_of_predicates_and_matches_are_marked():
    clauses = to_clauses(parse("order(dog, cat) & /2[0-9]+/ & words(..9) & !starts(dog)"))
    text = "A cat, a dog, a cat of 2024."
    found = [part.text for part in marked(text, clauses, check(clauses, text)) if part.mark is Mark.FOUND]
    assert found == ["cat", "dog", "cat", "2024"]
