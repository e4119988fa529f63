"""The public names: a change of this list is a change for users."""

import neurologic

PREDICATES = [
    "characters",
    "count",
    "ends",
    "every",
    "first",
    "fully",
    "last",
    "lines",
    "near",
    "no",
    "nth",
    "order",
    "paragraphs",
    "prefer",
    "regex",
    "sentences",
    "some",
    "starts",
    "words",
]
OTHERS = [
    "ClauseReport",
    "DisjunctiveConstraint",
    "Formula",
    "Glossary",
    "LanguageModel",
    "NeurologicError",
    "PhrasalConstraint",
    "Phrase",
    "Request",
    "Result",
    "Scorer",
    "Term",
    "all_of",
    "any_of",
    "at_least",
    "at_most",
    "check",
    "decoder",
    "exactly",
    "explain",
    "from_force_words",
    "holds",
    "iff",
    "implies",
    "inflect",
    "load",
    "none_of",
    "occurs",
    "parse",
    "phrase",
    "to_clauses",
    "vocabulary",
    "wrap",
]


def test_the_public_names_are_these() -> None:
    assert sorted(neurologic.__all__) == sorted(PREDICATES + OTHERS)


def test_every_public_name_is_there() -> None:
    for name in neurologic.__all__:
        assert getattr(neurologic, name) is not None
