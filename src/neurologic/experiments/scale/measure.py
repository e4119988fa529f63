"""Measure runs over many rows on this machine: memory, resuming, and Ray beside the plain command.

    python -m neurologic.experiments.scale.measure memory
    python -m neurologic.experiments.scale.measure resume
    python -m neurologic.experiments.scale.measure driver
    python -m neurologic.experiments.scale.measure rows
    python -m neurologic.experiments.scale.measure ray

Each figure is of a process of its own; seconds are those of a core, so that other programs do not matter,
but for `ray`, which goes by the clock: measure it while nothing else runs. `memory` and `resume` use a stub
that answers at once, in place of a model: they are about everything around it. `driver` makes up the marks of
rows. `rows` and `ray` use the default model, and leave start-up out by the difference between a short and a
long run.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import neurologic
from neurologic.cli import main as run_command
from neurologic.generation.request import Request
from neurologic.generation.result import Result
from neurologic.logic import check

_SIZES = (10_000, 100_000, 1_000_000)
_RESUMED = 100_000
_COMPARED, _PIECE, _BLOCK = 4_000_000, 100_000, 8192
_SHORT, _LONG = 16, 64
_SEARCH = ("--num-beams", "2", "--max-new-tokens", "16")


class StubModel:
    """A model in name: it answers every prompt with the same sentence, and judges it by the formula."""

    def stream(self, requests: Iterable[Request], **options: Any) -> Iterator[Result]:
        """Yield the results of requests in their order."""
        text = "The dog runs across the park."
        for request in requests:
            constraint: Any = request.constraint
            yield Result(text, -1.0, check(constraint, text), request=request)


def write_rows(path: Path, count: int) -> None:
    """Write input lines, of which each is a text to check as well."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            words = {"id": number, "prompt": f"Write a sentence, number {number}.", "include": ["dog"]}
            file.write(json.dumps({**words, "text": f"A dog and the number {number}."}) + "\n")


def alone(*words: str) -> dict[str, float]:
    """Run a command of the command line in this process; return its processor time and its largest memory."""
    neurologic.load = lambda *names, **options: StubModel()  # type: ignore[assignment]
    code = run_command(list(words))
    return {"code": code, "seconds": time.process_time(), "megabytes": _peak() / 2**20}


def in_a_process(*words: str) -> dict[str, float]:
    """Run a command with the stub in a process of its own."""
    return _measured("alone", *words)


def _measured(*words: str) -> dict[str, float]:
    """Run this module with other words in a process of its own; return what it prints last."""
    argv = [sys.executable, "-m", "neurologic.experiments.scale.measure", *words]
    ended = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def memory(folder: Path) -> None:
    """Print seconds and memory of `generate` and `check` for growing numbers of rows."""
    for count in _SIZES:
        given, out = folder / f"{count}.jsonl", folder / f"{count}.out.jsonl"
        write_rows(given, count)
        for words in (("generate", "-i", str(given), "-o", str(out)), ("check", "-i", str(given))):
            _print(f"{words[0]}, {count} rows", in_a_process(*words))
        for path in (given, out):
            path.unlink()


def resume(folder: Path) -> None:
    """Print seconds and memory of a run, and of the same command once more."""
    given, out = folder / "in.jsonl", folder / "out.jsonl"
    write_rows(given, _RESUMED)
    for name in ("first run", "finished run again"):
        _print(f"{name}, {_RESUMED} rows", in_a_process("generate", "-i", str(given), "-o", str(out)))


def driver(folder: Path) -> None:
    """Print the memory that the driver of a Ray run takes for each row, at its peak."""
    found = _measured("compare", str(_COMPARED))
    print(
        f"{_COMPARED} rows: {found['seconds']:.0f} s of a core, {found['bytes_per_row']:.0f} bytes a row",
        flush=True,
    )


def compare(rows: int) -> dict[str, float]:
    """Do in this process what a driver does before its workers begin, with half of the rows written."""
    import numpy as np

    from neurologic.scale.missing_rows import ScannedPiece, blocks_of, missing_rows, require_unique
    from neurologic.scale.part_writer import MARK
    from neurologic.scale.row_files import Piece

    chance, before = np.random.default_rng(0), _peak()
    scanned = []
    for start in range(0, rows, _PIECE):
        count = min(_PIECE, rows - start)
        marks = np.frombuffer(chance.bytes(16 * count).hex().encode(), MARK)
        scanned.append(ScannedPiece(Piece("in.jsonl", start, start + count), np.arange(count), marks))
    done = np.sort(np.concatenate([found.marks[::2] for found in scanned]))
    require_unique(scanned)
    missing = missing_rows(scanned, done, "out")
    blocks = [block.to_row() for block in blocks_of(missing, _BLOCK)]
    assert sum(len(block["offsets"]) for block in blocks) == 8 * (rows - len(done))
    return {"seconds": time.process_time(), "bytes_per_row": (_peak() - before) / rows}


def _peak() -> int:
    """Return the largest memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def rows(folder: Path) -> None:
    """Print what a row costs with the default model and one thread, without start-up."""
    seconds = []
    for count in (_SHORT // 4, _LONG // 4):
        given, out = folder / f"{count}.jsonl", folder / f"{count}.out.jsonl"
        write_rows(given, count)
        before = _children()
        argv = [sys.executable, "-m", "neurologic", "generate", "-i", str(given), "-o", str(out)]
        subprocess.run([*argv, *_SEARCH, "--threads", "1"], stderr=subprocess.DEVNULL, check=True)
        seconds.append(_children() - before)
    cost = (seconds[1] - seconds[0]) / (_LONG // 4 - _SHORT // 4)
    start = seconds[0] - _SHORT // 4 * cost
    print(
        f"{cost:.2f} s of a core per row, {1 / cost:.2f} rows/s per core; start-up {start:.0f} s", flush=True
    )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ray(folder: Path) -> None:
    """Print rows per second of two Ray workers with a thread each, and of the plain command with two."""
    sides = {
        "plain command, two threads": ("--threads", "2"),
        "two Ray workers": ("--engine", "ray", "--workers", "2", "--threads", "1", "--block-rows", "8"),
    }
    for name, options in sides.items():
        seconds = []
        for count in (_SHORT, _LONG):
            given, out = folder / f"{count}.jsonl", folder / f"{name[:3]}{count}"
            write_rows(given, count)
            before = time.perf_counter()
            argv = [sys.executable, "-m", "neurologic", "generate", "-i", str(given), "-o", str(out)]
            subprocess.run([*argv, *_SEARCH, *options], stderr=subprocess.DEVNULL, check=True)
            seconds.append(time.perf_counter() - before)
        rate = (_LONG - _SHORT) / (seconds[1] - seconds[0])
        print(f"{name}: {rate:.2f} rows/s, start-up {seconds[0] - _SHORT / rate:.1f} s", flush=True)


def _print(name: str, figures: dict[str, float]) -> None:
    print(f"{name}: {figures['seconds']:.0f} s of a core, {figures['megabytes']:.0f} MB", flush=True)


def main() -> None:
    """Run a measurement."""
    if sys.argv[1:2] == ["alone"]:
        print(json.dumps(alone(*sys.argv[2:])))
        return
    if sys.argv[1:2] == ["compare"]:
        print(json.dumps(compare(int(sys.argv[2]))))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    measurements = {each.__name__: each for each in (memory, resume, driver, rows, ray)}
    parser.add_argument("measurement", choices=measurements)
    chosen = measurements[parser.parse_args().measurement]
    with tempfile.TemporaryDirectory() as folder:
        chosen(Path(folder))


if __name__ == "__main__":
    main()
