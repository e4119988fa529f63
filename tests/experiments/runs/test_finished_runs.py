"""Runs on disk, to compare them."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.runs.toy import Toy, answer
from neurologic.errors import DataError
from neurologic.experiments.runs import Experiment, finished_runs

ITEMS = Toy().items("", "dev", {})
EXPERIMENT = Experiment(Toy(), "dev", {"tone": "plain"}, ITEMS, ITEMS, "smollm2")


def write(folder: Path, decoder: str = "beam", experiment: Experiment = EXPERIMENT) -> Path:
    with experiment.run(folder, decoder, {}) as run:
        for item in experiment.items:
            run.add(item, answer(item), 0.5)
    return folder


def test_runs_are_named_by_their_folders(tmp_path):
    folders = [write(tmp_path / name) for name in ("old", "new")]
    runs = finished_runs(folders, EXPERIMENT)
    assert list(runs) == ["old", "new"]
    assert len(runs["old"].done) == len(ITEMS)


def test_a_folder_of_several_runs_gives_all_of_them(tmp_path):
    for version in ("old", "new"):
        write(tmp_path / version / "beam")
        write(tmp_path / version / "neurologic", "neurologic")
    runs = finished_runs([tmp_path / "old", tmp_path / "new"], EXPERIMENT)
    assert list(runs) == ["old/beam", "old/neurologic", "new/beam", "new/neurologic"]


def test_runs_that_do_not_fit_are_refused(tmp_path):
    run = write(tmp_path / "run")
    with pytest.raises(DataError, match="there is no run in"):
        finished_runs([tmp_path / "nowhere"], EXPERIMENT)
    with pytest.raises(DataError, match="named twice"):
        finished_runs([run, run], EXPERIMENT)
    other = Experiment(Toy(), "dev", {"tone": "plain"}, ITEMS[:2], ITEMS[:2], "smollm2")
    with pytest.raises(DataError, match="a run of other inputs: its data is"):
        finished_runs([run], other)
