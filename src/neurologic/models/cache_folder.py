"""The cache folder: where neurologic keeps what takes long to make, and how things appear there in one step.

It is the folder `neurologic` in the one that `NEUROLOGIC_CACHE` names, else in `XDG_CACHE_HOME`, else in
`~/.cache`. All of it may be deleted at any time. Nothing is made here: whoever keeps something makes its part
of the folder, and decides what it means if that fails.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from neurologic.errors import ModelError


def cache_part(name: str) -> Path:
    """The part of the cache folder for one kind of things; it need not exist."""
    base = os.environ.get("NEUROLOGIC_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(base).expanduser() / "neurologic" / name
    except RuntimeError as error:  # a user without a home, as in some containers
        raise ModelError(
            f"there is no home folder to keep {name} in; set NEUROLOGIC_CACHE to a folder to write to"
        ) from error


def partial_of(path: Path) -> Path:
    """A name beside `path` that nobody else has: make things there, then move them into place."""
    return path.with_name(f"{path.name}.{uuid.uuid4().hex}.partial")
