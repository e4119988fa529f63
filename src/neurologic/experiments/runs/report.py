"""One HTML page of an evaluation: the table of scores, then every input with its texts, the worst first.

The page is a single file without scripts, fonts or anything else to fetch, in the style of the one that
`neurologic compare` writes. Marks never rest on colour alone: words that a clause asked for are bold, unmet
clauses are listed, and a significant difference from the first system has a sign.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files

from neurologic.experiments.comparison.page import text_article
from neurologic.experiments.runs.figures import COLUMNS
from neurologic.experiments.runs.predictions import Prediction
from neurologic.experiments.runs.scoring import SIGNIFICANT, Contest, System, significant
from neurologic.experiments.tasks.base import Item
from neurologic.logic import Clause, to_clauses
from neurologic.logic.marking import marked

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<h1>{title}</h1>
{intro}
{table}
{notes}
<main>
{inputs}
</main>
</body>
</html>
"""


def page_of(contest: Contest) -> str:
    """The page; every text in it is escaped."""
    sections = [_section(rank, place, contest) for rank, place in enumerate(contest.worst_first(), 1)]
    page = _PAGE.format(
        title=escape(f"{contest.task.title}: {', '.join(system.name for system in contest.systems)}"),
        style=style_sheet(),
        intro=_intro(contest),
        table=_table(contest),
        notes=_notes(contest),
        inputs="\n".join(sections),
    )
    # Half a surrogate pair can come in by a JSON escape, and no file can hold it.
    return page.encode("utf-8", "xmlcharrefreplace").decode()


def style_sheet() -> str:
    """The style of the page, for others that are to look like it."""
    sheets = (
        ("neurologic.experiments.comparison", "page.css"),
        ("neurologic.experiments.runs", "report.css"),
    )
    return "".join(files(package).joinpath(name).read_text(encoding="utf-8") for package, name in sheets)


def _intro(contest: Contest) -> str:
    parts = [contest.task.summary, *(f"{name}: {value}" for name, value in contest.circumstances.items())]
    return f'<p class="quiet">{escape(" · ".join(parts))}</p>'


# -- the table ------------------------------------------------------------------------------------


def _table(contest: Contest) -> str:
    titles = [score.metric.title for score in contest.systems[0].scores]
    headings = "".join(
        f'<th scope="col" class="number">{escape(heading)}</th>'
        for heading in (*titles, *(column.heading for column in COLUMNS))
    )
    count = len(contest.items)
    caption = f"{count} {'input' if count == 1 else 'inputs'}; in percent, CIDEr × 10"
    return "\n".join(
        [
            '<div class="scrolls" role="region" aria-label="Scores" tabindex="0">',
            f"<table><caption>{caption}</caption>",
            f'<thead><tr><th scope="col">system</th>{headings}</tr></thead>',
            "<tbody>",
            *(_row(system, contest) for system in contest.systems),
            "</tbody></table></div>",
        ]
    )


def _row(system: System, contest: Contest) -> str:
    signs = {one.name: significant(one) for one in contest.differences.get(system.name, [])}
    cells = []
    for score in system.scores:
        kind = {1: " better", -1: " worse"}.get(signs.get(score.name, 0), "")
        value = "n/a" if score.value is None else f"{score.value:.1f}"
        hint = {1: " better than the first", -1: " worse than the first"}.get(signs.get(score.name, 0), "")
        unseen = f'<span class="unseen">{hint}</span>' if hint else ""
        cells.append(f'<td class="number{kind}">{value}{unseen}</td>')
    cells += [f'<td class="number">{escape(column.shown(system.figures))}</td>' for column in COLUMNS]
    return f'<tr><th scope="row">{escape(system.name)}</th>{"".join(cells)}</tr>'


def _notes(contest: Contest) -> str:
    """What the columns mean, why something is n/a, and the signatures."""
    notes = []
    if contest.differences:
        notes.append(
            f'<p class="quiet">▲ ▼ significantly better or worse than {escape(contest.systems[0].name)} '
            f"(paired bootstrap over the inputs, p &lt; {SIGNIFICANT})</p>"
        )
    meanings = "".join(
        f"<dt>{escape(column.heading)}</dt><dd>{escape(column.meaning)}</dd>" for column in COLUMNS
    )
    notes.append(f"<details><summary>What the last columns mean</summary><dl>{meanings}</dl></details>")
    for system in contest.systems:
        document = system.to_json()
        lines = [
            document["signature"],
            *document["signatures"].values(),
            *(f"{name} n/a: {reason}" for name, reason in document["not_available"].items()),
        ]
        listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
        notes.append(
            f"<details><summary>Signatures of {escape(system.name)}</summary><ul>{listed}</ul></details>"
        )
    return "\n".join(notes)


# -- inputs and their texts -----------------------------------------------------------------------


def _section(rank: int, place: int, contest: Contest) -> str:
    item = contest.items[place]
    clauses = () if item.formula is None else tuple(to_clauses(item.formula))
    listed = "".join(f"<li>{escape(clause.text)}</li>" for clause in clauses)
    articles = [_article(system, place, clauses) for system in contest.systems]
    return "\n".join(
        [
            f'<section aria-labelledby="input-{rank}">',
            f'<h2 id="input-{rank}" dir="auto"><span class="rank">{rank}.</span> {escape(item.title)} '
            f'<span class="rank">{escape(item.id)}</span></h2>',
            f'<ul class="clauses" aria-label="Clauses">{listed}</ul>' if listed else "",
            f'<div class="grid">{"".join(articles)}</div>',
            _references(item),
            "</section>",
        ]
    )


def _article(system: System, place: int, clauses: tuple[Clause, ...]) -> str:
    prediction = system.predictions[place]
    heading = f"<h3>{escape(system.name)}</h3>"
    if prediction.error:
        return f'<article>{heading}<p class="error">failed: {escape(prediction.error)}</p></article>'
    parts = marked(prediction.output, clauses, prediction.clauses)
    return text_article(heading, parts, prediction.unmet, _summary(system, place, prediction))


def _summary(system: System, place: int, prediction: Prediction) -> str:
    parts = [
        f"{score.metric.title} {score.per_input[place]:.0f}" for score in system.scores if score.per_input
    ]
    cost = prediction.cost
    if cost is not None and cost.forced:
        parts.append(f"forced tokens: {cost.forced}")
    if cost is not None and cost.reduced:
        parts.append(f"searched with {cost.reduced}")
    if cost is not None and cost.ending in ("length", "time"):
        parts.append(f"cut off by its {cost.ending} limit")
    return " · ".join(parts)


def _references(item: Item) -> str:
    if not item.references:
        return ""
    listed = "".join(f'<li dir="auto">{escape(reference)}</li>' for reference in item.references)
    count = len(item.references)
    return (
        f"<details><summary>{count} {'reference' if count == 1 else 'references'}</summary>"
        f'<ul class="references">{listed}</ul></details>'
    )
