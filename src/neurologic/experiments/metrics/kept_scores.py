"""Keep on disk what a slow judge said about a text, so that scoring the same text again costs nothing.

The folder `judged` of the cache folder has a file of JSON lines per judge, named by a hash of all that
decides its verdicts. A file is never a reason to fail: without a writable folder verdicts last as long as the
process, and a damaged line means that the judge reads the text again. Nothing is ever removed: delete the
folder to free its space.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from neurologic.errors import ModelError
from neurologic.models.cache_folder import cache_part
from neurologic.storage import append_line, whole_lines

Verdict = tuple[float, ...]


class KeptScores:
    """Verdicts of one judge by text.

    judge  everything that decides a verdict besides the text: model, prompt, versions
    """

    def __init__(self, judge: str) -> None:
        self._path: Path | None = None
        with contextlib.suppress(ModelError):  # there is no place for a cache
            self._path = cache_part("judged") / f"{_hash(judge)}.jsonl"
        self._known = {} if self._path is None else dict(_read(self._path))

    def of(
        self, texts: Sequence[str], judged: Callable[[list[str]], Iterable[tuple[str, Verdict]]]
    ) -> list[Verdict]:
        """Return the verdict of each text; `judged` takes those without one, and yields text and verdict.

        Every verdict is kept as soon as it is there, so that an interrupted judge loses little.
        """
        unknown = [text for text in dict.fromkeys(texts) if _hash(text) not in self._known]
        if unknown:
            for text, verdict in judged(unknown):
                self._add(text, verdict)
        return [self._known[_hash(text)] for text in texts]

    def _add(self, text: str, verdict: Verdict) -> None:
        key = _hash(text)
        self._known[key] = verdict
        if self._path is None:
            return
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab", buffering=0) as file:
                append_line(file, json.dumps([key, *verdict]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _read(path: Path) -> Iterator[tuple[str, Verdict]]:
    with contextlib.suppress(OSError):
        for line in whole_lines(path):
            with contextlib.suppress(ValueError, TypeError):
                key, *verdict = json.loads(line)
                yield str(key), tuple(map(float, verdict))
