"""Several drawn texts for one input: a search of its own for each, since the texts of one beam are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neurologic.models.base import LanguageModel
from neurologic.search.decoder import Decoder
from neurologic.search.engine import SearchInput, SearchOutput, Surroundings, search
from neurologic.search.settings import SearchSettings

# Drawn texts can come out the same: for n different ones up to so many times n are drawn.
_TRIES = 3
# Seeds of the draws for one input; far apart, so that neighbouring seeds of a caller share none.
_SEED_STRIDE = 1_000_003


def search_several(
    model: LanguageModel,
    inputs: Sequence[SearchInput],
    decoder: Decoder,
    settings: SearchSettings,
    surroundings: Surroundings | None = None,
) -> list[SearchOutput]:
    """`num_return_sequences` different texts per input, in the order in which they were drawn."""
    wanted = settings.num_return_sequences
    one_each = replace(settings, num_return_sequences=1)
    drawn: list[list[SearchOutput]] = [[] for _ in inputs]
    for number in range(_TRIES * wanted):
        missing = [place for place, outputs in enumerate(drawn) if len(_joined(outputs).texts) < wanted]
        if not missing:
            break
        again = [
            replace(one, seed=one.seed + number * _SEED_STRIDE) for one in map(inputs.__getitem__, missing)
        ]
        for place, output in zip(missing, search(model, again, decoder, one_each, surroundings), strict=True):
            drawn[place].append(output)
    return [_joined(outputs) for outputs in drawn]


def _joined(outputs: Sequence[SearchOutput]) -> SearchOutput:
    """The different texts of several searches."""
    texts = {text.text.strip(): text for output in reversed(outputs) for text in output.texts}
    return SearchOutput(
        list(reversed(texts.values())),
        promised=all(output.promised for output in outputs),
        kept=all(output.kept for output in outputs),
        calls=sum(output.calls for output in outputs),
        reused=sum(output.reused for output in outputs),
    )
