"""CommonGen as a task: splits, outputs of other programs, scores."""

from __future__ import annotations

import json

import pytest

from experiments.tasks.commongen.sample_data import items, write
from neurologic.errors import DataError
from neurologic.experiments.tasks.base import options_of
from neurologic.experiments.tasks.commongen import CommonGen
from neurologic.experiments.training.pairs import sample


def test_held_out_sets_are_those_that_training_leaves_out(tmp_path):
    words = [f"w{number} dog" for number in range(40)]
    (tmp_path / "commongen.train.src_alpha.txt").write_text("".join(f"{line}\n{line}\n" for line in words))
    (tmp_path / "commongen.train.tgt.txt").write_text("One.\nTwo.\n" * len(words))
    task = CommonGen()
    items = task.items(tmp_path, "held-out", options_of(task, {"prompt": "supervised"}))
    trained = {pair.source for pair in sample(task.pairs(tmp_path, "train"), held_out=256).training}
    assert len(items) == 4  # a tenth
    assert {item.prompt for item in items}.isdisjoint(trained)
    assert len(trained) + len(items) == 40
    assert items[0].references == ("One.", "Two.")
    (tmp_path / "out.txt").write_text("One.\n" * 4)
    assert task.outputs(tmp_path / "out.txt", tmp_path, "held-out", items) == ["One."] * 4


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


def test_outputs_of_all_inputs_or_of_the_chosen_ones(folder):
    chosen = [items(folder)[0], items(folder)[2]]
    assert outputs(folder, "1\n2\n3\n", chosen) == ["1", "3"]
    assert outputs(folder, "1\n3\n", chosen) == ["1", "3"]
    assert outputs(folder, "1\na\n2\nb\n3\n", chosen) == ["1", "3"]


@pytest.mark.parametrize(("text", "found"), [("", 0), ("1\n", 1), ("1\n2\n3\n4\n", 4), ("1\n" * 6, 6)])
def test_another_number_of_outputs_is_reported(folder, text, found):
    with pytest.raises(DataError) as error:
        outputs(folder, text)
    lines = f"{found} line" if found == 1 else f"{found} lines"
    assert f"has {lines}; expected 3 (one per concept set)" in str(error.value)
    assert "or 5 (one per reference)" in str(error.value)


def test_outputs_for_the_hubs_layout(tmp_path):
    rows = [{"concept_set_idx": 0, "concepts": [word], "target": "One."} for word in ("ski", "hill")]
    (tmp_path / "validation.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert outputs(tmp_path, "1\n2\n") == ["1", "2"]


def test_outputs_for_sets_that_differ_in_parts_of_speech_alone(tmp_path):
    sets = ["hair_N#style_N", "hair_N#style_V", "ski_V#hill_N"]
    rows = [{"concept_set": one, "scene": ["One."]} for one in sets]
    (tmp_path / "commongen.dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert outputs(tmp_path, "1\n2\n3\n") == ["1", "2", "3"]


@pytest.fixture
def metrics(monkeypatch):
    for package in CommonGen.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")  # METEOR takes ten seconds


def test_scores_in_the_order_of_the_papers_tables(metrics, folder):
    scores = CommonGen().measure(["A hill to ski.", "A dog.", "An ice rink."], items(folder))
    assert [score.name for score in scores] == [
        *("rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage", "right_part_of_speech")
    ]
    values = {score.name: score.value for score in scores}
    assert values["coverage"] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    assert values["spice"] is None


def test_without_references_only_coverage_has_a_value(metrics, tmp_path):
    write(tmp_path, concepts="dog run\nice rink\n")
    scores = CommonGen().measure(["A dog\nruns.", ""], items(tmp_path))
    assert {score.name: score.value for score in scores if score.value is not None} == {"coverage": 50}
    *references, _, parts_of_speech = scores
    assert {score.reason for score in references} == {"the data has no references"}
    assert parts_of_speech.reason == "the data does not say the concepts' parts of speech"


def test_references_for_some_inputs_only_are_reported(metrics, tmp_path):
    write(tmp_path, concepts="dog run\nice rink\n", sentences="A.\n\n")
    scores = CommonGen().measure(["A", "B"], items(tmp_path))
    assert {score.reason for score in scores[:-2]} == {"ice rink has no references"}
    assert [score.name for score in scores if score.value is not None] == ["coverage"]
