"""The report as one HTML page in the style of an evaluation's: a single file, pictures included.

Nothing is fetched, and there are no scripts. Marks never rest on colour alone.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from neurologic.experiments.reproduction.contents import Contents
from neurologic.experiments.reproduction.curves import Drawn
from neurologic.experiments.reproduction.table import Block, Cell, Row, Table
from neurologic.experiments.runs.report import style_sheet

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{style}figure {{ margin: .5rem 0; }}
figure img {{ max-width: 100%; height: auto; background: #ffffff; border-radius: .5rem; }}
.block th {{ background: var(--card); color: var(--quiet); font-weight: 600; }}
tbody th {{ white-space: normal; min-width: 14rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
<main>
{main}
</main>
</body>
</html>
"""


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page_of(contents: Contents) -> str:
    """The page; every text in it is escaped."""
    parts = [*(f"<p>{escape(text)}</p>" for text in contents.intro)]
    for table in contents.tables:
        parts.append(_section(table.key, table.title, [_table(table), *_verdicts(table, contents)]))
    for curve in contents.curves:
        parts.append(
            _section(curve.key, curve.curve.title, _curve(curve, contents.pictures.get(curve.key, ())))
        )
    parts += [f'<p class="quiet">{escape(text)}</p>' for text in contents.notes]
    page = _PAGE.format(
        title=escape(contents.title), policy=_POLICY, style=style_sheet(), main="\n".join(parts)
    )
    return page.encode("utf-8", "xmlcharrefreplace").decode()


def _section(key: str, title: str, parts: Sequence[str]) -> str:
    heading = f'<h2 id="{escape(key)}">{escape(title)}</h2>'
    return "\n".join([f'<section aria-labelledby="{escape(key)}">', heading, *parts, "</section>"])


def _verdicts(table: Table, contents: Contents) -> list[str]:
    if table.key != "contrasts":
        return []
    return ["<ul>", *(f"<li>{escape(verdict)}</li>" for verdict in contents.verdicts), "</ul>"]


def _table(table: Table) -> str:
    headings = "".join(f'<th scope="col" class="number">{escape(name)}</th>' for name in table.headings)
    return "\n".join(
        [
            f'<div class="scrolls" role="region" aria-label="{escape(table.title)}" tabindex="0">',
            f"<table><caption>{escape(table.note)}</caption>",
            f'<thead><tr><th scope="col"></th>{headings}</tr></thead>',
            *(_block(block, len(table.headings)) for block in table.blocks),
            "</table></div>",
        ]
    )


def _block(block: Block, width: int) -> str:
    rows = "\n".join(_row(row, width) for row in block.rows)
    heading = f'<tr class="block"><th scope="rowgroup" colspan="{width + 1}">{escape(block.title)}</th></tr>'
    return f"<tbody>{heading}\n{rows}</tbody>"


def _row(row: Row, width: int) -> str:
    notes = f'<br><span class="quiet">{escape("; ".join(row.notes))}</span>' if row.notes else ""
    if row.missing:
        cells = f'<td colspan="{width}" class="quiet">missing</td>'
    else:
        cells = "".join(map(_cell, row.cells)) + "<td></td>" * (width - len(row.cells))
    return f'<tr><th scope="row">{escape(row.name)}{notes}</th>{cells}</tr>'


def _cell(cell: Cell) -> str:
    kind = {1: " better", -1: " worse"}.get(cell.mark, "")
    unseen = f'<span class="unseen">{kind}</span>' if kind else ""
    hint = "" if cell.p_value is None else f' title="p = {cell.p_value:.3f}"'
    return f'<td class="number{kind}"{hint}>{escape(cell.text)}{unseen}</td>'


def _curve(curve: Drawn, pictures: Sequence[Path]) -> list[str]:
    parts = []
    for path in pictures:
        if path.suffix == ".svg":
            data = base64.b64encode(path.read_bytes()).decode()
            alternative = f"{curve.curve.title}: coverage, BLEU-4 and CIDEr of beam search and NeuroLogic"
            parts.append(
                f'<figure><img alt="{escape(alternative)}" src="data:image/svg+xml;base64,{data}" /></figure>'
            )
    if curve.missing:
        missing = ", ".join(" ".join(run) for run in curve.missing)
        parts.append(f'<p class="quiet">Missing: {escape(missing)}.</p>')
    return parts
