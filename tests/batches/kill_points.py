"""Kill `neurologic generate` with SIGKILL at random moments, again and again, until it gets to the end.

    python tests/batches/kill_points.py --points 50

Every row must be there once, in the order of the input, and equal to what an undisturbed run writes. The
model is a tiny real one; each process is a fork of this one, so that nothing is loaded twice. Exit code 0 if
all is as it must be.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import neurologic
from echo_model import EchoModel
from neurologic.batches.row_ledger import WIDTH
from neurologic.cli import main as run
from neurologic.generation.constrained_model import ConstrainedModel

ROWS = 200
_SEARCH = ("--decoder", "greedy", "--batch-size", "1")


def started(argv: list[str]) -> int:
    """Run a command in a process of its own, and return the process id."""
    child = os.fork()
    if child:
        return child
    with contextlib.redirect_stderr(io.StringIO()):
        os._exit(run(argv))


def kill_points(folder: Path, points: int, seed: int, suffix: str) -> None:
    chance = random.Random(seed)
    given = folder / "in.jsonl"
    lines = [{"id": row, "prompt": f"p{row}" * chance.randint(1, 4)} for row in range(ROWS)]
    lines[17]["prompt"] = "long " * 100  # fails
    given.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def argv(name: str) -> list[str]:
        return ["generate", "-i", str(given), "-o", str(folder / f"{name}{suffix}"), *_SEARCH]

    assert os.waitpid(started(argv("whole")), 0)[1] == 1 << 8, "one row fails"
    ledger = folder / f"killed{suffix}.run" / "rows"

    def written() -> int:
        return ledger.stat().st_size // WIDTH if ledger.exists() else 0

    places: list[int] = []
    for _ in range(points):
        child = started(argv("killed"))
        wanted = written() + chance.randrange(2 * ROWS // points)
        while written() < min(wanted, ROWS - 10):
            time.sleep(0.001)
        time.sleep(chance.choice([0, 0, 0.001, 0.01, 0.1]))
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL, "it came to its end"
        places.append(written())
    assert os.waitpid(started(argv("killed")), 0)[1] == 1 << 8
    whole, killed = ((folder / f"{name}{suffix}").read_bytes() for name in ("whole", "killed"))
    assert whole == killed
    print(f"killed after these rows: {places}; in the end {ROWS} rows, as in one run")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--suffix", default=".jsonl", help="the kind of output: .jsonl or .parquet")
    options = parser.parse_args()
    neurologic.load = lambda *names, **given: ConstrainedModel(EchoModel())
    with tempfile.TemporaryDirectory() as made:
        kill_points(Path(made), options.points, options.seed, options.suffix)
