"""Files and locks outlive a process that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from neurologic.storage import LockedError, append_line, drop_torn_line, lock, whole_lines, write_whole

HOLD = """
import sys, time
from pathlib import Path
from neurologic.storage import lock
with lock(Path(sys.argv[1]), wait=False):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / ".lock")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_lock_of_another_process_is_refused(tmp_path, holder):
    with (
        pytest.raises(LockedError, match="another process holds the lock"),
        lock(tmp_path / ".lock", wait=False),
    ):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_the_lock_of_a_killed_process_is_free(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with lock(tmp_path / ".lock", wait=False):
        assert (tmp_path / ".lock").exists()


def test_a_lock_leaves_no_file(tmp_path):
    with lock(tmp_path / ".lock", wait=True):
        pass
    assert not list(tmp_path.iterdir())


def test_a_lock_is_freed_by_an_error(tmp_path):
    with pytest.raises(KeyError), lock(tmp_path / ".lock", wait=False):
        raise KeyError
    with lock(tmp_path / ".lock", wait=False):
        pass


def test_without_locks_work_goes_on(tmp_path):
    done = []
    with lock(tmp_path / "no such folder" / ".lock", wait=False):
        done.append("work")
    assert done


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")
    write_whole(path, "new é")
    assert path.read_text(encoding="utf-8") == "new é"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_file_stays_when_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr("neurologic.storage.flush", lambda path: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_others_may_read_a_new_file_as_they_may_read_any(tmp_path):
    (tmp_path / "plain").touch()
    write_whole(tmp_path / "whole", "text")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_lines_are_read_as_they_were_appended_without_a_torn_one(tmp_path):
    path = tmp_path / "lines"
    with path.open("ab", buffering=0) as file:
        append_line(file, '{"text": "a\u2028b"}')
        append_line(file, "{}")
        file.write(b'{"te')
    assert whole_lines(path) == ['{"text": "a\u2028b"}'.encode(), b"{}"]
    drop_torn_line(path)
    with path.open("ab", buffering=0) as file:
        append_line(file, "[]")
    assert whole_lines(path)[1:] == [b"{}", b"[]"]


def test_a_line_is_written_to_its_end_when_the_system_takes_a_part_at_a_time():
    class Slow:
        taken = b""

        def write(self, data):
            self.taken += bytes(data[:3])
            return min(3, len(data))

    file = Slow()
    append_line(file, "0123456789")
    assert file.taken == b"0123456789\n"
