"""The curves: points with their spread, the line across, what is missing, and the pictures."""

import pytest

from experiments.reproduction.small import good, poor, small_reproduction, write_run
from experiments.reproduction.test_plan import finish_training
from neurologic.experiments.reproduction import curves
from neurologic.experiments.reproduction.curves import all_curves, curve_data
from neurologic.experiments.reproduction.found_runs import Findings


@pytest.fixture
def reproduction(tmp_path):
    found = small_reproduction(tmp_path / "out")
    for system in ("supervised-1", "supervised-0.5"):
        write_run(found, (system, "beam"), poor())
    write_run(found, ("supervised-1", "neurologic"), good())
    return found


def test_points_have_their_place_their_value_and_their_spread(reproduction):
    curve = curve_data(Findings(reproduction), "data")
    (beam, beams), (ours, points) = curve.lines
    assert (beam, ours) == ("beam search", "NeuroLogic")
    assert [point.x for point in beams] == [50, 100]
    coverage = [point.values["coverage"] for point in beams]
    assert [interval.value for interval in coverage] == [50, 50]
    assert all(interval.low <= interval.value <= interval.high for interval in coverage)
    assert not points[0].values
    assert points[1].values["coverage"].value == 100


def test_missing_points_are_named(reproduction):
    curve = curve_data(Findings(reproduction), "data")
    assert curve.missing == [("supervised-0.5", "neurologic"), ("zero-shot", "neurologic")]
    assert curve.to_json()["level"]["missing"] is True
    write_run(reproduction, ("zero-shot", "neurologic"), good())
    title, point = curve_data(Findings(reproduction), "data").level
    assert (title, point.values["coverage"].value) == ("zero-shot", 100)


def test_the_size_of_a_trained_model_is_the_real_one(reproduction, tmp_path):
    assert curve_data(Findings(reproduction), "size").lines[0][1][0].x == 2
    finish_training(tmp_path / "out" / "models" / "supervised-1", parameters=1_500_000)
    assert curve_data(Findings(reproduction), "size").lines[0][1][0].x == 1.5


def test_only_the_wanted_curves(tmp_path):
    reproduction = small_reproduction(tmp_path / "out", parts=("size", "table2"))
    assert [curve.key for curve in all_curves(Findings(reproduction))] == ["size"]


def test_pictures(reproduction, tmp_path):
    pytest.importorskip("matplotlib")
    curve = curve_data(Findings(reproduction), "data")
    paths = curves.draw(curve, tmp_path)
    assert [path.name for path in paths] == ["data.svg", "data.png"]
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    text = paths[0].read_text(encoding="utf-8")
    assert text.count('id="axes_') == 3
    again = curves.draw(curve, tmp_path)
    assert again[0].read_text(encoding="utf-8") == text, "the same curve makes the same file"


def test_nothing_to_draw(tmp_path, reproduction, monkeypatch):
    empty = curve_data(Findings(small_reproduction(tmp_path / "nothing")), "data")
    assert curves.draw(empty, tmp_path) == []
    monkeypatch.setattr(curves, "can_draw", lambda: False)
    assert curves.draw(curve_data(Findings(reproduction), "data"), tmp_path) == []
