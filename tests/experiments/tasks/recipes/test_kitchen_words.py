"""Tables of kitchen words."""

from __future__ import annotations

from neurologic.experiments.tasks.recipes.kitchen_words import KITCHEN, PREPARATIONS
from neurologic.experiments.tasks.recipes.word_forms import singular


def last_words(table: str) -> set[str]:
    return {name.split()[-1] for name in KITCHEN[table]}


def test_tables_have_no_word_that_is_never_found() -> None:
    assert [word for word in KITCHEN["naming_participles"] if not word.endswith("ed") or len(word) < 5] == []
    assert [word for word in KITCHEN["naming_adverbs"] if not word.endswith("ly") or len(word) < 5] == []
    assert last_words("form_names") <= KITCHEN["forms"] - KITCHEN["not_food"]
    assert last_words("part_names") <= KITCHEN["other_ends"] - KITCHEN["parts"]
    nouns = KITCHEN["forms"] | PREPARATIONS | KITCHEN["not_food"]
    assert [word for word in nouns if singular(word) != word] == []
