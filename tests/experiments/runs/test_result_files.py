"""The files that a finished evaluation leaves."""

import json
from dataclasses import replace

from experiments.runs.test_report import evaluation
from neurologic.experiments.runs.result_files import write_results, write_system


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_of_one_system(tmp_path):
    both = evaluation(["A dog\n0.", "\ud800"], ["A dog.", "My dog."])
    write_system(tmp_path, replace(both, systems=both.systems[:1]))
    assert (tmp_path / "outputs.txt").read_text() == "A dog 0.\n?\n"
    assert names(tmp_path) == ["outputs.txt", "report.html", "scores.json"]
    assert json.loads((tmp_path / "scores.json").read_text())["split"] == "dev"


def test_several_systems_have_a_folder_each(tmp_path):
    both = evaluation(["A dog 0.", "A dog."], ["A dog.", "My dog."])
    write_results(tmp_path, both, folder_per_system=True)
    assert names(tmp_path) == ["report.html", "scores.json", "system 0", "system 1"]
    assert names(tmp_path / "system 1") == ["outputs.txt", "report.html", "scores.json"]
    assert "system 1" in (tmp_path / "report.html").read_text()
    assert list(json.loads((tmp_path / "scores.json").read_text())["systems"]) == ["system 0", "system 1"]
