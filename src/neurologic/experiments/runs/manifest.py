"""The fingerprint of a task's inputs, for the manifest of a run (see `neurologic.batches.run_manifest`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from neurologic.experiments.tasks.base import Item


def fingerprint(items: Sequence[Item]) -> str:
    """Return eight digits that change with the prompts, the formulas and the inputs' own settings."""
    digest = hashlib.sha256()
    for item in items:
        asked = [item.id, item.prompt, str(item.formula), item.raw, item.opening]
        own = [dict(item.settings)] if item.settings else []
        digest.update(json.dumps(asked + own).encode())
    return digest.hexdigest()[:8]
