"""`neurologic bench`: with a tiny real model, and with results of earlier runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from experiments.bench.conftest import no_collections  # noqa: F401
from experiments.bench.made_up_results import all_results
from experiments.bench.tiny import save_tiny_model
from models.test_loading import tiny_t5
from neurologic.experiments.bench import measure as measuring
from neurologic.experiments.bench import memory
from neurologic.experiments.bench.scenarios import SCENARIOS, glossary
from neurologic.experiments.bench.workload import OURS
from tiny.models import save
from tiny.tokenizers import t5_like


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def earlier(tmp_path) -> Path:
    path = tmp_path / "earlier.json"
    path.write_text(json.dumps(all_results().to_json()), encoding="utf-8")
    return path


def first_words(table: str) -> list[str]:
    return [line.split()[0] for line in table.splitlines() if line.strip()]


# -- measuring ------------------------------------------------------------------------------------


@pytest.fixture
def one_process(monkeypatch) -> None:
    """Start a process for the memory of our side only; importing torch in it takes seconds."""
    plain = memory.peak_memory
    monkeypatch.setattr(
        memory, "peak_memory", lambda side, *given, **more: plain(side, *given, **more) if side == OURS else 1
    )


@pytest.mark.usefixtures("one_process")
def test_every_scenario_over_a_tiny_model(run, tiny_folder, tmp_path):
    out = tmp_path / "results.json"
    ended = run("bench", "--quick", "--runs", 1, "--model", tiny_folder, "--json", out)
    assert (ended.code, ended.err) == (0, "")
    document = json.loads(out.read_text(encoding="utf-8"))
    possible = [letter for letter in SCENARIOS if letter != "i"]  # which needs a model of its own
    assert (document["quick"], document["rounds"], document["letters"]) == (True, 1, possible)
    assert {figure["scenario"] for figure in document["figures"]} == set(possible)
    assert {figure["verdict"] for figure in document["figures"]} <= {"quick", None}
    for measured in document["measured"]:
        for name, side in measured["sides"].items():
            [run_of_side] = side["runs"]
            assert run_of_side["seconds"] > 0
            if name != "Hugging Face":
                assert run_of_side["satisfied"] == run_of_side["texts"], (measured["letter"], name)
                assert run_of_side["steps"] == run_of_side["tokens"] or measured["letter"] in "es"
            if measured["letter"] not in "es":  # texts of fixed length: equal work
                assert run_of_side["tokens"] == run_of_side["texts"] * measured["max_new_tokens"]
    assert "quick: fewer inputs" in ended.out
    assert str(tiny_folder) not in json.dumps(document), "nobody needs to know where the model lies"
    if sys.platform.startswith("linux"):
        [natural] = [measured for measured in document["measured"] if measured["letter"] == "e"]
        assert all(side["peak_memory"] > 0 for side in natural["sides"].values())


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = t5_like()
    return save(tiny_t5(tokenizer), tokenizer, tmp_path_factory.mktemp("t5"))


def test_translations_with_a_glossary(run, tiny_folder, translator, monkeypatch):
    """The other sides stand beside ours where CTranslate2 is installed; here it is not."""
    monkeypatch.setattr(glossary, "find_spec", lambda name: None)
    texts = {"sentences": "the dog runs\nthe sea", "glossary": "dog > she > sea"}  # no French letters
    monkeypatch.setattr(glossary, "_TABLES", texts)
    ended = run(
        *("bench", "--quick", "--runs", 1, "--scenarios", "i", "--model", tiny_folder, "--json"),
        *("--translation-model", translator),
    )
    assert (ended.code, ended.err) == (0, "")
    [measured] = ended.json["measured"]
    assert list(measured["sides"]) == ["neurologic", "neurologic int8", "Hugging Face"]
    assert [side["first"]["satisfied"] for side in measured["sides"].values()] == [2, 2, None]
    assert [figure["figure"] for figure in ended.json["figures"]] == [
        *("time ÷ Hugging Face", "first run ÷ Hugging Face", "int8, time ÷ Hugging Face")
    ]


def test_a_model_that_does_not_translate(run, tiny_folder):
    ended = run("bench", "--scenarios", "i", "--model", tiny_folder, "--translation-model", tiny_folder)
    assert ended.code == 2
    assert "--translation-model takes an encoder–decoder model" in ended.err


def test_chosen_scenarios_and_json_on_standard_output(run, tiny_folder):
    ended = run(
        *("bench", "--quick", "--runs", 2, "--scenarios", "F, a", "--model", tiny_folder, "--threads", 1),
        "--json",
    )
    assert (ended.code, ended.err) == (0, "")
    assert ended.json["letters"] == ["a", "f"]
    assert [workload["letter"] for workload in ended.json["measured"]] == ["a", "c"]
    assert len(ended.json["measured"][0]["sides"]["neurologic"]["runs"]) == 2
    machine = ended.json["machine"]
    assert (machine["threads"], machine["model"], machine["device"]) == (1, tiny_folder.name, "cpu")


def test_what_was_measured_before_an_interruption_is_shown(run, tiny_folder, tmp_path, monkeypatch):
    plain = measuring.measure

    def interrupted(*arguments: Any, **options: Any) -> Any:
        yield next(plain(*arguments, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "measure", interrupted)
    out = tmp_path / "results.json"
    ended = run(
        *("bench", "--quick", "--runs", 1, "--scenarios", "a,c", "--model", tiny_folder, "--json", out)
    )
    assert ended.code == 130
    assert "measured scenarios: a" in ended.err
    assert [workload["letter"] for workload in json.loads(out.read_text())["measured"]] == ["a"]
    assert "time ÷ Hugging Face" in ended.out


def test_a_model_without_beam_search(run, monkeypatch):
    import neurologic
    from toys import ToyLoadedModel, random_model, toy_vocabulary

    toy: Any = ToyLoadedModel(random_model(toy_vocabulary("a"), 0))
    toy.model = toy
    monkeypatch.setattr(neurologic, "load", lambda name, **options: toy)
    ended = run("bench", "--quick")
    assert ended.code == 2
    assert "cannot run ToyLoadedModel; choose a causal" in ended.err


# -- earlier results ----------------------------------------------------------------------------


def test_earlier_results_are_shown_without_a_model(run, lm, earlier):
    ended = run("bench", "--from", earlier)
    assert (ended.code, ended.err) == (0, "")
    assert lm.loaded_with is None
    assert "medians of 1 round" in ended.out
    rows = [line for line in ended.out.splitlines() if "time ÷ Hugging Face" in line]
    assert [row.split()[-1] for row in rows] == ["missed", "met", "-", "missed", "missed", "met", "met"]
    assert "3,000 negatives ÷ 1 clause" in ended.out


def test_earlier_results_as_every_kind_of_output(run, earlier, tmp_path):
    pytest.importorskip("matplotlib")
    page, picture, again = (tmp_path / name for name in ("page.md", "speed.svg", "again.json"))
    ended = run("bench", "--from", earlier, "--markdown", page, "--plot", picture, "--json", again)
    assert ended.code == 0
    assert page.read_text(encoding="utf-8").startswith("- tiny, float32 on cpu")
    assert "<svg" in picture.read_text(encoding="utf-8")
    assert json.loads(again.read_text())["measured"] == json.loads(earlier.read_text())["measured"]


def test_results_through_a_pipe(run, earlier):
    ended = run("bench", "--from", "-", "--json", stdin=earlier.read_text())
    assert ended.code == 0
    assert ended.json["figures"][0] == {
        "scenario": "a",
        "workload": "a",
        "figure": "time ÷ Hugging Face",
        "value": 0.75,
        "low": 0.75,
        "high": 0.75,
        "unit": "ratio",
        "target": 0.45,
        "verdict": "missed",
    }


# -- bad usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--scenarios", "a,x"], "there is no scenario x; choose from a, b, c, d, e, f"),
        (["--scenarios", ","], "--scenarios needs letters"),
        (["--scenarios", "i"], "scenario i needs --translation-model DIR"),
        (["--from", "a.json", "--translation-model", "m"], "--translation-model cannot be combined"),
        (["--runs", "0"], "must be a whole number of at least 1"),
        (["--plot", "speed.pdf"], "ends in neither"),
        (["--plot", "-"], "--plot and --markdown need a file"),
        (["--json", "a.json", "--markdown", "./a.json"], "--json and --markdown are the same file"),
        (["--json", "/nonexistent/a.json"], "cannot write /nonexistent/a.json"),
        (["--from", "/nonexistent/a.json"], "cannot read /nonexistent/a.json"),
        (["--from", "a.json", "--quick"], "--quick cannot be combined with --from"),
        (["--from", "a.json", "--device-map", "auto"], "--device-map cannot be combined with --from"),
        (["--from", "a.json", "--model", "other"], "--model cannot be combined with --from"),
        (["surplus"], "unknown arguments: surplus"),
    ],
)
def test_bad_usage_ends_before_a_model_is_loaded(run, lm, argv, message):
    ended = run("bench", *argv)
    assert ended.code == 2
    assert message in ended.err
    assert lm.loaded_with is None


def test_a_file_without_results(run, tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"settings": {}}')
    ended = run("bench", "--from", path)
    assert ended.code == 2
    assert f"{path} cannot be shown: it is not the JSON document of a benchmark" in ended.err


def test_without_matplotlib_nothing_is_measured(run, lm, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ended = run("bench", "--plot", "speed.svg")
    assert ended.code == 2
    assert "pip install 'neurologic-decoding[plots]'" in ended.err
    assert lm.loaded_with is None


def test_a_failure_leaves_an_older_file_as_it_was(run, tmp_path):
    path = tmp_path / "results.json"
    path.write_text("precious")
    ended = run("bench", "--model", tmp_path / "nothing", "--json", path)
    assert ended.code == 2
    assert path.read_text() == "precious"
