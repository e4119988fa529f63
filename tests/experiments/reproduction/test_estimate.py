"""How long the rest takes: by what was done, else by a trial; the laptop scale fits into a night."""

from dataclasses import replace

import pytest

import paths
from experiments.reproduction.small import SMALL, good, small_reproduction, write_run
from experiments.reproduction.test_plan import finish_training
from neurologic.decoders.registry import DECODERS
from neurologic.experiments.reproduction import estimate as times
from neurologic.experiments.reproduction.estimate import estimate_time
from neurologic.experiments.reproduction.plan import plan_stages
from neurologic.experiments.reproduction.presets import SCALES
from neurologic.experiments.reproduction.reproduction import Reproduction
from neurologic.experiments.runs import Subset
from neurologic.experiments.tasks import TASKS

COMMONGEN = paths.DATA / "commongen"


@pytest.fixture
def trial(monkeypatch):
    """A machine half as fast as that of the table."""
    monkeypatch.setattr(times, "_trial", lambda device, threads: 2 * times._TRIAL_SECONDS)


def test_an_empty_folder_is_estimated_by_a_trial(tmp_path, trial):
    planned = plan_stages(small_reproduction(tmp_path / "out"))
    found = estimate_time(SMALL, planned)
    assert (found.pace, found.measured) == (2, False)
    share = 2e6 / times._WEIGHTS
    per_text = {name: 2 * share * seconds for name, seconds in times._SECONDS_PER_TEXT.items()}
    assert found.generation["supervised-1", "beam"] == pytest.approx(per_text["beam"])
    training = 2 * share * 4 * times._SECONDS_PER_SENTENCE
    assert found.training["supervised-1"] == pytest.approx(training)
    writing = 6 * (per_text["beam"] + per_text["neurologic"])
    assert found.stages["zero-shot"] == pytest.approx(writing + times._LOADING)
    assert found.seconds == pytest.approx(sum(found.stages.values()))


def test_more_beams_take_longer_where_there_are_beams(tmp_path, trial):
    planned = plan_stages(small_reproduction(tmp_path / "out"))
    few, many = (
        estimate_time(SMALL, planned),
        estimate_time(replace(SMALL, settings={"num_beams": 16}), planned),
    )
    assert many.generation["supervised-1", "beam"] == pytest.approx(
        2 * few.generation["supervised-1", "beam"]
    )
    assert many.generation["supervised-1", "greedy"] == few.generation["supervised-1", "greedy"]


def test_a_decoder_without_a_known_time_counts_like_neurologic(tmp_path, trial, monkeypatch):
    monkeypatch.setitem(DECODERS, "mine", replace(DECODERS["neurologic"], name="mine"))
    scale = replace(SMALL, decoders=(*SMALL.decoders, "mine"))
    found = estimate_time(scale, plan_stages(small_reproduction(tmp_path / "out", scale)))
    assert found.generation["supervised-1", "mine"] == found.generation["supervised-1", "neurologic"]


def test_what_was_done_here_tells_how_fast_this_machine_is(tmp_path, monkeypatch):
    monkeypatch.setattr(times, "_trial", lambda device, threads: pytest.fail("there is no need to try"))
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, ("zero-shot", "beam"), good()[:5])  # two seconds a text
    found = estimate_time(SMALL, plan_stages(reproduction))
    assert found.measured
    assert found.generation["zero-shot", "beam"] == 2.0
    usual = times._SECONDS_PER_TEXT
    assert found.generation["zero-shot", "neurologic"] == pytest.approx(
        2 * usual["neurologic"] / usual["beam"]
    )
    assert found.stages["zero-shot"] == pytest.approx(
        2.0 + 6 * found.generation["zero-shot", "neurologic"] + times._LOADING
    )


def test_finished_trainings_tell_it_too(tmp_path, monkeypatch):
    monkeypatch.setattr(times, "_trial", lambda device, threads: pytest.fail("there is no need to try"))
    finish_training(tmp_path / "out" / "models" / "supervised-1", seconds=40.0)
    found = estimate_time(SMALL, plan_stages(small_reproduction(tmp_path / "out")))
    assert found.training["supervised-1"] == pytest.approx(40)
    assert found.training["adapted-1"] == pytest.approx(40), "as many sentences"


def test_a_run_with_few_texts_does_not_count(tmp_path, trial):
    reproduction = small_reproduction(tmp_path / "out")
    write_run(reproduction, ("zero-shot", "beam"), good()[:1])
    assert not estimate_time(SMALL, plan_stages(reproduction)).measured


def test_nothing_left_takes_no_time(tmp_path, trial):
    reproduction = small_reproduction(tmp_path / "out", parts=("table3",), models={"adapted-1": "ready"})
    for system in ("zero-shot", "adapted-1"):
        for decoder in ("beam", "neurologic"):
            write_run(reproduction, (system, decoder), good())
    assert estimate_time(SMALL, plan_stages(reproduction)).seconds == 0


def test_the_trial_takes_a_moment():
    assert 0 < times._trial("cpu", None) < 30


@pytest.mark.skipif(not COMMONGEN.is_dir(), reason="CommonGen is not there")
def test_the_laptop_scale_fits_into_a_night(tmp_path, monkeypatch):
    monkeypatch.setattr(times, "_trial", lambda device, threads: times._TRIAL_SECONDS)
    laptop = SCALES["laptop"]
    reproduction = Reproduction(
        laptop, TASKS["commongen"], str(COMMONGEN), tmp_path, subset=Subset(sample=laptop.inputs)
    )
    assert 1 < estimate_time(laptop, plan_stages(reproduction)).seconds / 3600 <= 10
