"""Java that is missing, broken, too slow or too new, by programs that stand in for it."""

import os
import sys
import time
from pathlib import Path

import pytest

from experiments.metrics.stub_java import stub_java
from neurologic.experiments.metrics import UnavailableError
from neurologic.experiments.metrics.java_programs import find_java

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs that stand in are scripts")


@pytest.mark.parametrize(
    ("written", "version"), [("1.8.0_292", 8), ("11.0.2", 11), ("17.0.15", 17), ("9", 9)]
)
def test_versions_old_and_new(tmp_path, monkeypatch, written, version):
    monkeypatch.setenv("NEUROLOGIC_JAVA", stub_java(tmp_path, "", written))
    assert find_java().version == version


def test_java_home_before_the_path(tmp_path, monkeypatch):
    monkeypatch.delenv("NEUROLOGIC_JAVA", raising=False)
    (tmp_path / "bin").mkdir()
    program = stub_java(tmp_path / "bin", "")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert find_java().program == program
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_java().program == program


def test_no_java(tmp_path, monkeypatch):
    for name in ("NEUROLOGIC_JAVA", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="Java is not installed"):
        find_java()
    monkeypatch.setenv("NEUROLOGIC_JAVA", str(tmp_path / "java"))
    with pytest.raises(UnavailableError, match="does not run"):
        find_java()


def test_a_program_that_is_no_java(tmp_path, monkeypatch):
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/bin/false")
    with pytest.raises(UnavailableError, match="not a working Java"):
        find_java()


def test_what_it_writes(tmp_path, monkeypatch):
    program = stub_java(tmp_path, "print(sys.argv[1:], sys.stdin.read())")
    monkeypatch.setenv("NEUROLOGIC_JAVA", program)
    assert find_java().run(["-x"], "é", 60) == "['-Dfile.encoding=UTF-8', '-x'] é\n"


def test_its_error_is_the_reason(tmp_path, monkeypatch):
    body = "sys.exit('note\\njava.lang.OutOfMemoryError: heap\\n  at …')"
    monkeypatch.setenv("NEUROLOGIC_JAVA", stub_java(tmp_path, body))
    with pytest.raises(UnavailableError, match=r"failed with code 1: java[.]lang[.]OutOfMemoryError: heap"):
        find_java().run([], "", 60)


def test_a_program_that_hangs_is_killed_with_all_that_it_started(tmp_path, monkeypatch):
    note = tmp_path / "process"
    body = (
        "import os, subprocess, time\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(note)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(600)"
    )
    monkeypatch.setenv("NEUROLOGIC_JAVA", stub_java(tmp_path, body))
    java = find_java()
    with pytest.raises(UnavailableError, match="did not finish within 3 seconds"):
        java.run([], "", 3)
    assert [running(int(number)) for number in note.read_text().split()] == [False, False]


def running(process: int) -> bool:
    """Whether a killed process is still there after a while: the system needs a moment to bury it."""
    for _ in range(500):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        stat = Path(f"/proc/{process}/stat")
        if stat.exists() and stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] == "Z":
            return False  # dead, but its new parent has not asked for it yet
        time.sleep(0.01)
    return True
