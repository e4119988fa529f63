"""The loss curve as JSON and as pictures."""

from __future__ import annotations

import json

import pytest

from neurologic.experiments.training.loss_curve import Point, draw, last_loss, write_points

POINTS = [Point(0, 3.0, True), Point(1, 2.5), Point(10, 2.0), Point(10, 2.25, True)]


def test_the_last_loss_of_each_line():
    assert last_loss(POINTS, held_out=False) == 2.0
    assert last_loss(POINTS, held_out=True) == 2.25
    assert last_loss(POINTS[:1], held_out=False) is None


def test_points_as_json(tmp_path):
    write_points(POINTS, tmp_path)
    found = json.loads((tmp_path / "loss.json").read_text())
    assert found["unit"] == "nats per token"
    assert found["points"][1] == {"step": 1, "loss": 2.5, "held_out": False}


def test_both_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    draw(POINTS, tmp_path, "a model, supervised")
    assert "held out" in (tmp_path / "loss.svg").read_text()
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_curve_makes_the_same_file(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        draw(POINTS, tmp_path / name, "title")
    assert (tmp_path / "a" / "loss.svg").read_bytes() == (tmp_path / "b" / "loss.svg").read_bytes()


def test_nothing_to_draw(tmp_path):
    draw([], tmp_path, "title")
    assert not list(tmp_path.iterdir())
