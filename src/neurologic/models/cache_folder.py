"""Locate the cache folder, where neurologic keeps files that take long to make.

It is the folder `neurologic` in the one that `NEUROLOGIC_CACHE` names, else in `XDG_CACHE_HOME`, else in
`~/.cache`. Users may delete it at any time.
"""

from __future__ import annotations

import os
from pathlib import Path

from neurologic.errors import ModelError


def cache_part(name: str) -> Path:
    """Return the subfolder for one kind of files; it need not exist."""
    return cache_folder() / name


def cache_folder() -> Path:
    """Return the cache folder; it need not exist."""
    base = os.environ.get("NEUROLOGIC_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(base).expanduser() / "neurologic"
    except RuntimeError as error:  # a user without a home, as in some containers
        raise ModelError(
            "there is no home folder for the cache; set NEUROLOGIC_CACHE to a writable folder"
        ) from error
