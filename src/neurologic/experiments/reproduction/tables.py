"""The tables of the experiment: our rows beside the paper's, missing runs shown as missing.

Verdicts are those of a paired bootstrap. The paper's rows are of other models and of another split: what can
be compared is the pattern, not the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from neurologic.experiments.metrics import METRICS, Difference
from neurologic.experiments.reproduction import published
from neurologic.experiments.reproduction.findings import Compared, Findings
from neurologic.experiments.reproduction.scale import BEAM, OURS, PAIR, Contrast, Key
from neurologic.experiments.reproduction.table import Block, Cell, Row, Table
from neurologic.experiments.runs import System
from neurologic.experiments.runs.figures import COLUMNS
from neurologic.experiments.runs.scoring import significant

PAPER = "the paper: other models, and the test split"

_TITLES = tuple(METRICS[name].title for name in published.METRICS)
_CLAUSES, _FORCED = (column for column in COLUMNS if column.name in ("clauses_satisfied", "forced"))


# -- tables of pairs ------------------------------------------------------------------------------


def table_2(findings: Findings) -> Table:
    """Supervised models: beam search → NeuroLogic."""
    scale = findings.reproduction.scale
    ours = [_pair_row(findings, name) for name in scale.table_2]
    return _pairs("table2", "Table 2. Supervised models", findings, ours, published.TABLE_2)


def table_3(findings: Findings) -> Table:
    """Without supervision: beam search → NeuroLogic."""
    scale = findings.reproduction.scale
    ours = []
    for name in scale.table_3:
        row = _pair_row(findings, name)
        apart = scale.apart.get(name)
        ours.append(Row(row.name, row.cells, (*row.notes, apart) if apart else row.notes))
    title = "Table 3. Zero-shot, and after domain adaptation"
    return _pairs("table3", title, findings, ours, published.TABLE_3)


def _pairs(
    key: str,
    title: str,
    findings: Findings,
    ours: Sequence[Row],
    theirs: Mapping[str, tuple[published.Figures, published.Figures]],
) -> Table:
    paper = [Row(name, tuple(map(Cell, zip(*pair, strict=True)))) for name, pair in theirs.items()]
    return Table(
        key,
        title,
        (*_TITLES, _CLAUSES.heading, _FORCED.heading),
        (Block(here(findings), tuple(ours)), Block(PAPER, tuple(paper))),
        "Beam search → NeuroLogic; forced tokens are NeuroLogic's. ▲ ▼: NeuroLogic significantly better or "
        "worse.",
    )


def _pair_row(findings: Findings, name: str) -> Row:
    title = findings.reproduction.scale.system(name).title
    keys: tuple[Key, Key] = ((name, BEAM), (name, OURS))
    compared = findings.compared(*keys)
    if compared is None:
        return Row(title, notes=(_missing(findings, keys),))
    cells = [
        _compared_cell(compared, metric, (compared.first, compared.second)) for metric in published.METRICS
    ]
    figures = (compared.first.figures, compared.second.figures)
    cells.append(Cell(tuple(map(_CLAUSES.value, figures)), digits=_CLAUSES.digits))
    cells.append(Cell((_FORCED.value(figures[1]),), digits=_FORCED.digits))
    return Row(title, tuple(cells), _notes(findings, keys, compared.inputs))


# -- tables of decoders ---------------------------------------------------------------------------


def table_4(findings: Findings) -> Table:
    """All decoders on one supervised model, each compared with NeuroLogic."""
    scale = findings.reproduction.scale
    title = scale.system(scale.table_4).title
    paper = [Row(name, tuple(Cell((one,)) for one in values)) for name, values in published.TABLE_4.items()]
    return Table(
        "table4",
        f"Table 4. Decoders on a supervised model ({title})",
        _headings(),
        (
            Block(here(findings), _decoder_rows(findings, scale.table_4, scale.decoders)),
            Block("the paper: GPT-2 large, and the test split; astar: Lu et al., NAACL 2022", tuple(paper)),
        ),
        "▲ ▼: significantly better or worse than NeuroLogic.",
    )


def table_4_differences(findings: Findings) -> Table:
    """Every decoder minus NeuroLogic, here and in the paper: the pattern that can be compared."""
    scale = findings.reproduction.scale
    here_, paper = [], []
    best = published.TABLE_4[OURS]
    for decoder in scale.decoders:
        if decoder == OURS:
            continue
        keys = ((scale.table_4, OURS), (scale.table_4, decoder))
        here_.append(_difference_row(findings, decoder, *keys))
        if decoder in published.TABLE_4:
            pairs = zip(published.TABLE_4[decoder], best, strict=True)
            cells = (Cell((_minus(one, other),), sign=True) for one, other in pairs)
            paper.append(Row(decoder, tuple(cells)))
    return Table(
        "table4_differences",
        "Table 4, each decoder minus NeuroLogic",
        _TITLES,
        (Block(here(findings), tuple(here_)), Block(PAPER, tuple(paper))),
        "▲ ▼: significantly better or worse than NeuroLogic.",
    )


def further_tables(findings: Findings) -> list[Table]:
    """Other decoders on the systems of Table 3, where somebody has run them."""
    tables = []
    scale = findings.reproduction.scale
    for name in scale.table_3:
        decoders = [decoder for decoder in scale.decoders if findings.run((name, decoder)) is not None]
        if set(decoders) <= set(PAIR):
            continue
        apart = scale.apart.get(name)
        tables.append(
            Table(
                f"decoders_{name}",
                f"Decoders on {scale.system(name).title}" + (f" ({apart})" if apart else ""),
                _headings(),
                (Block(here(findings), _decoder_rows(findings, name, decoders)),),
                "▲ ▼: significantly better or worse than NeuroLogic. The paper has no such table.",
            )
        )
    return tables


def _headings() -> tuple[str, ...]:
    return (*_TITLES, *(column.heading for column in COLUMNS))


def _decoder_rows(findings: Findings, system: str, decoders: Iterable[str]) -> tuple[Row, ...]:
    return tuple(_decoder_row(findings, (system, decoder), (system, OURS)) for decoder in decoders)


def _decoder_row(findings: Findings, key: Key, ours: Key) -> Row:
    scores = findings.scores(key)
    if scores is None:
        return Row(key[1], notes=(_missing(findings, [key]),))
    compared = None if key == ours else findings.compared(ours, key)
    cells = [_compared_cell(compared, metric, (scores,)) for metric in published.METRICS]
    cells += [Cell((column.value(scores.figures),), digits=column.digits) for column in COLUMNS]
    return Row(key[1], tuple(cells), _notes(findings, (key,), len(scores.predictions)))


# -- contrasts ------------------------------------------------------------------------------------


def contrasts(findings: Findings) -> Table:
    """Runs of unlike models: the first minus the second, and where it is not better."""
    rows = [
        _difference_row(findings, _contrast_name(one), one.than, one.better)
        for one in findings.reproduction.scale.contrasts
    ]
    return Table(
        "contrasts",
        "Search against supervision",
        _TITLES,
        (Block(here(findings), tuple(rows)),),
        "The first minus the second. ▲ ▼: the first significantly better or worse.",
    )


def _contrast_name(contrast: Contrast) -> str:
    return f"{' '.join(contrast.better)} − {' '.join(contrast.than)}"


def verdicts(findings: Findings) -> list[str]:
    """A sentence per contrast: what is better, and where it is not."""
    return [
        f"{one.title[:1].upper()}{one.title[1:]} ({_contrast_name(one)}): "
        + _verdict(findings.compared(one.than, one.better))
        for one in findings.reproduction.scale.contrasts
    ]


def _verdict(compared: Compared | None) -> str:
    if compared is None:
        return "a run is missing."
    by: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for name, difference in compared.differences.items():
        by[significant(difference)].append(f"{METRICS[name].title} {difference.difference.value:+.1f}")
    words = {1: "significantly better in", 0: "no significant difference in", -1: "significantly worse in"}
    told = "; ".join(f"{words[sign]} {', '.join(names)}" for sign, names in by.items() if names)
    return f"{told or 'nothing could be compared'} ({compared.inputs} inputs)."


# -- rows and cells -------------------------------------------------------------------------------


def here(findings: Findings) -> str:
    """The title of our own rows."""
    reproduction = findings.reproduction
    return f"here: {reproduction.inputs} inputs of the {reproduction.scale.split} split"


def _difference_row(findings: Findings, name: str, first: Key, second: Key) -> Row:
    """The second run minus the first."""
    compared = findings.compared(first, second)
    if compared is None:
        return Row(name, notes=(_missing(findings, (first, second)),))
    cells = []
    for metric in published.METRICS:
        one = compared.differences.get(metric)
        cells.append(
            Cell((None,))
            if one is None
            else Cell((one.difference.value,), significant(one), one.p_value, sign=True)
        )
    return Row(name, tuple(cells), _notes(findings, (first, second), compared.inputs))


def _compared_cell(compared: Compared | None, metric: str, shown: Sequence[System]) -> Cell:
    """A metric's values of the systems shown, with the verdict on the second system compared."""
    values = tuple(next((s.value for s in one.scores if s.name == metric), None) for one in shown)
    difference: Difference | None = None if compared is None else compared.differences.get(metric)
    if difference is None:
        return Cell(values)
    return Cell(values, significant(difference), difference.p_value)


def _notes(findings: Findings, keys: Iterable[Key], inputs: int) -> tuple[str, ...]:
    """What a reader must know of a row: fewer inputs, failures, other settings."""
    notes = []
    whole = findings.reproduction.inputs
    if inputs < whole:
        notes.append(f"{inputs} of {whole} inputs")
    for key in keys:
        found = findings.run(key)
        if found is not None and found.differs:
            notes.append(f"{key[1]} with other settings: {'; '.join(found.differs)}")
        if found is not None and found.failed:
            notes.append(f"{key[1]} failed on {found.failed}")
    return tuple(notes)


def _missing(findings: Findings, keys: Iterable[Key]) -> str:
    """Why there are no figures of these runs together."""
    told = [
        findings.problems.get(key, f"no run of {key[1]} on {key[0]} yet")
        for key in keys
        if findings.run(key) is None
    ]
    return "; ".join(told) or "no input that both have yet"


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def all_tables(findings: Findings) -> list[Table]:
    """The tables of the wanted parts, in the order of the report."""
    parts = findings.reproduction.parts
    tables = []
    if "table2" in parts:
        tables.append(table_2(findings))
    if "table3" in parts:
        tables += [table_3(findings), *further_tables(findings)]
        if findings.reproduction.scale.contrasts:
            tables.append(contrasts(findings))
    if "table4" in parts:
        tables += [table_4(findings), table_4_differences(findings)]
    return tables
