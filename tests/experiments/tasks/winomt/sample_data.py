"""Sentences and files of WinoMT, for its tests."""

from __future__ import annotations

import pytest

import paths
from neurologic.experiments.tasks.base import options_of
from neurologic.experiments.tasks.winomt import WinoMT
from neurologic.logic import check

DATA = paths.DATA / "winomt"
needs_data = pytest.mark.skipif(not (DATA / "en.txt").exists(), reason=f"WinoMT is not at {DATA}")

DEVELOPER = "female\t1\tThe developer argued with the cook because she was late.\tdeveloper"
COOK = "male\t5\tThe developer argued with the cook, because he was late.\tcook"
WORKER = "neutral\t3\tSomeone saw a construction worker at their house.\tconstruction worker"


def write(folder, *lines, **files):
    """A data folder; `files` are further ones, "__" for "." in their names."""
    (folder / "en.txt").write_text("".join(f"{line}\n" for line in lines or (DEVELOPER, COOK, WORKER)))
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def items(folder, **options):
    task = WinoMT()
    return task.items(folder, "dev", options_of(task, options))


def obeys(one, text):
    return all(report.satisfied for report in check(one, text))
