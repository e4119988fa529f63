"""Tables of kitchen words."""

from __future__ import annotations

from neurologic.experiments.tasks.recipes import kitchen_words
from neurologic.experiments.tasks.recipes.word_forms import singular


def test_tables_have_no_word_that_is_never_found() -> None:
    assert [one for one in kitchen_words.NAMING_PARTICIPLES if not one.endswith("ed") or len(one) < 5] == []
    assert [one for one in kitchen_words.NAMING_ADVERBS if not one.endswith("ly") or len(one) < 5] == []
    assert {last for _, last in kitchen_words.FORM_NAMES} <= kitchen_words.FORMS - kitchen_words.NOT_FOOD
    assert {last for *_, last in kitchen_words.PART_NAMES} <= kitchen_words.OTHER_ENDS - kitchen_words.PARTS
    nouns = kitchen_words.FORMS | kitchen_words.PREPARATIONS | kitchen_words.NOT_FOOD
    assert [one for one in nouns if singular(one) != one] == []
