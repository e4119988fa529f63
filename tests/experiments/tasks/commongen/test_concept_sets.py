"""CommonGen's own files, and parts of speech."""

from __future__ import annotations

import pytest

from experiments.tasks.commongen.sample_data import DATA, real, write
from neurologic.errors import DataError
from neurologic.experiments.tasks.commongen.concept_sets import ConceptSet, read_concepts, read_sets


def test_concept_sets_are_distinct_and_in_order(tmp_path):
    write(tmp_path, concepts="ski hill\nski hill\n\ndog park\nski hill\n")
    assert read_concepts(tmp_path, "dev") == [("ski", "hill"), ("dog", "park")]


def test_references_of_a_set_are_gathered(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\nski hill\n", sentences="One.\nTwo.\nThree.\n")
    assert read_sets(tmp_path, "dev") == [
        ConceptSet(("ski", "hill"), (None, None), ("One.", "Three.")),
        ConceptSet(("dog", "park"), (None, None), ("Two.",)),
    ]


def test_a_blank_reference_is_none(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\n", sentences="One.\n  \n")
    assert [one.references for one in read_sets(tmp_path, "dev")] == [("One.",), ()]


def test_without_sentences_there_are_no_references(tmp_path):
    write(tmp_path, "test", concepts="ski hill\n")
    assert read_sets(tmp_path, "test") == [ConceptSet(("ski", "hill"), (None, None))]


def test_the_same_words_in_another_order_are_another_set(tmp_path):
    write(tmp_path, concepts="ski hill\nhill ski\n", sentences="One.\nTwo.\n")
    assert read_concepts(tmp_path, "dev") == [("ski", "hill"), ("hill", "ski")]


def test_lines_of_other_systems_and_odd_separators(tmp_path):
    (tmp_path / "commongen.dev.src_alpha.txt").write_bytes(b"\xef\xbb\xbfski hill\r\ndog park\r\n")
    (tmp_path / "commongen.dev.tgt.txt").write_bytes("One\u2028more.\r\nTwo.".encode())
    assert read_sets(tmp_path, "dev") == [
        ConceptSet(("ski", "hill"), (None, None), ("One\u2028more.",)),
        ConceptSet(("dog", "park"), (None, None), ("Two.",)),
    ]


def test_files_that_are_not_aligned_are_reported(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\n", sentences="One.\n")
    with pytest.raises(DataError, match=r"src_alpha\.txt has 2 lines and commongen\.dev\.tgt\.txt 1"):
        read_sets(tmp_path, "dev")


def test_a_missing_split_is_reported_with_those_that_are_there(tmp_path):
    write(tmp_path, concepts="ski hill\n")
    with pytest.raises(DataError, match=r"no .*commongen\.dve\.src_alpha\.txt; the splits there are dev"):
        read_concepts(tmp_path, "dve")
    with pytest.raises(DataError, match=r"nowhere"):
        read_concepts(tmp_path / "nowhere", "dev")


def test_data_that_is_no_text_is_reported(tmp_path):
    (tmp_path / "commongen.dev.src_alpha.txt").write_bytes(b"ski \xff")
    with pytest.raises(DataError, match="not UTF-8"):
        read_concepts(tmp_path, "dev")


def test_parts_of_speech_come_from_the_json_file(tmp_path):
    write(
        tmp_path,
        concepts="ski hill\ndog park\n",
        sentences="One.\nTwo.\n",
        described=[("dog_N#park_V", ["Two."]), ("hill_N#ski_V", ["One."])],
    )
    assert [one.parts_of_speech for one in read_sets(tmp_path, "dev")] == [("verb", "noun"), ("noun", "verb")]


def test_references_tell_sets_of_the_same_words_apart(tmp_path):
    described = [("cut_V#style_V", ["a", "b"]), ("cut_N#style_N", ["c"])]
    write(tmp_path, concepts="style cut\ncut style\ncut style\n", sentences="c\na\nb\n", described=described)
    assert [one.parts_of_speech for one in read_sets(tmp_path, "dev")] == [("noun", "noun"), ("verb", "verb")]


def test_a_word_can_be_there_twice(tmp_path):
    write(tmp_path, concepts="iron iron shirt\n", described=[("iron_N#iron_V#shirt_N", [])])
    assert read_sets(tmp_path, "dev")[0].parts_of_speech == ("noun", "verb", "noun")


def test_sets_that_are_not_described_have_none(tmp_path):
    write(tmp_path, concepts="ski hill\n", described=[("dog_N#park_V", ["Two."])])
    assert read_sets(tmp_path, "dev")[0].parts_of_speech == (None, None)


def test_tags_may_stand_in_the_concepts_themselves(tmp_path):
    write(tmp_path, concepts="dog_N run_V ice_cream _N\n")
    (one,) = read_sets(tmp_path, "dev")
    assert one.concepts == ("dog", "run", "ice_cream", "_N")
    assert one.parts_of_speech == ("noun", "verb", None, None)


def test_the_json_file_alone_is_enough(tmp_path):
    (tmp_path / "commongen.dev.jsonl").write_text(
        '{"concept_set": "field_N#look_V", "scene": ["A.", "B."], "reason": ["n/a"]}\n\n'
    )
    assert read_sets(tmp_path, "dev") == [ConceptSet(("field", "look"), ("noun", "verb"), ("A.", "B."))]


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "line 1: not JSON"), ("[]", "line 1: expected a JSON object"), ("{}", 'line 1: expected {"conc')],
)
def test_a_json_file_of_another_kind_is_reported(tmp_path, line, message):
    (tmp_path / "commongen.dev.jsonl").write_text(line + "\n")
    with pytest.raises(DataError) as error:
        read_sets(tmp_path, "dev")
    assert message in str(error.value)


@real
def test_the_dev_split():
    sets = read_sets(DATA, "dev")
    assert (len(sets), sum(len(one.references) for one in sets)) == (993, 4018)
    assert {tag for one in sets for tag in one.parts_of_speech} == {"noun", "verb"}
    by_concepts = {one.concepts: one for one in sets}
    assert by_concepts["cut", "style", "hair"].parts_of_speech == ("verb", "verb", "noun")
    assert by_concepts["hair", "cut", "style"].parts_of_speech == ("noun", "verb", "noun")


@real
def test_the_train_split():
    """The file has 32,651 runs of lines; 22 sets come back later."""
    sets = read_sets(DATA, "train")
    assert (len(sets), sum(len(one.references) for one in sets)) == (32629, 67389)
    assert {tag for one in sets for tag in one.parts_of_speech} == {None}
