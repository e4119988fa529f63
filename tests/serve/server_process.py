"""A server as a real process on a free port of this machine, and the clients of it."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

import openai

# The tiny model has no favourites among its tokens; few candidates make its searches fast.
FAST = {"alpha": 40}
START_SECONDS = 120
STOP_SECONDS = 60


def fast(neurologic: dict[str, Any] | None) -> dict[str, Any]:
    """Return the field `neurologic` with few candidates, if the decoder has them."""
    given = neurologic or {}
    return {**({} if given.get("decoder", "neurologic") not in ("neurologic", "astar") else FAST), **given}


class ServerProcess:
    """`neurologic serve` in a process of its own; `log` holds what it has logged."""

    def __init__(self, model: Path | str, *options: str) -> None:
        self.log: list[dict[str, Any]] = []
        self.name = Path(model).name
        self._news: queue.Queue[dict[str, Any]] = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "neurologic", "serve", "--model", str(model), "--port", "0", *options],
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        threading.Thread(target=self._read, daemon=True).start()
        self.port = self.wait_for("listening")["port"]
        self.url = f"http://127.0.0.1:{self.port}"

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            try:
                entry = json.loads(line)
            except ValueError:
                entry = {"event": "not JSON", "line": line}
            self.log.append(entry)
            self._news.put(entry)
        self._news.put({"event": "end"})

    def wait_for(self, event: str, **fields: Any) -> dict[str, Any]:
        """Return the next line of the log with this event and these fields."""
        while True:
            entry = self._news.get(timeout=START_SECONDS)
            if entry["event"] == event and fields.items() <= entry.items():
                return entry
            assert entry["event"] != "end", self.log

    def client(self, **options: Any) -> openai.OpenAI:
        return openai.OpenAI(
            base_url=f"{self.url}/v1", **{"api_key": "none", "max_retries": 0, "timeout": 60, **options}
        )

    def signal(self, number: int = signal.SIGTERM) -> None:
        self._process.send_signal(number)

    def ended(self) -> int:
        """Wait for the end and return the exit code."""
        return self._process.wait(timeout=STOP_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
