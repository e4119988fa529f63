"""Where tests find files: the repository, and real data and models beside it, which may be absent."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DATA = REPOSITORY.parent / "shared" / "data"
MARIAN_FOLDER = REPOSITORY.parent / "shared" / "models" / "opus-mt-en-fr"
