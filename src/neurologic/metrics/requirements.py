"""What a metric needs from outside: packages of the extra `metrics`, and their files.

A thing that is not there raises `UnavailableError`, whose message becomes the reason of an n/a.
"""

from __future__ import annotations

import importlib
import importlib.util
from importlib import metadata
from pathlib import Path
from typing import Any

from neurologic.errors import NeurologicError


class UnavailableError(NeurologicError, RuntimeError):
    """Something that a metric needs is not there; the message says what, and how to get it."""


def package(name: str) -> Any:
    """The imported package."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            raise _not_installed(name.partition(".")[0]) from None
        raise UnavailableError(f"{name} cannot be imported: {error}") from error


def package_file(name: str, path: str) -> Path:
    """A file of a package, which is not imported for it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise _not_installed(name)
    found = Path(spec.submodule_search_locations[0]) / path
    if not found.is_file():
        raise UnavailableError(f"{name} {version(name)} has no file {path}")
    return found


def version(name: str) -> str:
    """The installed version of a package, for signatures."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        raise _not_installed(name) from None


def _not_installed(name: str) -> UnavailableError:
    return UnavailableError(f"{name} is not installed: pip install 'neurologic[metrics]'")
