"""Choose how torch's threads wait for each other.

Each operation is shared between the threads, and whoever is done first waits for the others. OpenMP lets it
spin, for milliseconds: quickest on a machine that does nothing else, but where another process needs the core
of the thread that is waited for, both stand still, at every operation, and a text takes twenty times as long.
So the command line lets threads spin for a few hundredths of a millisecond, which bridges the gap between two
operations, and sleep after that.

OpenMP reads this when torch is imported, so it concerns the command line and its child processes; in a
program of your own, set the variables yourself (docs/guides/placement.md).
"""

from __future__ import annotations

from collections.abc import MutableMapping

# Of GNU's OpenMP, in turns of a loop, and Intel's, in milliseconds.
BRIEFLY = {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "1"}
# Who sets one of these has thought about waiting.
CHOICES = (*BRIEFLY, "OMP_WAIT_POLICY")


def wait_briefly(environment: MutableMapping[str, str]) -> None:
    """Let the threads of OpenMP sleep soon, unless the user has chosen how they wait.

    >>> environment = {"OMP_WAIT_POLICY": "active"}
    >>> wait_briefly(environment)
    >>> environment
    {'OMP_WAIT_POLICY': 'active'}
    """
    if not any(choice in environment for choice in CHOICES):
        environment.update(BRIEFLY)
