"""GGUF files are converted once: known again, made anew when they change, bounded, never a reason to fail."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

from neurologic.errors import ModelError
from neurologic.models import gguf_cache
from neurologic.models.gguf_cache import converted_folder
from neurologic.models.loading import LoadedModel, load
from tiny.gguf_files import write_llama


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; this is the part with conversions."""
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "neurologic" / "converted"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_llama(tmp_path / "tiny.gguf", add_bos=True)
    return tmp_path / "tiny.gguf"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pretend to convert; return the names of the files that were."""
    converted: list[str] = []

    def convert(file: Path, target: Path) -> None:
        converted.append(file.name)
        (target / "model.safetensors").write_bytes(file.read_bytes())

    monkeypatch.setattr(gguf_cache, "convert_gguf", convert)
    return converted


def scores(loaded: LoadedModel) -> torch.Tensor:
    return loaded.start([loaded.encode("the dog she sea", raw=True)]).logits


def names(cache: Path) -> list[str]:
    return sorted(path.name.rpartition("-")[0] for path in cache.iterdir())


def test_a_conversion_scores_like_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = load(file), load(file)
    monkeypatch.setattr(gguf_cache, "MOST_BYTES", 0)
    shutil.rmtree(converted_folder(file) or gguf_cache.cache_part("converted"))
    direct = load(file)
    assert torch.equal(scores(first), scores(direct))
    assert torch.equal(scores(second), scores(direct))
    for loaded in (first, second):
        assert loaded.end_ids == direct.end_ids
        assert loaded.encode("the dog", raw=True) == direct.encode("the dog", raw=True)
        assert loaded.vocabulary.pieces == direct.vocabulary.pieces


def test_the_second_load_converts_nothing_and_says_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    load(file)
    said = capsys.readouterr().err
    assert "converting tiny.gguf (once" in said
    assert "kept in" in said

    def fail(*_: Any) -> None:
        raise AssertionError("converted twice")

    monkeypatch.setattr(gguf_cache, "convert_gguf", fail)
    load(file)
    assert "neurologic:" not in capsys.readouterr().err


def test_a_type_of_weights_is_chosen_from_the_conversion(file: Path) -> None:
    load(file)
    assert load(file, dtype="bfloat16").model.dtype == torch.bfloat16
    assert load(file).model.dtype == torch.float32


@pytest.mark.parametrize("change", ["content", "time", "path"])
def test_another_file_is_converted_anew(file: Path, tmp_path: Path, change: str, stand_in: list[str]) -> None:
    before = converted_folder(file)
    if change == "content":  # of the same size, with the old time
        status = file.stat()
        write_llama(file, add_bos=True, seed=1)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert file.stat().st_size == status.st_size
    elif change == "time":
        os.utime(file, (1, 1))
    else:
        file = file.rename(tmp_path / "other.gguf")
    after = converted_folder(file)
    assert after != before
    assert len(stand_in) == 2
    assert converted_folder(file) == after
    assert len(stand_in) == 2


def test_a_file_that_was_replaced_leaves_no_old_conversion(
    file: Path, cache: Path, stand_in: list[str]
) -> None:
    converted_folder(file)
    os.utime(file, (1, 1))
    new = converted_folder(file)
    assert [*cache.iterdir()] == [new]


def test_the_conversions_used_longest_ago_go(
    file: Path, tmp_path: Path, cache: Path, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_cache, "MOST_MODELS", 2)
    files = [shutil.copy(file, tmp_path / f"{letter}.gguf") for letter in "abc"]
    for age, one in enumerate(files[:2]):
        folder = converted_folder(Path(one))
        assert folder is not None
        os.utime(folder / "neurologic.json", (age + 1, age + 1))
    converted_folder(Path(files[0]))  # used once more, so that b is the oldest
    converted_folder(Path(files[2]))
    assert names(cache) == ["a", "c"]


def test_conversions_take_no_more_bytes_than_allowed(
    file: Path, tmp_path: Path, cache: Path, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = file.stat().st_size
    monkeypatch.setattr(gguf_cache, "_GROWTH", 1)
    monkeypatch.setattr(gguf_cache, "MOST_BYTES", int(1.5 * size))
    for letter in "ab":
        converted_folder(Path(shutil.copy(file, tmp_path / f"{letter}.gguf")))
    assert names(cache) == ["b"]


def test_a_file_that_is_too_large_to_keep_still_loads(
    file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gguf_cache, "MOST_BYTES", 1000)
    load(file)
    assert not cache.exists()
    assert "tiny.gguf is converted at every start: its weights would take up to" in capsys.readouterr().err


def test_a_full_disk_is_no_reason_to_fail(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = shutil.disk_usage(file.parent)
    monkeypatch.setattr(gguf_cache.shutil, "disk_usage", lambda _: usage._replace(free=10))
    load(file)
    assert "GB left, and it may need" in capsys.readouterr().err


def test_a_cache_that_cannot_be_written_is_no_reason_to_fail(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "blocked").write_text("a file, not a folder")
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "blocked"))
    load(file)
    assert "cannot write to" in capsys.readouterr().err


def test_a_damaged_file_is_reported_and_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelError, match=r"broken\.gguf"):
        load(tmp_path / "broken.gguf")
    assert [path for path in cache.iterdir() if path.suffix != ".lock"] == []


def test_a_damaged_conversion_is_made_anew(file: Path, stand_in: list[str]) -> None:
    folder = converted_folder(file)
    assert folder is not None
    (folder / "model.safetensors").write_bytes(b"cut off")
    assert converted_folder(file) == folder
    assert len(stand_in) == 2


def test_a_killed_conversion_leaves_no_half_model(file: Path, cache: Path, stand_in: list[str]) -> None:
    script = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from neurologic.models import gguf_cache
        def convert(file, target):
            (target / "config.json").write_text("{}")
            os.kill(os.getpid(), signal.SIGKILL)
        gguf_cache.convert_gguf = convert
        gguf_cache.converted_folder(Path(sys.argv[1]))
        """
    )
    source = str(Path(gguf_cache.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)], env={**os.environ, "PYTHONPATH": source}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert [path for path in cache.iterdir() if path.suffix == ".partial"]  # what it left behind
    folder = converted_folder(file)
    assert [*cache.iterdir()] == [folder]


def test_two_first_loads_at_once_convert_once(file: Path, stand_in: list[str]) -> None:
    with ThreadPoolExecutor(4) as threads:
        folders = {*threads.map(converted_folder, [file] * 4)}
    assert len(folders) == len(stand_in) == 1
