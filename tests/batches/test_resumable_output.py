"""An output that processes write in turn: nothing lost, nothing twice, nothing mixed."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurologic.batches.lines import InputLine
from neurologic.batches.resumable_output import ResumableOutput
from neurologic.batches.row_ledger import Outcome
from neurologic.errors import DataError

MANIFEST = {"model": "toy", "settings": {"num_beams": 4}}


class Killed(Exception):
    """The end of a process."""


def rows(*names, ids=False):
    """Rows with these contents; one that begins with "bad" fails, an empty one is blank."""
    return [
        InputLine(
            place + 1,
            {"id": name} if ids else {"prompt": name},
            place=place,
            data=name.encode(),
            blank=not name,
        )
        for place, name in enumerate(names)
    ]


def write(path, given, *, upto=None, text="text of", read_again=True, retry_errors=False, **options):
    """Write the missing rows, but stop after `upto` of them; return those that were written now."""
    written = []
    with ResumableOutput(path, options.pop("manifest", MANIFEST), **options) as output:
        planned = output.plan(lambda: iter(given), read_again=read_again, retry_errors=retry_errors)
        output.begin()
        for row, kept in planned:
            if kept is not None:
                output.keep(kept)
                continue
            if len(written) == upto:
                raise Killed
            name = row.data.decode()
            outcome = (
                Outcome.BLANK if not name else Outcome.FAILED if name.startswith("bad") else Outcome.SATISFIED
            )
            beside = f"beside {name}\n".encode() if options.get("beside") and name else b""
            output.add(row, f"{text} {name}".encode(), outcome, beside=beside)
            written.append(name)
        output.finish()
    return written


def stopped(path, given, after, **options):
    with contextlib.suppress(Killed):
        write(path, given, upto=after, **options)


def lines(path):
    return path.read_text().splitlines()


def test_the_next_process_writes_the_rows_that_are_missing(tmp_path):
    path = tmp_path / "out"
    stopped(path, rows("a", "b", "c"), 2)
    assert write(path, rows("a", "b", "c")) == ["c"]
    assert write(path, rows("a", "b", "c")) == []
    assert write(path, rows("a", "b", "c", "d")) == ["d"], "rows may follow"
    assert lines(path) == ["text of a", "text of b", "text of c", "text of d"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 400), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_whatever_is_torn_off_every_row_is_there_once(tmp_path_factory, cuts, chance: random.Random):
    """Cut any file at any byte, as a machine that goes down may: lines, ledger and the file beside."""
    folder = tmp_path_factory.mktemp("run")
    names = ["one", "", "three" * 5, "", "five", "bad six"]
    path, beside = folder / "out", folder / "report"
    for cut in cuts:
        stopped(path, rows(*names), chance.randrange(len(names)), beside=beside)
        file = chance.choice([path, beside, folder / "out.run" / "rows"])
        if file.exists() and file.stat().st_size > cut and file.name != "rows":
            file.write_bytes(file.read_bytes()[:cut])
        elif file.exists() and file.stat().st_size:
            file.write_bytes(file.read_bytes()[:-1])
    write(path, rows(*names), beside=beside)
    assert lines(path) == [f"text of {name}" for name in names]
    assert lines(beside) == [f"beside {name}" for name in names if name]


@pytest.mark.parametrize("left", range(4))
def test_lines_that_are_missing_beside_are_written_again(tmp_path, left):
    path, beside = tmp_path / "out", tmp_path / "report"
    write(path, rows(*"abc"), beside=beside)
    beside.write_bytes(b"".join(beside.read_bytes().splitlines(keepends=True)[:left]))
    assert write(path, rows(*"abc"), beside=beside) == list("abc"[left:])
    assert lines(beside) == ["beside a", "beside b", "beside c"]


def test_another_manifest_is_refused_with_what_changed_and_how_to_start_over(tmp_path):
    path = tmp_path / "out"
    write(path, rows("a"))
    other = {**MANIFEST, "settings": {"num_beams": 8}}
    with pytest.raises(DataError, match=r"num_beams was 4 and is now 8.* --fresh"):
        write(path, rows("a"), manifest=other)
    assert lines(path) == ["text of a"]
    assert write(path, rows("a"), manifest=other, fresh=True, text="new") == ["a"]
    assert lines(path) == ["new a"]


def test_a_run_that_never_began_leaves_no_trace_and_gives_up_nothing(tmp_path):
    path = tmp_path / "out"
    with ResumableOutput(path, MANIFEST):
        pass
    assert list(tmp_path.iterdir()) == []
    write(path, rows("a"))
    with ResumableOutput(path, {"model": "other"}, fresh=True):
        pass
    assert lines(path) == ["text of a"]
    assert write(path, rows("a")) == []


def test_a_second_process_is_refused(tmp_path):
    path = tmp_path / "out"
    with (
        ResumableOutput(path, MANIFEST),
        pytest.raises(DataError, match=r"another process is writing to .*out;"),
    ):
        write(path, rows("a"))


def test_a_file_of_somebody_else_is_not_touched(tmp_path):
    path = tmp_path / "out"
    path.write_text("mine\n")
    with pytest.raises(DataError, match="nothing says which run wrote it; give --fresh"):
        write(path, rows("a"))
    assert lines(path) == ["mine"]


def test_a_line_that_somebody_changed_is_refused(tmp_path):
    path = tmp_path / "out"
    write(path, rows("a", "b", "c"))
    path.write_text(path.read_text().replace("text of b", "TEXT of b"))
    with pytest.raises(DataError, match=r"line 2 of .*out has changed since it was written"):
        write(path, rows("a", "b", "c"))


def test_lines_without_a_ledger_are_not_given_up(tmp_path):
    path = tmp_path / "out"
    write(path, rows("a", "b", "c"))
    (tmp_path / "out.run" / "rows").unlink()
    with pytest.raises(DataError, match="does not say which rows"):
        write(path, rows("a", "b", "c"))
    assert len(lines(path)) == 3


# -- rows that changed ----------------------------------------------------------------------------


@pytest.mark.parametrize("now", [["a", "x", "c"], ["a", "b"], ["b", "c"], ["x", "a", "b", "c"]])
def test_finished_rows_without_an_id_must_stay_as_they_are(tmp_path, now):
    path = tmp_path / "out"
    write(path, rows("a", "b", "c"))
    with pytest.raises(DataError, match="no longer in the input, or changed"):
        write(path, rows(*now))
    assert lines(path) == ["text of a", "text of b", "text of c"]


def test_rows_with_ids_may_come_in_another_order_and_between_others(tmp_path):
    path, beside = tmp_path / "out", tmp_path / "report"
    stopped(path, rows(*"abcde", ids=True), 3, beside=beside)
    assert write(path, rows(*"xcbaed", ids=True), text="now", beside=beside) == ["x", "e", "d"]
    assert lines(path) == ["now x", "text of c", "text of b", "text of a", "now e", "now d"]
    assert lines(beside) == [f"beside {name}" for name in "xcbaed"]


def test_a_row_with_an_id_that_changed_is_refused(tmp_path):
    path = tmp_path / "out"
    write(path, rows("a", "b", ids=True))
    changed = rows("a", "b", ids=True)
    changed[1] = InputLine(2, {"id": "b"}, place=1, data=b"another prompt")
    with pytest.raises(DataError, match="line 2 of"):
        write(path, changed)


def test_rows_that_can_be_read_only_once_must_come_in_order(tmp_path):
    path = tmp_path / "out"
    stopped(path, rows(*"abc", ids=True), 2)
    assert write(path, rows(*"abc", ids=True), read_again=False) == ["c"]
    with pytest.raises(DataError, match="no longer in the input"):
        write(path, rows(*"bac", ids=True), read_again=False)


# -- failed rows ----------------------------------------------------------------------------------


def test_rows_that_failed_are_written_again_on_request_and_no_others(tmp_path):
    path = tmp_path / "out"
    given = rows("a", "bad b", "c", "bad d")
    write(path, given)
    assert write(path, given) == []
    assert write(path, given, retry_errors=True, text="now") == ["bad b", "bad d"]
    assert lines(path) == ["text of a", "now bad b", "text of c", "now bad d"]


def test_a_row_that_failed_and_was_mended_is_written_again(tmp_path):
    path = tmp_path / "out"
    write(path, rows("a", "bad b", "c", "bad d"))
    assert write(path, rows("a", "good b", "c", "bad d"), text="now") == ["good b"]
    assert lines(path) == ["text of a", "now good b", "text of c", "text of bad d"]


def test_trying_again_can_be_interrupted_too(tmp_path):
    path = tmp_path / "out"
    given = rows("a", "bad b", "c", "bad d", "bad e")
    write(path, given)
    for _ in range(2):
        stopped(path, given, 1, retry_errors=True, text="now")
        assert lines(path)[1] == "text of bad b", "the output is whole until the draft is"
    assert write(path, given, retry_errors=True, text="now") == ["bad e"]
    assert lines(path) == ["text of a", "now bad b", "text of c", "now bad d", "now bad e"]
    assert sorted(file.name for file in (tmp_path / "out.run").iterdir()) == ["rows", "run.json"]


@pytest.mark.parametrize("renames", range(4))
def test_a_draft_takes_its_place_whenever_the_process_is_killed(tmp_path, monkeypatch, renames):
    path, beside = tmp_path / "out", tmp_path / "report"
    given = rows("a", "bad b", "c")
    write(path, given, beside=beside)
    replace, done = Path.replace, []

    def killed(self, target):
        if len(done) == renames:
            raise Killed
        done.append(replace(self, target))

    with monkeypatch.context() as patch, contextlib.suppress(Killed):
        patch.setattr(Path, "replace", killed)
        write(path, given, retry_errors=True, text="now", beside=beside)
    assert write(path, given, beside=beside) == []
    assert lines(path) == ["text of a", "now bad b", "text of c"]
    assert lines(beside) == ["beside a", "beside bad b", "beside c"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    given = rows("a", "bad b")
    write(tmp_path / "link", given)
    write(tmp_path / "link", given, retry_errors=True, text="now")
    assert (tmp_path / "link").is_symlink()
    assert lines(tmp_path / "file") == ["text of a", "now bad b"]
