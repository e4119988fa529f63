"""`neurologic generate --engine ray`: usage; the runs themselves are in `tests/scale`."""

from __future__ import annotations

import sys

import pytest


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["p", "--workers", "2"], "--workers is for --engine ray"),
        (["p", "--engine", "ray"], "give -i FILE and -o FOLDER"),
        (["-i", "x", "--engine", "ray"], "give -i FILE and -o FOLDER"),
        (["-i", "x", "-o", "-", "--engine", "ray"], "give -i FILE and -o FOLDER"),
        (["-i", "x", "-o", "y", "--engine", "ray", "--trace", "z"], "takes no --trace"),
        (["-i", "x", "-o", "y", "--engine", "ray", "--picture", "z"], "takes no --picture"),
        (["-i", "x", "-o", "y", "--engine", "ray", "--format", "sockeye"], "takes no --format"),
    ],
)
def test_bad_usage(lm, run, argv, told):
    ended = run("generate", *argv)
    assert (ended.code, lm.loaded_with) == (2, None)
    assert told in ended.err


def test_a_missing_extra_is_named(lm, run, write_lines, tmp_path, monkeypatch):
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, "ray", None)
    ended = run("generate", "-i", write_lines({"prompt": "p"}), "-o", tmp_path / "out", "--engine", "ray")
    assert ended.code == 2
    assert "--engine ray needs the package ray: pip install 'neurologic-decoding[ray]'" in ended.err
