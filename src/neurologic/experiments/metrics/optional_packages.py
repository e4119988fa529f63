"""Import the packages of an extra, by default `metrics`, and find their files.

If something is missing, raise `UnavailableError`; its message becomes the reason of an n/a.
"""

from __future__ import annotations

import importlib
import importlib.util
from importlib import metadata
from pathlib import Path
from typing import Any

from neurologic.errors import NeurologicError, install_line


class UnavailableError(NeurologicError, RuntimeError):
    """A metric lacks something; the message says what, and how to get it."""


def package(name: str, extra: str = "metrics") -> Any:
    """Import and return a package."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            raise _not_installed(name.partition(".")[0], extra) from None
        raise UnavailableError(f"{name} cannot be imported: {error}") from error


def package_file(name: str, path: str, extra: str = "metrics", distribution: str = "") -> Path:
    """Find a file of a package without importing the package.

    distribution  the name to install, if it differs from that of the package
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
    """Return the installed version of a package, for signatures."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        raise _not_installed(name, extra) from None


def _not_installed(name: str, extra: str) -> UnavailableError:
    return UnavailableError(f"{name} is not installed: {install_line(extra)}")
