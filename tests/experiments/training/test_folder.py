"""The folder of a training: to whom it belongs, and which checkpoints count."""

from __future__ import annotations

import json

import pytest

from neurologic.experiments.training.folder import TrainingError, TrainingFolder
from neurologic.experiments.training.settings import TrainingSettings

SETTINGS = TrainingSettings(steps=5)
DATA = {"pairs": 3, "fingerprint": "abc"}


def open_folder(path, settings=SETTINGS, data=DATA):
    return TrainingFolder.open(path, settings, data)


def checkpoint(folder, step, *, complete=True):
    path = folder.checkpoints / f"checkpoint-{step}"
    path.mkdir(parents=True)
    (path / "weights").write_text("…")
    if complete:
        folder.mark_complete(step)
    return path


def test_a_new_folder_knows_its_settings(tmp_path):
    folder = open_folder(tmp_path / "a" / "b")
    manifest = json.loads((folder.path / "training.json").read_text())
    assert manifest["settings"]["steps"] == 5
    assert manifest["data"] == DATA
    assert folder.result is None
    assert folder.last_checkpoint() is None


def test_the_same_settings_open_it_again(tmp_path):
    open_folder(tmp_path / "a")
    assert open_folder(tmp_path / "a").result is None


def with_checkpoint(folder):
    (folder.checkpoints / "checkpoint-2").mkdir(parents=True)
    folder.mark_complete(2)
    return folder


def test_other_settings_are_refused_and_named(tmp_path):
    with_checkpoint(open_folder(tmp_path / "a"))
    with pytest.raises(
        TrainingError, match=r"other settings: batch_size was 32, now 8; seed was 0, now 1\. "
    ):
        open_folder(tmp_path / "a", TrainingSettings(steps=5, seed=1, batch_size=8))


def test_a_training_that_never_got_to_a_checkpoint_does_not_keep_the_folder(tmp_path):
    open_folder(tmp_path / "a", TrainingSettings(model="smolm2"))
    open_folder(tmp_path / "a")
    assert json.loads((tmp_path / "a" / "training.json").read_text())["settings"]["model"] == "smollm2"


def test_one_process_at_a_time(tmp_path):
    pytest.importorskip("fcntl")
    folder = open_folder(tmp_path / "a")
    with folder.locked(), pytest.raises(TrainingError, match="another process is training in"):
        open_folder(tmp_path / "a", TrainingSettings(seed=1))
    assert json.loads((tmp_path / "a" / "training.json").read_text())["settings"]["seed"] == 0
    with folder.locked(), pytest.raises(TrainingError, match="another process"), folder.locked():
        pass


def test_a_manifest_that_was_being_written_is_nobodys(tmp_path):
    (tmp_path / "training.json.4711").write_text("{")
    assert open_folder(tmp_path).result is None


def test_other_texts_are_refused(tmp_path):
    with_checkpoint(open_folder(tmp_path / "a"))
    with pytest.raises(TrainingError, match="the texts have changed"):
        open_folder(tmp_path / "a", data={**DATA, "fingerprint": "xyz"})


def test_a_folder_with_anything_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(TrainingError, match="holds something other"):
        open_folder(tmp_path)
    with pytest.raises(TrainingError, match="holds something other"):
        open_folder(tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 99}', "{}"])
def test_a_manifest_that_cannot_be_read(tmp_path, text):
    (tmp_path / "training.json").write_text(text)
    with pytest.raises(TrainingError, match="cannot be read"):
        open_folder(tmp_path)


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="cannot write"):
        open_folder(tmp_path / "file" / "below")


def test_the_last_complete_checkpoint_counts(tmp_path):
    folder = open_folder(tmp_path / "a")
    checkpoint(folder, 9)
    checkpoint(folder, 10)
    assert folder.last_checkpoint().name == "checkpoint-10"


def test_a_torn_checkpoint_is_removed(tmp_path):
    folder = open_folder(tmp_path / "a")
    checkpoint(folder, 9)
    torn = checkpoint(folder, 10, complete=False)
    assert folder.last_checkpoint().name == "checkpoint-9"
    assert not torn.exists()
