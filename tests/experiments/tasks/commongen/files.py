"""CommonGen's files, written for a test."""

from __future__ import annotations

import json


def write(folder, split="dev", concepts="", sentences=None, described=None):
    """Files as CommonGen has them; `described` are lines of its JSON."""
    (folder / f"commongen.{split}.src_alpha.txt").write_text(concepts)
    if sentences is not None:
        (folder / f"commongen.{split}.tgt.txt").write_text(sentences)
    if described is not None:
        lines = (json.dumps({"concept_set": words, "scene": scene}) for words, scene in described)
        (folder / f"commongen.{split}.jsonl").write_text("\n".join(lines))
    return folder
