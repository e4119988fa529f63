"""A run in its folder: nothing lost, nothing twice, nothing mixed."""

import json

import pytest

from experiments.runs.toy import Model, item, results
from neurologic.errors import DataError, PromptError
from neurologic.experiments.runs import Run
from neurologic.experiments.runs.predictions import line_of, of_line, of_output
from neurologic.generation.result import Result

SETTINGS = {"task": "toy", "decoder": "beam", "settings": {"num_beams": 8, "alpha": 500}}
ITEMS = [item(number) for number in range(3)]
TEXTS = dict(zip((one.id for one in ITEMS), results(Model(), ITEMS), strict=True))


def write(folder, *numbers, settings=SETTINGS):
    with Run(folder, settings) as run:
        for number in numbers:
            run.add(ITEMS[number], TEXTS[f"dev-{number}"], 0.5)


def done(folder, settings=SETTINGS):
    with Run(folder, settings) as run:
        return list(run.done)


def test_what_was_written_is_there_the_next_time(tmp_path):
    write(tmp_path / "new" / "run", 0, 2)
    with Run(tmp_path / "new" / "run", SETTINGS) as run:
        assert list(run.done) == ["dev-0", "dev-2"]
        assert [one.id for one in run.left(ITEMS)] == ["dev-1"]
        run.add(ITEMS[1], TEXTS["dev-1"], 0.25)
        assert run.left(ITEMS) == []
        first = run.predictions(ITEMS)
    with Run(tmp_path / "new" / "run", SETTINGS) as run:
        assert run.predictions(ITEMS) == first
    lines = (tmp_path / "new" / "run" / "predictions.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["dev-0", "dev-2", "dev-1"]


def test_a_line_is_with_the_system_at_once(tmp_path):
    with Run(tmp_path, SETTINGS) as run:
        run.add(ITEMS[0], TEXTS["dev-0"], 0.5)
        assert (tmp_path / "predictions.jsonl").read_bytes().count(b"\n") == 1


def test_a_torn_last_line_is_dropped_wherever_it_was_torn(tmp_path):
    write(tmp_path, 0, 1)
    path = tmp_path / "predictions.jsonl"
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for end in range(first, len(whole)):
        path.write_bytes(whole[:end])
        assert done(tmp_path) == ["dev-0"]
        assert path.read_bytes() == whole[:first]
    path.write_bytes(whole)
    assert done(tmp_path) == ["dev-0", "dev-1"]


def test_a_torn_first_line_leaves_nothing(tmp_path):
    write(tmp_path)
    (tmp_path / "predictions.jsonl").write_bytes(b'{"id": "dev-0", "te')
    assert done(tmp_path) == []
    write(tmp_path, 0)
    assert done(tmp_path) == ["dev-0"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (SETTINGS | {"decoder": "gbs"}, 'decoder was "beam" and is now "gbs"'),
        (SETTINGS | {"settings": {"num_beams": 4, "alpha": 500}}, "num_beams was 8 and is now 4"),
        (SETTINGS | {"settings": {"num_beams": 8}}, "alpha was 500 and is now not given"),
        (SETTINGS | {"dtype": "int8"}, 'dtype was not given and is now "int8"'),
    ],
)
def test_other_settings_are_refused_and_named(tmp_path, settings, told):
    write(tmp_path, 0)
    before = (tmp_path / "predictions.jsonl").read_bytes()
    with pytest.raises(DataError) as error:
        done(tmp_path, settings)
    assert told in str(error.value)
    assert str(error.value).startswith(f"{tmp_path} holds texts of another run: ")
    assert str(error.value).count(" was ") == 1, "what is the same is not named"
    assert (tmp_path / "predictions.jsonl").read_bytes() == before
    assert done(tmp_path) == ["dev-0"]


def test_a_run_that_never_got_to_a_text_does_not_keep_the_folder(tmp_path):
    assert done(tmp_path, SETTINGS | {"model": "smolm2"}) == []
    write(tmp_path, 0)
    assert done(tmp_path) == ["dev-0"]


def test_the_order_of_settings_does_not_matter(tmp_path):
    write(tmp_path, 0)
    assert done(tmp_path, dict(reversed(SETTINGS.items()))) == ["dev-0"]


def test_texts_without_a_description_are_not_touched(tmp_path):
    write(tmp_path, 0)
    (tmp_path / "run.json").unlink()
    with pytest.raises(DataError, match=r"no run\.json that says of which run"):
        done(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '"text"'])
def test_a_description_that_is_none(tmp_path, text):
    write(tmp_path, 0)
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(DataError, match=r"does not describe a run|another run"):
        done(tmp_path)


NULL = json.dumps(line_of(item(1), Result("A dog.", 0.0, tokens=(1,)), 1.0) | {"text": None})


@pytest.mark.parametrize("line", ["{}", "nonsense", "[1]", '{"id": "dev-0", "text": "A dog."}', NULL])
def test_a_whole_line_that_is_not_ours_is_told(tmp_path, line):
    write(tmp_path, 0)
    with (tmp_path / "predictions.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError, match=r"predictions\.jsonl, line 2: "):
        done(tmp_path)


def test_two_processes_do_not_write_into_one_folder(tmp_path):
    pytest.importorskip("fcntl")
    with Run(tmp_path, SETTINGS), pytest.raises(DataError, match="another process is writing"):
        done(tmp_path)
    assert done(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=f"cannot write {tmp_path / 'file' / 'run'}: "):
        done(tmp_path / "file" / "run")


def test_a_run_without_a_folder_leaves_no_trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(None, 0, 1)
    assert list(tmp_path.iterdir()) == []


# -- lines ----------------------------------------------------------------------------------------


def test_a_line_says_what_became_of_an_item(tmp_path):
    one = item(7, "dog & cat", fields={"concepts": ["dog", "cat"]})
    (result,) = results(Model(), [one])
    line = json.loads(json.dumps(line_of(one, result, 0.25)))
    assert {name: line[name] for name in ("id", "concepts", "text", "score", "satisfied", "unmet")} == {
        "id": "dev-7",
        "concepts": ["dog", "cat"],
        "text": "A dog 7.",
        "score": -0.5,
        "satisfied": False,
        "unmet": ["cat"],
    }
    assert {name: line[name] for name in ("forced", "ending", "logprob", "tokens", "calls", "seconds")} == {
        "forced": 0,
        "ending": "end",
        "logprob": -1.0,
        "tokens": 2,
        "calls": 3,
        "seconds": 0.25,
    }
    read = of_line(line)
    assert (read.id, read.output, read.unmet, read.clauses) == (
        "dev-7",
        "A dog 7.",
        ("cat",),
        result.clauses,
    )
    assert (read.cost.tokens, read.cost.calls, read.cost.seconds) == (2, 3, 0.25)


def test_an_opening_is_part_of_the_output_and_not_of_the_text():
    one = item(1, opening="The")
    (result,) = results(Model(" dog"), [one])
    line = line_of(one, result, 0)
    assert (line["text"], line["output"], of_line(line).output) == (" dog", "The dog", "The dog")


def test_a_failure_is_a_line_with_an_error():
    line = line_of(item(1), PromptError("too long"), 0)
    assert (line["error"], of_line(line).error, of_line(line).output) == ("too long", "too long", "")


def test_outputs_of_others_are_judged_too():
    prediction = of_output(item(1, "dog & !cat"), "A dog and a cat.")
    assert (prediction.unmet, prediction.cost) == (("!cat",), None)
