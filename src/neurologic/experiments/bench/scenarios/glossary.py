"""Scenario (i): translations that obey a glossary, against Hugging Face's and CTranslate2's without one.

The model translates from English into French and comes from the user; no model for translation is built in.
CTranslate2 (an extra) has sides of its own where it is installed: a translator would use it instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from neurologic.experiments.bench.figures import TIME_RATIO, Values, against_reference, time_ratios
from neurologic.experiments.bench.results import Measured
from neurologic.experiments.bench.scenarios.scenario import Scenario
from neurologic.experiments.bench.workload import (
    CTRANSLATE2,
    OURS,
    OURS_INT8,
    REFERENCE,
    CountTokens,
    Size,
    Workload,
)
from neurologic.experiments.data_files import tables
from neurologic.integrations.glossary import Glossary, Term

LETTER = "i"
INT8_RATIO = f"int8, {TIME_RATIO}"
_BEAMS = 4  # as OPUS-MT's own settings have it
_TABLES = tables("neurologic.experiments.bench", "translation.toml")


def sentences() -> tuple[str, ...]:
    return tuple(_TABLES["sentences"].strip().splitlines())


def glossary() -> Glossary:
    """Return the glossary of the sentences."""
    terms = []
    for line in _TABLES["glossary"].strip().splitlines():
        source, *forms = (cell.strip() for cell in line.split(">"))
        allowed, forbidden = (
            tuple(form.strip() for form in cell.split("|") if form.strip()) for cell in (*forms, "")[:2]
        )
        terms.append(Term(source, allowed, forbidden))
    return Glossary(terms)


def _workloads(size: Size, _: CountTokens) -> list[Workload]:
    chosen, terms = sentences()[: size.sentences], glossary()
    formulas = tuple(map(terms.formula, chosen))
    tokens = 2 * size.natural_tokens
    return [
        Workload(
            LETTER,
            f"{len(chosen)} sentences with a glossary, {_BEAMS} beams, up to {tokens} tokens",
            chosen,
            {OURS: formulas, OURS_INT8: formulas},
            num_beams=_BEAMS,
            max_new_tokens=tokens,
            others=CTRANSLATE2 if find_spec("ctranslate2") is not None else (),
            natural=True,
            batch_size=size.batch,
        )
    ]


def _figures(workload: Measured) -> Iterator[Values]:
    yield from against_reference(workload)
    reference = workload.sides[REFERENCE]
    yield INT8_RATIO, "ratio", time_ratios(workload.sides[OURS_INT8], reference)
    for side in CTRANSLATE2:
        if side in workload.sides:
            yield f"{side} ÷ {REFERENCE}", "ratio", time_ratios(workload.sides[side], reference)


SCENARIO = Scenario(
    "translation with a glossary, 4 beams (needs --translation-model)",
    LETTER,
    _workloads,
    _figures,
    {(LETTER, TIME_RATIO): 0.65, (LETTER, INT8_RATIO): 0.35},
)
