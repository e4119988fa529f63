"""A run in its folder: nothing lost, nothing twice, nothing mixed."""

import json

import pytest

from experiments.runs.toy import answer, item
from neurologic.errors import DataError
from neurologic.experiments.runs import RunFolder

SETTINGS = {"task": "toy", "decoder": "beam", "settings": {"num_beams": 8, "alpha": 500}}
ITEMS = [item(number) for number in range(3)]


def write(folder, *numbers, settings=SETTINGS):
    with RunFolder(folder, settings) as run:
        for number in numbers:
            run.add(ITEMS[number], answer(ITEMS[number]), 0.5)


def done(folder, settings=SETTINGS):
    with RunFolder(folder, settings) as run:
        return list(run.done)


def test_what_was_written_is_there_the_next_time(tmp_path):
    write(tmp_path / "new" / "run", 0, 2)
    with RunFolder(tmp_path / "new" / "run", SETTINGS) as run:
        assert list(run.done) == ["dev-0", "dev-2"]
        assert [missing.id for missing in run.missing(ITEMS)] == ["dev-1"]
        run.add(ITEMS[1], answer(ITEMS[1]), 0.25)
        assert run.missing(ITEMS) == []
        first = run.predictions(ITEMS)
    with RunFolder(tmp_path / "new" / "run", SETTINGS) as run:
        assert run.predictions(ITEMS) == first
    lines = (tmp_path / "new" / "run" / "predictions.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["dev-0", "dev-2", "dev-1"]


def test_a_line_is_with_the_system_at_once(tmp_path):
    with RunFolder(tmp_path, SETTINGS) as run:
        run.add(ITEMS[0], answer(ITEMS[0]), 0.5)
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
    ("settings", "message"),
    [
        (SETTINGS | {"decoder": "gbs"}, 'decoder was "beam" and is now "gbs"'),
        (SETTINGS | {"settings": {"num_beams": 4, "alpha": 500}}, "num_beams was 8 and is now 4"),
        (SETTINGS | {"settings": {"num_beams": 8}}, "alpha was 500 and is now not given"),
        (SETTINGS | {"dtype": "int8"}, 'dtype was not given and is now "int8"'),
    ],
)
def test_other_settings_are_refused_and_named(tmp_path, settings, message):
    write(tmp_path, 0)
    before = (tmp_path / "predictions.jsonl").read_bytes()
    with pytest.raises(DataError) as error:
        done(tmp_path, settings)
    assert message in str(error.value)
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


@pytest.mark.parametrize("line", ["{}", "nonsense", "[1]", '{"id": "dev-0", "text": "A dog."}', "NULL"])
def test_a_whole_line_that_is_not_ours_is_an_error(tmp_path, line):
    write(tmp_path, 0)
    if line == "NULL":
        line = json.dumps(json.loads((tmp_path / "predictions.jsonl").read_text()) | {"text": None})
    with (tmp_path / "predictions.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError, match=r"predictions\.jsonl, line 2: "):
        done(tmp_path)


def test_two_processes_do_not_write_into_one_folder(tmp_path):
    with RunFolder(tmp_path, SETTINGS), pytest.raises(DataError, match="another process is writing"):
        done(tmp_path)
    assert done(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=f"cannot write {tmp_path / 'file' / 'run'}: "):
        done(tmp_path / "file" / "run")


def test_a_run_can_be_read_while_a_process_writes_to_it(tmp_path):
    assert RunFolder.read(tmp_path) is None
    with RunFolder(tmp_path, SETTINGS) as run:
        run.add(ITEMS[0], answer(ITEMS[0]), 0.5)
        found = RunFolder.read(tmp_path)
        assert found is not None
        assert (found.manifest, found.done) == (SETTINGS, run.done)


def test_a_run_without_a_folder_leaves_no_trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(None, 0, 1)
    assert list(tmp_path.iterdir()) == []
