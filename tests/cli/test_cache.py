"""`neurologic cache`: what it lists and removes."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurologic.models.kept_folder import KeptFolder, lock_of, partial_path
from neurologic.storage import lock


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with a converted model and two files about tokenizers."""
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path))
    folder = tmp_path / "neurologic"
    kept = KeptFolder(folder / "converted" / "tiny-0123", "1", "/models/tiny.gguf")
    kept.make(lambda target: (target / "model.safetensors").write_bytes(bytes(5_000_000)) and None)
    (folder / "vocabularies").mkdir()
    for name in ("a.npz", "b.npz"):
        (folder / "vocabularies" / name).write_bytes(bytes(1000))
    return folder


def test_it_lists_what_is_kept_the_largest_first(run, cache: Path) -> None:
    ended = run("cache")
    assert ended.code == 0
    first, second, total = ended.out.splitlines()[-3:]
    assert first.split()[:3] == ["tiny-0123", "5.0", "MB"]
    assert first.endswith("/models/tiny.gguf")
    assert second.split()[:3] == ["vocabularies", "2.0", "kB"]
    assert second.endswith("2 files")
    assert total == f"{cache}: 5.0 MB"


def test_json_has_the_same(run, cache: Path) -> None:
    document = run("cache", "--json").json
    assert document["folder"] == str(cache)
    assert [entry["name"] for entry in document["entries"]] == ["tiny-0123", "vocabularies"]
    assert document["bytes"] == sum(entry["bytes"] for entry in document["entries"])


def test_clear_removes_everything(run, cache: Path) -> None:
    ended = run("cache", "--clear")
    assert ended.code == 0
    assert "removed tiny-0123 (5.0 MB)" in ended.err
    assert ended.out == f"{cache}: empty\n"
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def test_clear_removes_what_is_named_and_nothing_else(run, cache: Path) -> None:
    assert run("cache", "--clear", "vocabularies").code == 0
    assert not (cache / "vocabularies").exists()
    assert (cache / "converted" / "tiny-0123" / "model.safetensors").exists()


def test_a_name_that_is_not_there_is_refused(run, cache: Path) -> None:
    ended = run("cache", "--clear", "vocabulary")
    assert ended.code == 2
    assert 'the cache has no "vocabulary"; did you mean "vocabularies"?' in ended.err
    assert (cache / "vocabularies").exists()


def test_what_killed_processes_left_counts_and_goes(run, cache: Path) -> None:
    left = partial_path(cache / "converted" / "other-4567")
    left.mkdir()
    (left / "half").write_bytes(bytes(9_000_000))
    out = run("cache").out
    (line,) = [line for line in out.splitlines() if line.startswith("other-4567")]
    assert line.split()[1:3] == ["9.0", "MB"]
    assert line.endswith("unfinished")
    assert run("cache", "--clear", "other-4567").code == 0
    assert not left.exists()


def test_a_model_that_another_process_makes_stays(run, cache: Path) -> None:
    with lock(lock_of(cache / "converted" / "tiny-0123"), wait=False):
        ended = run("cache", "--clear", "tiny-0123")
    assert ended.code == 2
    assert "another process holds the lock" in ended.err
    assert (cache / "converted" / "tiny-0123" / "model.safetensors").exists()


def test_an_empty_cache(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "none"))
    assert run("cache").out == f"{tmp_path / 'none' / 'neurologic'}: empty\n"
    assert run("cache", "--clear").code == 0
