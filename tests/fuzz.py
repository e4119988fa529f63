"""Explore new random cases: `make fuzz MINUTES=10` runs the property tests again and again, with new seeds.

`make test` runs the same cases every time, so that a failure is one of the change and not of the day. This
script looks for cases that nobody has tried yet. It stops at the first failure and prints how to repeat it;
hypothesis keeps the failing case in .hypothesis and tries it first from then on.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time

FOLDERS = ("logic", "matching", "feasibility", "search", "decoders", "generation")


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the property tests with new seeds.")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to look (default: 10)")
    parser.add_argument("folders", nargs="*", default=FOLDERS, help="folders of tests (default: the core)")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    rounds = passed = 0
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(2**32)
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "hypothesis"),
            *("--numprocesses=auto", "--hypothesis-profile=default", f"--hypothesis-seed={seed}"),
            *(f"tests/{folder}" for folder in arguments.folders),
        ]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if ended.returncode:
            print(ended.stdout)
            print(f"failed with the seed {seed}; repeat it with:\n  {' '.join(command)}")
            return 1
        rounds += 1
        passed += int(re.findall(r"(\d+) passed", ended.stdout)[-1])
        left = max(0.0, end - time.monotonic()) / 60
        print(
            f"round {rounds}, seed {seed}: {passed} properties passed so far, {left:.0f} minutes left",
            flush=True,
        )
    print(f"{rounds} rounds, {passed} properties passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
