"""Scores of systems as tables: what `neurologic eval` prints when texts are written and scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from neurologic.cli.jsonl import json_text, standard_encoding
from neurologic.cli.messages import say_warning
from neurologic.cli.tables import print_wide_table

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Difference, Score
    from neurologic.experiments.runs import Contest


def show_contest(contest: Contest, *, apart: bool, as_json: bool) -> None:
    """Scores and differences on standard output; why something has no value on standard error."""
    if as_json:
        document = contest.to_json() if apart else {**contest.circumstances, **contest.systems[0].to_json()}
        print(json_text(document, encoding=standard_encoding(), indent=2))
        return
    _print_scores(contest)
    if any(contest.differences.values()):
        print()
        _print_differences(contest)
    for reason_, names in _not_available(contest).items():
        say_warning(f"{', '.join(names)} n/a: {reason_}")


def _print_scores(contest: Contest) -> None:
    from neurologic.experiments.runs.figures import COLUMNS

    def number(text: str) -> Text:
        return Text(text, justify="right")

    titles = [score.metric.title for score in contest.systems[0].scores]
    print_wide_table(
        [
            Text("system"),
            *map(number, titles),
            *(number(column.heading) for column in COLUMNS),
            Text("formula"),
        ],
        [
            [
                Text(system.name),
                *(number(_value(score)) for score in system.scores),
                *(number(column.shown(system.figures)) for column in COLUMNS),
                Text(system.figures.formula or "-"),
            ]
            for system in contest.systems
        ],
    )


def _value(score: Score) -> str:
    return "n/a" if score.value is None else f"{score.value:.1f}"


def _print_differences(contest: Contest) -> None:
    """Every system minus the first one, with p-values."""
    from neurologic.experiments.runs.scoring import significant

    styles = {1: "green", -1: "bold red", 0: ""}
    first = contest.systems[0]
    found = {name: {one.name: one for one in several} for name, several in contest.differences.items()}
    titles = {score.name: score.metric.title for score in first.scores}
    titles = {name: title for name, title in titles.items() if any(name in one for one in found.values())}

    def cell(one: Difference | None) -> Text:
        if one is None:
            return Text("n/a", justify="right")
        shown = f"{one.difference.value:+.1f} ({one.p_value:.3f})"
        return Text(shown, styles[significant(one)], justify="right")

    print_wide_table(
        [Text(f"minus {first.name}"), *(Text(f"{title} (p)", justify="right") for title in titles.values())],
        [[Text(name), *(cell(several.get(metric)) for metric in titles)] for name, several in found.items()],
    )


def _not_available(contest: Contest) -> dict[str, list[str]]:
    """Reasons with the metrics that they keep from having a value."""
    reasons: dict[str, list[str]] = {}
    for system in contest.systems:
        for score in system.scores:
            titles = reasons.setdefault(score.reason, [])
            if score.metric.title not in titles:
                titles.append(score.metric.title)
    reasons.pop("", None)  # of those that have a value
    return reasons
