"""What a metric needs from outside: packages of an extra, `metrics` unless told otherwise, and their files.

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


def package(name: str, extra: str = "metrics") -> Any:
    """The imported package."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            raise _not_installed(name.partition(".")[0], extra) from None
        raise UnavailableError(f"{name} cannot be imported: {error}") from error


def package_file(name: str, path: str, extra: str = "metrics", distribution: str = "") -> Path:
    """A file of a package, which is not imported for it.

    distribution  what is installed, where its name is not that of the package
    """
    distribution = distribution or name
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise _not_installed(distribution, extra)
    found = Path(spec.submodule_search_locations[0]) / path
    if not found.is_file():
        raise UnavailableError(f"{distribution} {version(distribution, extra)} has no file {path}")
    return found


def version(name: str, extra: str = "metrics") -> str:
    """The installed version of a package, for signatures."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        raise _not_installed(name, extra) from None


def _not_installed(name: str, extra: str) -> UnavailableError:
    return UnavailableError(f"{name} is not installed: pip install 'neurologic-decoding[{extra}]'")
