"""`neurologic serve`: what it refuses before it loads anything. tests/serve has the rest."""

from __future__ import annotations

import pytest

from neurologic.serve.limits import ServerLimits


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """The packages of the extra are there, whether they are or not."""
    monkeypatch.setattr("neurologic.cli.serve.find_spec", lambda package: package)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--limit", "waitng=3"], 'did you mean "waiting"'),
        (["--limit", "waiting=many"], "waiting=N with a whole number for N"),
        (["--limit", "waiting"], "waiting=N with a whole number for N"),
        (["--limit", "body_seconds=-1"], "must be above 0"),
        (["--api-key-file", "/nonexistent/keys"], "cannot read /nonexistent/keys"),
    ],
)
def test_wrong_options_are_refused(run, options, message):
    ended = run("serve", *options)
    assert ended.code == 2
    assert message in ended.err


def test_a_file_without_keys_would_let_nobody_in(run, tmp_path):
    keys = tmp_path / "keys.txt"
    keys.write_text("# none yet\n\n")
    assert "has no key" in run("serve", "--api-key-file", keys).err


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_is_a_number(run, port):
    ended = run("serve", "--port", port)
    assert ended.code == 2
    assert "port" in ended.err


def test_a_missing_package_is_named_with_the_line_to_type(run, monkeypatch):
    monkeypatch.setattr("neurologic.cli.serve.find_spec", lambda package: None)
    assert "pip install 'neurologic-decoding[serve]'" in run("serve").err


def test_limits_are_changed_by_name():
    changed = ServerLimits().changed(["waiting=8", "body_seconds=2.5", "phrases=20"])
    assert (changed.waiting, changed.body_seconds, changed.library.phrases) == (8, 2.5, 20)
    assert changed.texts == ServerLimits().texts
