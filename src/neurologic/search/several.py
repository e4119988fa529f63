"""Several drawn texts for one input: a search of its own for each, since the texts of one beam are alike.

A trace records the first search only, and `max_time` is the time for all of them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from neurologic.models.base import LanguageModel
from neurologic.search.decoder import Decoder
from neurologic.search.engine import search
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from neurologic.search.surroundings import Surroundings

# Drawn texts can come out the same: for n different ones up to so many times n are drawn.
_TRIES = 3


def search_several(
    model: LanguageModel,
    inputs: Sequence[SearchInput],
    decoder: Decoder,
    settings: SearchSettings,
    surroundings: Surroundings | None = None,
) -> list[SearchOutput]:
    """`num_return_sequences` different texts per input; best first."""
    wanted = settings.num_return_sequences
    started = time.monotonic()
    drawn: list[list[SearchOutput]] = [[] for _ in inputs]
    for number in range(_TRIES * wanted):
        missing = [place for place, outputs in enumerate(drawn) if len(_joined(outputs).texts) < wanted]
        left = None if settings.max_time is None else settings.max_time - (time.monotonic() - started)
        if not missing or (number and left is not None and left <= 0):
            break
        once = replace(settings, num_return_sequences=1, max_time=None if left is None else max(0.0, left))
        again = [replace(inputs[place], seed=inputs[place].seed + number) for place in missing]
        for place, output in zip(missing, search(model, again, decoder, once, surroundings), strict=True):
            drawn[place].append(output)
        surroundings = replace(surroundings or Surroundings(), trace=None)
    return [_joined(outputs) for outputs in drawn]


def _joined(outputs: Sequence[SearchOutput]) -> SearchOutput:
    """The different texts of several searches."""
    texts: dict[bytes, Finished] = {}
    for output in outputs:
        for text in output.texts:
            texts.setdefault(text.text.strip(), text)
    return SearchOutput(
        sorted(texts.values(), key=lambda text: (-text.satisfied, -text.score)),
        promised=all(output.promised for output in outputs),
        kept=all(output.kept for output in outputs),
        calls=sum(output.calls for output in outputs),
        reused=sum(output.reused for output in outputs),
    )
