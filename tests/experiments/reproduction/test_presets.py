"""The two scales: complete, consistent, and with the names that folders have."""

import runpy
from dataclasses import replace

import pytest

from neurologic.decoders import registry
from neurologic.decoders.registry import DECODERS
from neurologic.experiments.reproduction import presets
from neurologic.experiments.reproduction.experiment_parts import PARTS, TrainedModel
from neurologic.experiments.reproduction.presets import SCALES

ALL = tuple(PARTS)


@pytest.fixture(params=SCALES)
def scale(request):
    return SCALES[request.param]


def test_every_name_stands_for_something(scale):
    for part in ALL:
        for system, decoder in scale.runs_of(part):
            assert scale.system(system).model in scale.models
            assert decoder in DECODERS
    for model in scale.trained:
        assert model.base in scale.models
    for contrast in scale.contrasts:
        for key in (contrast.better, contrast.than):
            assert key in scale.runs(ALL), "a contrast costs no run of its own"
    assert set(scale.apart) <= set(scale.table_3)


def test_every_system_and_every_trained_model_is_shown_somewhere(scale):
    shown = {system for system, _ in scale.runs(ALL)}
    assert shown == {system.name for system in scale.systems}
    used = {scale.system(name).model for name in shown}
    assert {model.name for model in scale.trained} <= used


def test_runs_come_once_and_by_system(scale):
    runs = scale.runs(ALL)
    assert len(runs) == len(set(runs))
    systems = [system for system, _ in runs]
    assert systems == sorted(systems, key=[system.name for system in scale.systems].index)


def test_a_part_asks_for_its_own_runs_only(scale):
    assert scale.runs(("table4",)) == [(scale.table_4, decoder) for decoder in scale.decoders]
    assert {decoder for _, decoder in scale.runs(("table2", "table3", "data", "size"))} == {
        "beam",
        "neurologic",
    }


def test_both_curves_have_enough_points(scale):
    beam, ours = scale.data.lines
    assert beam.points == ours.points
    assert len(ours.points) >= 4
    assert all(len(line.points) >= 3 for line in scale.size.lines[:2])
    fractions = [scale.models[scale.system(name).model].settings.fraction for _, name in ours.points]
    assert [x for x, _ in ours.points] == pytest.approx([100 * fraction for fraction in fractions])


def test_all_decoders_are_compared(scale):
    assert set(scale.decoders) == set(DECODERS)


def test_a_decoder_that_the_paper_does_not_know_comes_last(monkeypatch):
    known = SCALES["laptop"].decoders
    monkeypatch.setattr(registry, "DECODERS", {"mine": replace(DECODERS["beam"], name="mine"), **DECODERS})
    for scale in runpy.run_module(presets.__name__)["SCALES"].values():
        assert scale.decoders == (*known, "mine")


def test_the_laptop_scale_has_the_names_of_the_folders_and_the_commands_settings():
    laptop = SCALES["laptop"]
    assert {model.name for model in laptop.trained} == {
        *("supervised-0.005", "supervised-0.015", "supervised-0.05", "supervised-0.15"),
        *("supervised-0.05-layers10", "supervised-0.05-layers20", "adapted-0.05"),
    }
    shallow = next(model for model in laptop.trained if model.name == "supervised-0.05-layers10")
    found = shallow.settings_from("smollm2").to_json()
    assert (found["fraction"], found["layers"], found["adapt"]) == (0.05, 10, False)
    assert (found["epochs"], found["steps"], found["learning_rate"]) == (1.0, None, 2e-4)
    assert laptop.settings == {"rows": 8}, "else plain `neurologic eval` writes the same runs"
    assert laptop.system("adapted-0.05").options == {"prompt": "opening", "lead-in": "", "opening": ""}


def test_the_paper_scale_differs_by_names_and_amounts_only():
    paper = SCALES["paper"]
    assert paper.inputs is None
    assert paper.settings == {"num_beams": 20}
    sources = {base.name: base.source for base in paper.bases}
    assert sources["gpt2-large"] == "openai-community/gpt2-large"
    assert [name for name, source in sources.items() if not source] == ["bert-gen", "unilm", "unilm-v2"]
    assert all(
        isinstance(paper.models[paper.system(name).model], TrainedModel)
        for _, name in paper.data.lines[0].points
    )
