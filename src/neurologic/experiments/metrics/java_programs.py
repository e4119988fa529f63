"""Run the two metrics that are Java programs, so that nothing hangs and no process stays behind.

Java is the program that `NEUROLOGIC_JAVA` names, or `java` in `JAVA_HOME`, or `java` on the path. If it fails
or takes too long, kill it; the metric is n/a.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from neurologic.experiments.metrics.optional_packages import UnavailableError

_GROUPS = os.name == "posix"
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')  # "1.8.0_292" is 8, "17.0.15" is 17


@dataclass(frozen=True)
class Java:
    """An installed Java: the path of its program, and its version (8, 11, 17, …)."""

    program: str
    version: int

    def run(self, arguments: Sequence[str], text: str, timeout: float, folder: Path | None = None) -> str:
        """Return the output of a program that reads `text`."""
        try:
            process = subprocess.Popen(
                [self.program, "-Dfile.encoding=UTF-8", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                process_group=0 if _GROUPS else None,  # `java` may be a script that starts the real one
            )
        except OSError as error:
            raise UnavailableError(f"{self.program} does not run: {error}") from error
        with process:
            try:
                written, errors = process.communicate(text.encode("utf-8"), timeout)
            except BaseException as error:  # also for Ctrl-C
                _end(process)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise UnavailableError(f"Java did not finish within {timeout:g} seconds") from None
                raise
        if process.returncode:
            raise UnavailableError(f"Java failed with code {process.returncode}: {_first_error(errors)}")
        return written.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and all processes that it has started."""
    if _GROUPS:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def find_java() -> Java:
    """Return the Java to use."""
    program = _program()
    try:
        asked = subprocess.run([program, "-version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{program} does not run: {error}") from error
    found = _VERSION.search((asked.stderr + asked.stdout).decode("utf-8", "replace"))
    if asked.returncode or found is None:
        raise UnavailableError(f"{program} is not a working Java: {_first_error(asked.stderr)}")
    return Java(program, int(found[1]))


def _program() -> str:
    named = os.environ.get("NEUROLOGIC_JAVA")
    if named:
        return named
    home = os.environ.get("JAVA_HOME")
    in_home = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    program = in_home or shutil.which("java")
    if program is None:
        raise UnavailableError("Java is not installed")
    return program


def _first_error(errors: bytes) -> str:
    lines = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    named = [line for line in lines if "Exception" in line or "Error" in line]
    return (named or lines or ["it says nothing"])[0].strip()
