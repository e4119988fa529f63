"""CommonGen: its files in every layout, prompts, formulas, others' outputs, scores."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from neurologic.errors import DataError
from neurologic.logic import check, to_clauses
from neurologic.methods import METHODS, method_named
from neurologic.tasks import TASKS
from neurologic.tasks.base import options_of
from neurologic.tasks.commongen import (
    CommonGen,
    ConceptSet,
    conversation,
    formula,
    read_concepts,
    read_sets,
    supervised,
)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "commongen"


def write(folder, split="dev", concepts="", sentences=None, described=None):
    """Files as CommonGen has them; `described` are lines of its JSON."""
    (folder / f"commongen.{split}.src_alpha.txt").write_text(concepts)
    if sentences is not None:
        (folder / f"commongen.{split}.tgt.txt").write_text(sentences)
    if described is not None:
        lines = (json.dumps({"concept_set": words, "scene": scene}) for words, scene in described)
        (folder / f"commongen.{split}.jsonl").write_text("\n".join(lines))
    return folder


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


# -- prompts --------------------------------------------------------------------------------------


def items(folder, **options):
    task = CommonGen()
    return task.items(folder, "dev", options_of(task, options))


def test_the_prompt_ends_with_the_concepts_of_now():
    messages = conversation(("dog", "park"))
    assert [message["role"] for message in messages] == ["user", "assistant"] * 4 + ["user"]
    assert messages[-1]["content"] == "Write one simple sentence that uses all of these words: dog, park."


def test_zero_shot_has_no_examples_and_few_shot_ends_alike(tmp_path):
    write(tmp_path, concepts="dog park\n")
    (zero,), (few,) = items(tmp_path, prompt="zero-shot"), items(tmp_path)
    assert list(zero.prompt) == list(few.prompt)[-1:]
    assert (zero.raw, few.raw, zero.opening) == (False, False, "")


def test_an_opening_says_nothing_of_the_concepts(tmp_path):
    write(tmp_path, concepts="dog park\n")
    options = {"prompt": "opening", "lead-in": "A scene: ", "opening": "Two"}
    (one,) = items(tmp_path, **options)
    assert (one.prompt, one.raw, one.opening) == ("A scene: Two", True, "Two")
    (one,) = items(tmp_path, **options | {"lead-in": "", "opening": ""})
    assert (one.prompt, one.raw, one.opening) == ("", True, "")


def test_a_supervised_model_reads_what_it_was_trained_on(tmp_path):
    write(tmp_path, concepts="dog park\n")
    (one,) = items(tmp_path, prompt="supervised")
    assert (one.prompt, one.raw, one.opening) == (supervised(("dog", "park")), True, "")
    assert one.prompt == "dog park ="


def test_an_unknown_choice_is_told(tmp_path):
    with pytest.raises(DataError, match="prompt 'many-shot': choose one of few-shot, zero-shot"):
        items(tmp_path, prompt="many-shot")


@pytest.mark.parametrize("decoder", METHODS)
@pytest.mark.parametrize("prompt", ["few-shot", "zero-shot", "opening", "supervised"])
def test_every_decoder_can_take_its_settings(prompt, decoder):
    task = CommonGen()
    settings = task.settings(options_of(task, {"prompt": prompt}), decoder)
    method = method_named(decoder)
    assert method.settings(method.heeded(settings)).max_new_tokens == 32


def test_examples_in_the_prompt_do_not_block_the_words_of_decoders_without_constraints():
    """Their n-gram blocking counts the prompt, so that no sentence could begin as an example does."""
    task = CommonGen()

    def blocked(prompt, decoder):
        return task.settings(options_of(task, {"prompt": prompt}), decoder)["no_repeat_ngram_size"]

    assert [blocked("few-shot", decoder) for decoder in ("beam", "greedy", "neurologic", "dba")] == [
        0,
        0,
        3,
        3,
    ]
    assert blocked("supervised", "beam") == 3


# -- formulas -------------------------------------------------------------------------------------


def forms(one):
    return [[literal.phrase.text for literal in clause.literals] for clause in to_clauses(one.formula)]


def test_the_formula_takes_any_inflected_form():
    first, second = to_clauses(formula(("catch", "dog")))
    assert "caught" in [literal.phrase.text for literal in first.literals]
    assert second.text == "inflect(dog)"


def test_forms_by_part_of_speech_or_all_of_them(tmp_path):
    write(tmp_path, concepts="dog run\n", described=[("dog_N#run_V", [])])
    (tagged,), (every,) = items(tmp_path), items(tmp_path, forms="every")
    assert forms(tagged) == [["dog", "dogs"], ["run", "ran", "running", "runs"]]
    assert "dogged" in forms(every)[0]


def test_the_official_clauses(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\n")
    (tmp_path / "dev.clauses.jsonl").write_text(
        '[["dog", "Dogs"], ["park"]]\n[["hill"], ["ski", "skiing"]]\n'
    )
    (tmp_path / "dev.clauses.concepts.txt").write_text("dog_N#park_N\nhill_N#ski_V")
    first, second = items(tmp_path, forms="official")
    assert (forms(first), forms(second)) == ([["hill"], ["ski", "skiing"]], [["dog", "Dogs"], ["park"]])
    assert all(report.satisfied for report in check(second.formula, "Two dogs in the park"))


def test_official_clauses_of_the_same_words_go_by_part_of_speech(tmp_path):
    described = [("cut_V#style_V", ["a"]), ("cut_V#style_N", ["b"])]
    write(tmp_path, concepts="cut style\nstyle cut\n", sentences="a\nb\n", described=described)
    (tmp_path / "dev.clauses.jsonl").write_text('[["cut"], ["style"]]\n[["cut"], ["styled"]]\n')
    (tmp_path / "dev.clauses.concepts.txt").write_text("cut_V#style_N\ncut_V#style_V\n")
    assert [forms(one)[1] for one in items(tmp_path, forms="official")] == [["styled"], ["style"]]


@pytest.mark.parametrize(
    ("lines", "concepts", "told"),
    [
        (None, "", r"there is no .*dev\.clauses\.jsonl"),
        ('[["dog"]]\n', "a_N\nb_N\n", "has 1 lines, and dev.clauses.concepts.txt has 2"),
        ('[["dog"]]\n', "dog_N\n", "no clauses for the concepts ski hill"),
        ("{}\n", "hill_N#ski_V\n", "line 1: expected a list of clauses"),
        ("[\n", "hill_N#ski_V\n", "line 1: not JSON"),
        ("[[1]]\n", "hill_N#ski_V\n", "line 1: "),
    ],
)
def test_official_clauses_that_do_not_fit_are_told(tmp_path, lines, concepts, told):
    write(tmp_path, concepts="ski hill\n")
    if lines is not None:
        (tmp_path / "dev.clauses.jsonl").write_text(lines)
        (tmp_path / "dev.clauses.concepts.txt").write_text(concepts)
    with pytest.raises(DataError, match=told):
        items(tmp_path, forms="official")


# -- outputs of others ----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    return write(
        tmp_path,
        concepts="ski hill\nski hill\ndog park\ndog park\nice rink\n",
        sentences="A.\nB.\nC.\nD.\nE.\n",
    )


def outputs(folder, text, items_=None):
    path = folder / "outputs.txt"
    path.write_bytes(text.encode())
    return CommonGen().outputs(path, folder, "dev", items(folder) if items_ is None else items_)


@pytest.mark.parametrize(
    "text", ["1\n2\n3\n", "1\n2\n3", "1\r\n2\r\n3\r\n", "\ufeff1\n2\n3\n\n", "1\na\n2\nb\n3\n"]
)
def test_one_output_a_set_or_a_reference(folder, text):
    """Of several outputs for a set the first one counts, as in CommonGen's script."""
    assert outputs(folder, text) == ["1", "2", "3"]


def test_outputs_may_be_blank(folder):
    assert outputs(folder, "1\n\n3\n") == ["1", "", "3"]
    assert outputs(folder, "1\n2\n\n") == ["1", "2", ""]
    assert outputs(folder, "\n\n\n") == ["", "", ""]
    assert outputs(folder, "1\n\n2\n\n\n") == ["1", "2", ""]


def test_outputs_of_all_inputs_or_of_the_chosen_ones(folder):
    chosen = [items(folder)[0], items(folder)[2]]
    assert outputs(folder, "1\n2\n3\n", chosen) == ["1", "3"]
    assert outputs(folder, "1\n3\n", chosen) == ["1", "3"]
    assert outputs(folder, "1\na\n2\nb\n3\n", chosen) == ["1", "3"]


@pytest.mark.parametrize(("text", "found"), [("", 0), ("1\n", 1), ("1\n2\n3\n4\n", 4), ("1\n" * 6, 6)])
def test_another_number_of_outputs_is_told(folder, text, found):
    with pytest.raises(DataError) as error:
        outputs(folder, text)
    assert f"has {found} line{'s' if found != 1 else ''}; expected 3 (one a concept set)" in str(error.value)
    assert "or 5 (one a reference)" in str(error.value)


def test_outputs_for_the_hubs_layout(tmp_path):
    (tmp_path / "validation.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert outputs(tmp_path, "1\n2\n") == ["1", "2"]


def test_a_missing_file_of_outputs_is_told(folder):
    with pytest.raises(DataError, match=r"there is no .*none\.txt"):
        CommonGen().outputs(folder / "none.txt", folder, "dev", items(folder))


# -- scores ---------------------------------------------------------------------------------------


@pytest.fixture
def metrics(monkeypatch):
    for package in CommonGen.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")  # METEOR takes ten seconds


def test_scores_in_the_order_of_the_papers_tables(metrics, folder):
    scores = CommonGen().measure(["A hill to ski.", "A dog.", "An ice rink."], items(folder))
    assert [score.name for score in scores] == [
        *("rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage")
    ]
    values = {score.name: score.value for score in scores}
    assert values["coverage"] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    assert values["spice"] is None


def test_without_references_only_coverage_has_a_value(metrics, tmp_path):
    write(tmp_path, concepts="dog run\nice rink\n")
    scores = CommonGen().measure(["A dog\nruns.", ""], items(tmp_path))
    assert {score.name: score.value for score in scores if score.value is not None} == {"coverage": 50}
    assert {score.reason for score in scores if score.value is None} == {"the data has no references"}


def test_references_for_some_inputs_only_are_told(metrics, tmp_path):
    write(tmp_path, concepts="dog run\nice rink\n", sentences="A.\n\n")
    with pytest.raises(DataError, match="ice rink has no references, but others have"):
        CommonGen().measure(["A", "B"], items(tmp_path))


# -- the real data --------------------------------------------------------------------------------

real = pytest.mark.skipif(not DATA.is_dir(), reason=f"CommonGen is not at {DATA}")


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


@real
@pytest.mark.parametrize("forms", ["part-of-speech", "every", "official"])
def test_sentences_of_people_satisfy_the_formulas(forms):
    """Nearly: the concepts were taken from some of them, and people took liberties with others."""
    found = items(DATA, forms=forms)
    reports = [report for one in found[::10] for report in check(one.formula, one.references[-1])]
    assert sum(report.satisfied for report in reports) / len(reports) > (0.8 if forms == "official" else 0.98)


def test_every_task_keeps_its_part_of_the_contract():
    for name, task in TASKS.items():
        assert task.name == name
        assert all(option.default or not option.choices for option in task.options)
        assert task.examples.strip().startswith(f"neurologic eval {name}")
