"""CommonGen's files and items, made for a test."""

from __future__ import annotations

import json

import pytest

import paths
from neurologic.experiments.tasks.base import options_of
from neurologic.experiments.tasks.commongen import CommonGen

DATA = paths.DATA / "commongen"
real = pytest.mark.skipif(not DATA.is_dir(), reason=f"CommonGen is not at {DATA}")


def write(folder, split="dev", concepts="", sentences=None, described=None):
    """Write files as CommonGen has them; `described` are lines of its JSON."""
    (folder / f"commongen.{split}.src_alpha.txt").write_text(concepts)
    if sentences is not None:
        (folder / f"commongen.{split}.tgt.txt").write_text(sentences)
    if described is not None:
        lines = (json.dumps({"concept_set": words, "scene": scene}) for words, scene in described)
        (folder / f"commongen.{split}.jsonl").write_text("\n".join(lines))
    return folder


def items(folder, **options):
    task = CommonGen()
    return task.items(folder, "dev", options_of(task, options))
