"""CommonGen's data in every layout: its own files, parts of speech, the hub's."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from experiments.tasks.commongen.files import write
from neurologic.errors import DataError
from neurologic.experiments.tasks.commongen import ConceptSet, read_concepts, read_sets

# -- CommonGen's own files ------------------------------------------------------------------------


def test_concept_sets_are_distinct_and_in_order(tmp_path):
    write(tmp_path, concepts="ski hill\nski hill\n\ndog park\nski hill\n")
    assert read_concepts(tmp_path, "dev") == [("ski", "hill"), ("dog", "park")]


def test_references_of_a_set_are_gathered(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\nski hill\n", sentences="One.\nTwo.\nThree.\n")
    assert read_sets(tmp_path, "dev") == [
        ConceptSet(("ski", "hill"), ("One.", "Three."), (None, None)),
        ConceptSet(("dog", "park"), ("Two.",), (None, None)),
    ]


def test_a_blank_reference_is_none(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\n", sentences="One.\n  \n")
    assert [one.references for one in read_sets(tmp_path, "dev")] == [("One.",), ()]


def test_without_sentences_there_are_no_references(tmp_path):
    write(tmp_path, "test", concepts="ski hill\n")
    assert read_sets(tmp_path, "test") == [ConceptSet(("ski", "hill"))]


def test_the_same_words_in_another_order_are_another_set(tmp_path):
    write(tmp_path, concepts="ski hill\nhill ski\n", sentences="One.\nTwo.\n")
    assert read_concepts(tmp_path, "dev") == [("ski", "hill"), ("hill", "ski")]


def test_lines_of_other_systems_and_odd_separators(tmp_path):
    (tmp_path / "commongen.dev.src_alpha.txt").write_bytes(b"\xef\xbb\xbfski hill\r\ndog park\r\n")
    (tmp_path / "commongen.dev.tgt.txt").write_bytes("One\u2028more.\r\nTwo.".encode())
    assert read_sets(tmp_path, "dev") == [
        ConceptSet(("ski", "hill"), ("One\u2028more.",)),
        ConceptSet(("dog", "park"), ("Two.",)),
    ]


def test_files_that_are_not_aligned_are_told(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\n", sentences="One.\n")
    with pytest.raises(DataError, match=r"src_alpha\.txt has 2 lines and commongen\.dev\.tgt\.txt 1"):
        read_sets(tmp_path, "dev")


def test_a_missing_split_is_told_with_those_that_are_there(tmp_path):
    write(tmp_path, concepts="ski hill\n")
    with pytest.raises(DataError, match=r"no .*commongen\.dve\.src_alpha\.txt; the splits there are dev"):
        read_concepts(tmp_path, "dve")
    with pytest.raises(DataError, match=r"nowhere"):
        read_concepts(tmp_path / "nowhere", "dev")


def test_data_that_is_no_text_is_told(tmp_path):
    (tmp_path / "commongen.dev.src_alpha.txt").write_bytes(b"ski \xff")
    with pytest.raises(DataError, match="not UTF-8"):
        read_concepts(tmp_path, "dev")


# -- parts of speech ------------------------------------------------------------------------------


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
    assert read_sets(tmp_path, "dev") == [ConceptSet(("field", "look"), ("A.", "B."), ("noun", "verb"))]


@pytest.mark.parametrize(
    ("line", "told"),
    [("{", "line 1: not JSON"), ("[]", "line 1: expected a JSON object"), ("{}", 'line 1: expected {"conc')],
)
def test_a_json_file_of_another_kind_is_told(tmp_path, line, told):
    (tmp_path / "commongen.dev.jsonl").write_text(line + "\n")
    with pytest.raises(DataError) as error:
        read_sets(tmp_path, "dev")
    assert told in str(error.value)


def test_parts_of_speech_belong_to_concepts():
    with pytest.raises(ValueError, match="2 concepts, but 1 parts of speech"):
        ConceptSet(("dog", "run"), parts_of_speech=("noun",))


# -- the hub's files ------------------------------------------------------------------------------

ROWS = [
    {"concept_set_idx": 0, "concepts": ["ski", "hill"], "target": "One."},
    {"concept_set_idx": 0, "concepts": ["ski", "hill"], "target": "Two."},
    {"concept_set_idx": 1, "concepts": ["dog", "park"], "target": ""},
]
SETS = [ConceptSet(("ski", "hill"), ("One.", "Two.")), ConceptSet(("dog", "park"))]


@pytest.mark.parametrize("name", ["validation.jsonl", "dev.jsonl", "common_gen/validation.jsonl"])
def test_rows_as_json_lines(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert read_sets(tmp_path, "dev") == read_sets(tmp_path, "validation") == SETS


def test_rows_as_one_json_list_and_as_lines_under_the_same_name(tmp_path):
    (tmp_path / "train.json").write_text(json.dumps(ROWS, indent=1))
    assert read_sets(tmp_path, "train") == SETS
    (tmp_path / "train.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert read_sets(tmp_path, "train") == SETS


def test_rows_in_several_files(tmp_path):
    for number, row in enumerate(ROWS):
        (tmp_path / f"train-0000{number}-of-00003.jsonl").write_text(json.dumps(row))
    assert read_sets(tmp_path, "train") == SETS


def test_rows_as_parquet(tmp_path, monkeypatch):
    """With a stand-in for pyarrow, so that the test runs without it."""
    path = tmp_path / "validation-00000-of-00001.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace())
    table = SimpleNamespace(to_pylist=lambda: ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", SimpleNamespace(read_table=lambda given: table))
    assert read_sets(tmp_path, "dev") == SETS


def test_real_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "validation-00000-of-00001.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    assert read_sets(tmp_path, "dev") == SETS
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match="cannot read"):
        read_sets(tmp_path, "dev")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "validation-00000-of-00001.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(DataError, match="install pyarrow"):
        read_sets(tmp_path, "dev")


def test_a_name_that_is_no_folder_goes_to_datasets(tmp_path, monkeypatch):
    asked = []

    def load_dataset(name, split):
        asked.append((name, split))
        if split == "dve":
            raise ValueError("Unknown split")
        return ROWS

    datasets = SimpleNamespace(load_dataset=load_dataset, __spec__=SimpleNamespace())
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    monkeypatch.chdir(tmp_path)
    assert read_sets("common_gen", "dev") == SETS
    assert asked == [("common_gen", "validation")]
    with pytest.raises(DataError, match="no folder common_gen, and datasets cannot load it: Unknown split"):
        read_sets("common_gen", "dve")


@pytest.mark.parametrize(
    "row",
    [{"concepts": "ski hill", "target": "One."}, {"target": "One."}, {"concepts": ["ski"], "target": 1}],
)
def test_rows_of_another_kind_are_told(tmp_path, row):
    (tmp_path / "train.jsonl").write_text(json.dumps(row))
    with pytest.raises(DataError, match=r'row 1: expected "concepts" \(a list of words\) and "target"'):
        read_sets(tmp_path, "train")
