"""The curves: points with their spread, the line across, what is missing, and the pictures."""

import pytest

from experiments.reproduction.small import good, poor, reproduction, write_run
from experiments.reproduction.test_plan import finish_training
from neurologic.experiments.reproduction import pictures
from neurologic.experiments.reproduction.curves import all_curves, drawn
from neurologic.experiments.reproduction.findings import Findings


@pytest.fixture
def one(tmp_path):
    found = reproduction(tmp_path / "out")
    for system in ("supervised-1", "supervised-0.5"):
        write_run(found, (system, "beam"), poor())
    write_run(found, ("supervised-1", "neurologic"), good())
    return found


def test_points_have_their_place_their_value_and_their_spread(one):
    curve = drawn(Findings(one), "data")
    (beam, beams), (ours, points) = curve.lines
    assert (beam, ours) == ("beam search", "NeuroLogic")
    assert [point.x for point in beams] == [50, 100]
    coverage = [point.values["coverage"] for point in beams]
    assert [one.value for one in coverage] == [50, 50]
    assert all(one.low <= one.value <= one.high for one in coverage)
    assert not points[0].values
    assert points[1].values["coverage"].value == 100


def test_missing_points_are_named(one):
    curve = drawn(Findings(one), "data")
    assert curve.missing == [("supervised-0.5", "neurologic"), ("zero-shot", "neurologic")]
    assert curve.to_json()["level"]["missing"] is True
    write_run(one, ("zero-shot", "neurologic"), good())
    title, point = drawn(Findings(one), "data").level
    assert (title, point.values["coverage"].value) == ("zero-shot", 100)


def test_the_size_of_a_trained_model_is_the_real_one(one, tmp_path):
    assert drawn(Findings(one), "size").lines[0][1][0].x == 2
    finish_training(tmp_path / "out" / "models" / "supervised-1", parameters=1_500_000)
    assert drawn(Findings(one), "size").lines[0][1][0].x == 1.5


def test_only_the_wanted_curves(tmp_path):
    one = reproduction(tmp_path / "out", parts=("size", "table2"))
    assert [curve.key for curve in all_curves(Findings(one))] == ["size"]


def test_pictures(one, tmp_path):
    pytest.importorskip("matplotlib")
    curve = drawn(Findings(one), "data")
    paths = pictures.draw(curve, tmp_path)
    assert [path.name for path in paths] == ["data.svg", "data.png"]
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    text = paths[0].read_text(encoding="utf-8")
    assert text.count('id="axes_') == 3
    again = pictures.draw(curve, tmp_path)
    assert again[0].read_text(encoding="utf-8") == text, "the same curve makes the same file"


def test_nothing_to_draw(tmp_path, one, monkeypatch):
    empty = drawn(Findings(reproduction(tmp_path / "nothing")), "data")
    assert pictures.draw(empty, tmp_path) == []
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    assert pictures.draw(drawn(Findings(one), "data"), tmp_path) == []
