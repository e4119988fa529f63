"""Name a model so that the name changes with its weights: for manifests, and for scores kept on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

_SAMPLES, _SAMPLE_SIZE = 64, 4096  # reading a whole model file may take minutes


def model_name(model: str) -> str:
    """Return the name of a model; a folder or file gets eight digits that change with its content."""
    path = Path(model)
    if not path.exists():
        return model
    digest = hashlib.sha256()
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    for file in files:
        if file.is_file() and not file.name.startswith("."):
            digest.update(f"{file.name} {file.stat().st_size}\n".encode())
            for part in _parts(file):
                digest.update(part)
    return f"{path.resolve().name}#{digest.hexdigest()[:8]}"


def _parts(file: Path) -> Iterator[bytes]:
    """Yield evenly spaced pieces of a file; all of it if it is small."""
    size = file.stat().st_size
    step = max(_SAMPLE_SIZE, size // _SAMPLES)
    with file.open("rb") as opened:
        for start in range(0, size, step):
            opened.seek(start)
            yield opened.read(_SAMPLE_SIZE)
