"""Reports as HTML pages, from the Jinja2 templates in `experiments/templates`.

A page is a single file without scripts, fonts or anything else to fetch. Jinja2 escapes every text. Marks
never rely on colour alone: required phrases are bold, forbidden ones struck through with a sign before them,
unmet clauses are listed, and a significant difference has a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from neurologic.experiments.runs.comparison import COMPARISON_COLUMNS, Comparison
from neurologic.experiments.runs.evaluation import (
    EVALUATION_COLUMNS,
    SIGNIFICANCE_LEVEL,
    Evaluation,
    ScoredSystem,
)
from neurologic.experiments.runs.prediction import Prediction
from neurologic.logic import Clause, to_clauses
from neurologic.logic.marking import Part, marked

if TYPE_CHECKING:
    from jinja2 import Environment


def evaluation_page(evaluation: Evaluation) -> str:
    """Return the page of an evaluation: scores, then every input with its texts, the worst first."""
    names = [system.name for system in evaluation.systems]
    details = {
        f"Signatures of {system.name}": [
            system.signature,
            *system.metric_signatures.values(),
            *(f"{name} n/a: {reason}" for name, reason in system.not_available.items()),
        ]
        for system in evaluation.systems
    }
    marks = (
        f"▲ ▼ significantly better or worse than {names[0]} "
        f"(paired bootstrap over the inputs, p < {SIGNIFICANCE_LEVEL})"
    )
    return render(
        "texts.html",
        title=f"{evaluation.task.title}: {', '.join(names)}",
        intro=[evaluation.task.summary, *_pairs(evaluation.circumstances)],
        table=evaluation.scores_table(),
        notes=[marks] if evaluation.differences else [],
        columns=EVALUATION_COLUMNS,
        details=details,
        sections=[_evaluated(evaluation, place) for place in evaluation.worst_first()],
    )


def comparison_page(comparison: Comparison) -> str:
    """Return the page of a comparison: figures per decoder, then every input with its texts."""
    settings = comparison.settings
    # The page shows only the settings common to all decoders; the JSON document has those of each.
    shown = {name: value for name, value in settings.items() if not isinstance(value, dict)}
    return render(
        "texts.html",
        title="Decoders side by side",
        intro=_pairs(shown | settings.get("given", {})),
        table=comparison.table(),
        notes=[],
        columns=COMPARISON_COLUMNS,
        details={},
        sections=[_compared(comparison, place) for place in range(len(comparison.inputs))],
    )


def render(template: str, **values: Any) -> str:
    """Fill in a template."""
    page = _templates().get_template(template).render(**values)
    # A JSON escape can bring in half a surrogate pair, which no file can hold.
    return page.encode("utf-8", "xmlcharrefreplace").decode()


@lru_cache(maxsize=1)
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    return Environment(
        loader=PackageLoader("neurologic.experiments"),
        autoescape=select_autoescape(default=True, disabled_extensions=("md",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _pairs(values: Any) -> list[str]:
    """Return "name: value" for each entry."""

    def shown(value: object) -> object:
        return ("no", "yes")[value] if isinstance(value, bool) else value

    return [f"{name.rstrip('_').replace('_', ' ')}: {shown(value)}" for name, value in values.items()]


# -- inputs and their texts -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Text:
    """A system's text for an input; `label` says how its formula was reduced, `footer` how it came about."""

    name: str
    parts: Sequence[Part] = ()
    unmet: tuple[str, ...] = ()
    label: str = ""
    footer: str = ""
    error: str = ""


@dataclass(frozen=True)
class _Section:
    """An input with its texts; `id` is shown after the title."""

    title: str
    clauses: tuple[Clause, ...]
    texts: Sequence[_Text]
    id: str = ""
    references: tuple[str, ...] = ()


def _evaluated(evaluation: Evaluation, place: int) -> _Section:
    item = evaluation.items[place]
    clauses = () if item.formula is None else tuple(to_clauses(item.formula))
    texts = []
    for system in evaluation.systems:
        prediction = system.predictions[place]
        facts = [*_metric_facts(system, place), *_search_facts(prediction)]
        texts.append(_text(system.name, prediction, clauses, facts))
    return _Section(item.title, clauses, texts, item.id, item.references)


def _compared(comparison: Comparison, place: int) -> _Section:
    compared = comparison.inputs[place]
    texts = [
        _text(decoder, prediction, compared.clauses, [*_verdict(prediction), *_search_facts(prediction)])
        for decoder, prediction in comparison.at(place).items()
    ]
    return _Section(compared.title, compared.clauses, texts)


def _text(name: str, prediction: Prediction, clauses: tuple[Clause, ...], facts: list[str]) -> _Text:
    if prediction.error:
        kind = "refused" if prediction.refused else "failed"
        return _Text(name, error=f"{kind}: {prediction.error}")
    before = "" if prediction.opening else prediction.result.before
    parts = marked(prediction.output, clauses, prediction.clauses, before=before)
    return _Text(name, parts, prediction.unmet, prediction.result.reduced, " · ".join(facts))


def _metric_facts(system: ScoredSystem, place: int) -> list[str]:
    return [
        f"{score.metric.title} {score.per_input[place]:.{score.metric.digits - 1}f}"
        for score in system.scores
        if score.per_input
    ]


def _verdict(prediction: Prediction) -> list[str]:
    facts = [f"score {prediction.result.score:.3f}"]
    if prediction.clauses:
        satisfied = len(prediction.clauses) - len(prediction.unmet)
        sign = "✗" if prediction.unmet else "✓"
        facts.insert(0, f"{sign} {satisfied} of {len(prediction.clauses)} clauses")
    return facts


def _search_facts(prediction: Prediction) -> list[str]:
    facts = [f"forced tokens: {prediction.result.forced}"] if prediction.result.forced else []
    return facts + ([f"cut off by its {prediction.result.ending} limit"] if prediction.cut_off else [])
