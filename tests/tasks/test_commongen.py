import pytest

from neurologic.errors import DataError
from neurologic.logic import to_clauses
from neurologic.tasks.commongen import conversation, formula, read_concepts


def test_concept_sets_are_distinct_and_in_order(tmp_path):
    (tmp_path / "commongen.dev.src_alpha.txt").write_text("ski hill\nski hill\n\ndog park\nski hill\n")
    assert read_concepts(tmp_path, "dev") == [("ski", "hill"), ("dog", "park")]


def test_a_missing_split_is_told_with_those_that_are_there(tmp_path):
    (tmp_path / "commongen.dev.src_alpha.txt").write_text("ski hill\n")
    with pytest.raises(DataError, match=r"no .*commongen\.dve\.src_alpha\.txt; the splits there are dev"):
        read_concepts(tmp_path, "dve")
    with pytest.raises(DataError, match=r"nowhere"):
        read_concepts(tmp_path / "nowhere", "dev")


def test_data_that_is_no_text_is_told(tmp_path):
    (tmp_path / "commongen.dev.src_alpha.txt").write_bytes(b"ski \xff")
    with pytest.raises(DataError, match="not UTF-8"):
        read_concepts(tmp_path, "dev")


def test_the_prompt_ends_with_the_concepts_of_now():
    messages = conversation(("dog", "park"))
    assert [message["role"] for message in messages] == ["user", "assistant"] * 4 + ["user"]
    assert messages[-1]["content"] == "Write one simple sentence that uses all of these words: dog, park."


def test_the_formula_takes_any_inflected_form():
    first, second = to_clauses(formula(("catch", "dog")))
    assert "caught" in [literal.phrase.text for literal in first.literals]
    assert second.text == "inflect(dog)"
