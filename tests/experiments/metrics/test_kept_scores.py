"""Verdicts on disk: asked for once, and never a reason to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurologic.experiments.metrics.kept_scores import KeptScores


class Judge:
    """Gives a text's length; `asked` are the texts that it read."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: list[str]):
        for text in texts:
            self.asked.append(text)
            yield text, (float(len(text)),)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path))
    return tmp_path / "neurologic" / "judged"


def test_a_text_is_judged_once(folder):
    judge = Judge()
    assert KeptScores("a").of(["xx", "y", "xx"], judge) == [(2.0,), (1.0,), (2.0,)]
    assert KeptScores("a").of(["y", "zzz"], judge) == [(1.0,), (3.0,)]
    assert judge.asked == ["xx", "y", "zzz"]


def test_another_judge_reads_for_itself(folder):
    first, second = Judge(), Judge()
    KeptScores("a").of(["x"], first)
    KeptScores("b").of(["x"], second)
    assert second.asked == ["x"]


def test_an_interrupted_judge_keeps_what_it_said(folder):
    def interrupted(texts):
        yield texts[0], (7.0,)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KeptScores("a").of(["x", "y"], interrupted)
    judge = Judge()
    assert KeptScores("a").of(["x", "y"], judge) == [(7.0,), (1.0,)]
    assert judge.asked == ["y"]


@pytest.mark.parametrize("damage", [b'["torn', b"[]\n", b"7\n", b'{"a": 1}\n', b'["x", "one"]\n', b"\xff\n"])
def test_a_damaged_line_is_read_over(folder, damage):
    KeptScores("a").of(["x"], Judge())
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes() + damage)
    judge = Judge()
    assert KeptScores("a").of(["x"], judge) == [(1.0,)]
    assert judge.asked == []


def test_without_a_writable_folder_verdicts_are_given_all_the_same(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "file"))
    judge = Judge()
    assert KeptScores("a").of(["x", "x"], judge) == [(1.0,), (1.0,)]
    assert judge.asked == ["x"]
