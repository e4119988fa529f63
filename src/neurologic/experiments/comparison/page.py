"""One HTML page of a comparison: the table, then every input with its texts side by side.

The page is a single file without scripts, fonts or anything else to fetch. Marks never rest on colour alone:
found phrases are bold, forbidden ones struck through with a sign before them, and unmet clauses are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from neurologic.experiments.comparison.attempts import Attempt, Input
from neurologic.experiments.comparison.columns import COLUMNS
from neurologic.experiments.comparison.record import Comparison
from neurologic.generation.result import Result
from neurologic.logic.marking import Mark, Part, marked

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Decoders side by side</title>
<style>
{style}</style>
</head>
<body>
<h1>Decoders side by side</h1>
{intro}
{table}
<main>
{inputs}
</main>
</body>
</html>
"""


def page_of(comparison: Comparison) -> str:
    """The page; every text in it is escaped."""
    inputs = [
        _section(place, one, [(name, comparison.of(name).get(place)) for name in comparison.decoders])
        for place, one in enumerate(comparison.inputs)
    ]
    page = _PAGE.format(
        style=files(__package__).joinpath("page.css").read_text(encoding="utf-8"),
        intro=_settings(comparison),
        table=_table(comparison),
        inputs="\n".join(inputs),
    )
    # Half a surrogate pair can come in by a JSON escape, and no file can hold it.
    return page.encode("utf-8", "xmlcharrefreplace").decode()


def _settings(comparison: Comparison) -> str:
    """What holds for all decoders; what each of them heeds is in the JSON document."""
    shown = {name: value for name, value in comparison.settings.items() if not isinstance(value, dict)}
    shown |= comparison.settings.get("given", {})
    parts = [f"{name.rstrip('_').replace('_', ' ')}: {_value(value)}" for name, value in shown.items()]
    return f'<p class="quiet">{escape(" · ".join(parts))}</p>'


def _value(value: object) -> object:
    return ("no", "yes")[value] if isinstance(value, bool) else value


# -- the table ------------------------------------------------------------------------------------


def _table(comparison: Comparison) -> str:
    headings = "".join(f'<th scope="col"{_number(c.is_number)}>{escape(c.heading)}</th>' for c in COLUMNS)
    rows = []
    for decoder, figures in comparison.figures().items():
        cells = "".join(f"<td{_number(c.is_number)}>{escape(c.shown(figures))}</td>" for c in COLUMNS)
        rows.append(f'<tr><th scope="row">{escape(decoder)}</th>{cells}</tr>')
    meanings = "".join(f"<dt>{escape(c.heading)}</dt><dd>{escape(c.meaning)}</dd>" for c in COLUMNS)
    count = len(comparison.inputs)
    return "\n".join(
        [
            '<div class="scrolls" role="region" aria-label="Figures per decoder" tabindex="0">',
            f"<table><caption>{count} {'input' if count == 1 else 'inputs'}</caption>",
            f'<thead><tr><th scope="col">decoder</th>{headings}</tr></thead>',
            "<tbody>",
            *rows,
            "</tbody></table></div>",
            f"<details><summary>What the columns mean</summary><dl>{meanings}</dl></details>",
        ]
    )


def _number(is_number: bool) -> str:
    return ' class="number"' if is_number else ""


# -- inputs and their texts -----------------------------------------------------------------------


def _section(place: int, one: Input, attempts: Iterable[tuple[str, Attempt | None]]) -> str:
    clauses = "".join(f"<li>{escape(clause.text)}</li>" for clause in one.clauses)
    articles = [_article(name, one, attempt) for name, attempt in attempts if attempt is not None]
    return "\n".join(
        [
            f'<section aria-labelledby="input-{place + 1}">',
            f'<h2 id="input-{place + 1}" dir="auto">{place + 1}. {escape(one.title)}</h2>',
            f'<ul class="clauses" aria-label="Clauses">{clauses}</ul>' if clauses else "",
            f'<div class="grid">{"".join(articles)}</div>',
            "</section>",
        ]
    )


def _article(decoder: str, one: Input, attempt: Attempt) -> str:
    heading = f"<h3>{escape(decoder)}</h3>"
    result = attempt.result
    if not isinstance(result, Result):
        kind = "refused" if attempt.refused else "failed"
        return f'<article>{heading}<p class="error">{kind}: {escape(str(result))}</p></article>'
    reduced = f'<p class="quiet">{escape(result.reduced)}</p>' if result.reduced else ""
    parts = marked(result.text, one.clauses, result.clauses, before=result.before)
    return text_article(heading + reduced, parts, result.unmet, _summary(result))


def text_article(heading: str, parts: Sequence[Part], unmet: Sequence[str], summary: str) -> str:
    """A text with its marks, its unmet clauses and a line about it; only `heading` is HTML already."""
    clauses = "".join(f"<li>✗ unmet: {escape(clause)}</li>" for clause in unmet)
    return "\n".join(
        [
            f"<article>{heading}",
            f'<p class="text" dir="auto">{_marked_html(parts) or "<em>nothing</em>"}</p>',
            f'<ul class="unmet">{clauses}</ul>' if clauses else "",
            f"<footer>{escape(summary)}</footer></article>",
        ]
    )


def _marked_html(parts: Sequence[Part]) -> str:
    """Parts of a text with their marks, escaped."""
    written = []
    for text, mark in parts:
        if mark is Mark.NONE:
            written.append(escape(text))
        elif mark is Mark.FOUND:
            written.append(f'<mark class="found">{escape(text)}</mark>')
        else:
            hint = '<span class="unseen">forbidden: </span>'
            written.append(f'<mark class="forbidden">{hint}{escape(text)}</mark>')
    return "".join(written)


def _summary(result: Result) -> str:
    parts = []
    if result.clauses:
        satisfied = sum(clause.satisfied for clause in result.clauses)
        sign = "✓" if result.satisfied else "✗"
        parts.append(f"{sign} {satisfied} of {len(result.clauses)} clauses")
    parts.append(f"score {result.score:.3f}")
    if result.forced:
        parts.append(f"forced tokens: {result.forced}")
    if result.ending in ("length", "time"):
        parts.append(f"cut off by its {result.ending} limit")
    return " · ".join(parts)
