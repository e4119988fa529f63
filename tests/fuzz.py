"""Attack the library with new random cases: `make fuzz MINUTES=10`.

`make test` runs the same cases every time, so that a failure is one of the change and not of the day. This
script looks for cases that nobody has tried yet, in two ways that take turns: the kinds of `attack.kinds`,
many a second, each with a ceiling of time and memory; and the property tests, with new seeds.

A failure does not stop it. A failing case of a kind is made smaller and saved in tests/attack/found, where
`make test` tries it from then on; of the property tests hypothesis keeps the failing case. At the end it
prints how many cases of each kind it tried.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType

from attack.kinds import KINDS, Case, run_case

FOLDERS = ("logic", "matching", "feasibility", "search", "decoders", "generation")
FOUND = Path(__file__).parent / "attack" / "found"
SECONDS = 20  # of processor time, for one case
GIGABYTES = 8  # of address space, for the process


class TooLong(Exception):
    """A case took longer than its ceiling."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Try new random cases.")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to look (default: 10)")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), help="kinds of cases (default: all)")
    parser.add_argument("--no-properties", action="store_true", help="leave the property tests out")
    parser.add_argument("folders", nargs="*", default=FOLDERS, help="folders of tests (default: the core)")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))
    signal.signal(signal.SIGPROF, _stop)
    faulthandler.enable()
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}", flush=True)
    end = time.monotonic() + 60 * arguments.minutes
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    slowest: dict[str, float] = {}
    chance = random.Random(seed)
    while time.monotonic() < end:
        _try_kinds(arguments.kinds, chance, min(end, time.monotonic() + 60), tried, failed, slowest)
        if not arguments.no_properties and time.monotonic() < end:
            _try_properties(arguments.folders, chance.randrange(2**32), tried, failed)
        left = max(0.0, end - time.monotonic()) / 60
        print(
            f"{sum(tried.values())} cases, {sum(failed.values())} failed, {left:.0f} minutes left", flush=True
        )
    for kind, number in tried.items():
        longest = f", slowest {slowest[kind]:.1f} s" if kind in slowest else ""
        print(f"{kind:20} {number:9,} cases, {failed[kind]} failed{longest}")
    return int(failed.total() > 0)


def _try_kinds(
    kinds: list[str],
    chance: random.Random,
    end: float,
    tried: Counter[str],
    failed: Counter[str],
    slowest: dict[str, float],
) -> None:
    weights = [KINDS[kind].weight for kind in kinds]
    while time.monotonic() < end:
        (kind,) = chance.choices(kinds, weights)
        case = KINDS[kind].make_case(chance)
        tried[kind] += 1
        start = time.process_time()
        error = _failure(kind, case)
        slowest[kind] = max(slowest.get(kind, 0.0), time.process_time() - start)
        if error is not None:
            failed[kind] += 1
            smallest = _smaller(kind, case, type(error))
            path = _save(kind, smallest)
            print(f"{kind}: {error!r}\n  saved as {path}", flush=True)
            traceback.print_exception(error, limit=-4)


def _failure(kind: str, case: Case) -> BaseException | None:
    """Return what a case raises, if that breaks a promise."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        run_case(kind, case)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _smaller(kind: str, case: Case, error: type[BaseException]) -> Case:
    """Shorten strings and lists of a case as long as it fails in the same way."""
    if error is TooLong:
        return case
    end = time.monotonic() + 10
    for name, value in list(case.items()):
        size = len(value) // 2 if isinstance(value, (str, list)) else 0
        while size and time.monotonic() < end:
            for start in range(0, len(value), size):
                shorter = {**case, name: value[:start] + value[start + size :]}
                if type(_failure(kind, shorter)) is error:
                    case, value = shorter, shorter[name]
                    break
            else:
                size //= 2
    return case


def _save(kind: str, case: Case) -> Path:
    content = json.dumps({"kind": kind, "case": case}, indent=1) + "\n"
    FOUND.mkdir(exist_ok=True)
    path = FOUND / f"{kind.replace(' ', '_')}_{hashlib.sha256(content.encode()).hexdigest()[:8]}.json"
    path.write_text(content)
    return path


def _stop(_: int, frame: FrameType | None) -> None:
    raise TooLong(f"more than {SECONDS} seconds of processor time")


def _try_properties(folders: list[str], seed: int, tried: Counter[str], failed: Counter[str]) -> None:
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "hypothesis"),
        *("--numprocesses=auto", "--hypothesis-profile=fresh", f"--hypothesis-seed={seed}"),
        *(f"tests/{folder}" for folder in folders),
    ]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    words = ended.stdout.replace(",", "").split()
    tried["property test"] += int(words[words.index("passed") - 1]) if "passed" in words else 0
    if ended.returncode:
        failed["property test"] += 1
        print(ended.stdout)
        print(f"failed with the seed {seed}; repeat it with:\n  {' '.join(command)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
