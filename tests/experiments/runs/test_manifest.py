"""The manifest of a run: everything that decides its texts, and nothing else."""

from dataclasses import replace

import pytest

from experiments.runs.toy import Toy, item
from neurologic.batches.run_manifest import differences, signature
from neurologic.experiments.runs import Experiment
from neurologic.experiments.tasks.base import Option

ITEMS = [item(1), item(2)]


def described(items=ITEMS, options=None, split="dev", model="smollm2", decoder="neurologic", **settings):
    loading = {"dtype": "int8", "threads": 2, "device": "cpu"}
    tone = options or {"tone": "plain"}
    return Experiment(Toy(), split, tone, items, items, model, loading).manifest(decoder, settings)


@pytest.mark.parametrize(
    "other",
    [
        {"items": ITEMS[:1]},
        {"items": [ITEMS[0], replace(ITEMS[1], prompt="another")]},
        {"items": [ITEMS[0], replace(ITEMS[1], formula=None)]},
        {"items": [ITEMS[0], replace(ITEMS[1], raw=True)]},
        {"items": [ITEMS[0], replace(ITEMS[1], opening="A")]},
        {"items": [ITEMS[0], replace(ITEMS[1], settings={"max_new_tokens": 9})]},
        {"options": {"tone": "loud"}},
        {"split": "train"},
        {"model": "another"},
        {"decoder": "beam"},
        {"num_beams": 4},
        {"alpha": 5},
    ],
)
def test_what_decides_the_texts_makes_another_run(other):
    assert differences(described(), described(**other))


def test_references_threads_and_devices_do_not():
    again = described([replace(item, references=("other",)) for item in ITEMS])
    assert differences(described(), again) == []
    assert {"threads", "device"}.isdisjoint(again)
    assert again["dtype"] == "int8"


def test_a_setting_that_is_given_as_its_default_changes_nothing():
    assert described(num_beams=8) == described()


def test_only_settings_that_the_decoder_accepts_are_named():
    assert "alpha" in described()["settings"]
    assert "alpha" not in described(decoder="beam")["settings"]


def test_it_is_as_a_file_has_it():
    assert described(stop_strings=(".",))["settings"]["stop_strings"] == ["."]


def test_the_signature_is_one_line_with_everything():
    parts = signature({**described(), "inputs": 2}).split("|")
    assert {"task:toy", "split:dev", "tone:plain", "model:smollm2", "num_beams:8", "inputs:2"} <= set(parts)


def test_settings_of_the_inputs_own_are_named_as_such_unless_the_run_has_others():
    items = [replace(each, settings={"max_new_tokens": 9}) for each in ITEMS]
    assert described(items)["settings"]["max_new_tokens"] == "per input"
    assert described(items, max_new_tokens=5)["settings"]["max_new_tokens"] == 5


def test_options_that_choose_inputs_or_judges_are_left_out():
    class Judged(Toy):
        options = (*Toy.options, Option("judge", "who judges", decides_texts=False))

    options = {"tone": "plain", "judge": "somebody"}
    manifest = Experiment(Judged(), "dev", options, ITEMS, ITEMS, "smollm2").manifest("beam", {})
    assert manifest["tone"] == "plain"
    assert "judge" not in manifest
