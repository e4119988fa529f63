"""The picture."""

from __future__ import annotations

import sys

import pytest

from experiments.bench.made_up_results import against, all_results, results_of
from neurologic.experiments.bench.plot import PlotError, draw, require_plot


def test_a_picture_by_its_suffix(tmp_path):
    pytest.importorskip("matplotlib")
    draw(all_results(), tmp_path / "speed.png")
    draw(all_results(), tmp_path / "speed.svg")
    assert (tmp_path / "speed.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "speed.svg").read_text(encoding="utf-8")


def test_the_same_results_make_the_same_file(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg"):
        draw(all_results(), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_panel_for_what_there_is(tmp_path):
    pytest.importorskip("matplotlib")
    draw(results_of(against("a", [1.0], [2.0]), letters="a"), tmp_path / "one.svg")
    draw(all_results(), tmp_path / "two.svg")
    assert (tmp_path / "one.svg").read_text().count('id="axes_') == 1
    assert (tmp_path / "two.svg").read_text().count('id="axes_') == 2


def test_nothing_to_draw(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(PlotError, match="nothing to draw"):
        draw(results_of(against("c", [1.0], [2.0]), letters="f"), tmp_path / "speed.svg")


@pytest.mark.parametrize("name", ["speed.pdf", "speed"])
def test_other_suffixes_are_refused(name):
    with pytest.raises(PlotError, match=r"\.png or \.svg"):
        require_plot(name)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlotError, match=r"pip install 'neurologic-decoding\[plots\]'"):
        require_plot("speed.png")
