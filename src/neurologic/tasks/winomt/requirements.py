"""What the scorer needs from outside: the packages of the extra `winomt`."""

from __future__ import annotations

import importlib
from importlib import metadata
from typing import Any

from neurologic.metrics.requirements import UnavailableError


def package(name: str) -> Any:
    """The imported package; an error that says what to install where it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UnavailableError(
            f"{name} cannot be imported ({error}): pip install 'neurologic[winomt]'"
        ) from None


def version(name: str) -> str:
    """The installed version of a distribution, for signatures."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        raise UnavailableError(f"{name} is not installed: pip install 'neurologic[winomt]'") from None
