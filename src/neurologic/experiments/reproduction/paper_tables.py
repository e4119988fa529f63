"""The paper's tables with our rows beside the paper's; a missing run is shown as missing.

A paired bootstrap decides the marks. The paper's rows are of other models and of another split: compare the
pattern, not the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from neurologic.experiments.metrics import METRICS
from neurologic.experiments.reproduction import paper_scores
from neurologic.experiments.reproduction.experiment_parts import BEAM, OURS, PAIR, Contrast, RunKey
from neurologic.experiments.reproduction.found_runs import ComparedRuns, Findings
from neurologic.experiments.runs.evaluation import (
    CLAUSES_SATISFIED,
    EVALUATION_COLUMNS,
    compared_cell,
    significance,
)
from neurologic.experiments.runs.run_statistics import FORCED
from neurologic.experiments.tables import Block, ResultTable, Row, number_cell

PAPER = "the paper: other models, and the test split"

_TITLES = tuple(METRICS[name].title for name in paper_scores.METRICS)
_DECODER_HEADINGS = (*_TITLES, *(column.heading for column in EVALUATION_COLUMNS))
_THAN_NEUROLOGIC = "▲ ▼: significantly better or worse than NeuroLogic."


def all_tables(findings: Findings) -> list[ResultTable]:
    """Return the tables of the wanted parts, in the order of the report."""
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


# -- beam search and NeuroLogic -------------------------------------------------------------------


def table_2(findings: Findings) -> ResultTable:
    """Return supervised models: beam search → NeuroLogic."""
    ours = [_pair_row(findings, name) for name in findings.reproduction.scale.table_2]
    return _pair_table("table2", "Table 2. Supervised models", findings, ours, paper_scores.TABLE_2)


def table_3(findings: Findings) -> ResultTable:
    """Return models without supervision: beam search → NeuroLogic."""
    scale = findings.reproduction.scale
    ours = []
    for name in scale.table_3:
        row = _pair_row(findings, name)
        apart = scale.apart.get(name)
        ours.append(Row(row.name, row.cells, (*row.notes, apart) if apart else row.notes))
    title = "Table 3. Zero-shot, and after domain adaptation"
    return _pair_table("table3", title, findings, ours, paper_scores.TABLE_3)


def _pair_table(
    key: str,
    title: str,
    findings: Findings,
    ours: Sequence[Row],
    theirs: Mapping[str, tuple[paper_scores.Values, paper_scores.Values]],
) -> ResultTable:
    paper = [
        Row(name, tuple(number_cell(*values) for values in zip(*pair, strict=True)))
        for name, pair in theirs.items()
    ]
    return ResultTable(
        title,
        (*_TITLES, CLAUSES_SATISFIED.heading, FORCED.heading),
        (Block(_here(findings), tuple(ours)), Block(PAPER, tuple(paper))),
        "Beam search → NeuroLogic; forced tokens are NeuroLogic's. ▲ ▼: NeuroLogic significantly better or "
        "worse.",
        key,
    )


def _pair_row(findings: Findings, name: str) -> Row:
    title = findings.reproduction.scale.system(name).title
    keys = (RunKey(name, BEAM), RunKey(name, OURS))
    compared = findings.compared(*keys)
    if compared is None:
        return _missing_row(findings, title, keys)
    beam, ours = compared.first, compared.second
    cells = [
        compared_cell(compared.differences.get(metric), beam.score(metric), ours.score(metric))
        for metric in paper_scores.METRICS
    ]
    cells.append(CLAUSES_SATISFIED.number_cell(beam.figures, ours.figures))
    cells.append(FORCED.number_cell(ours.figures))
    return Row(title, tuple(cells), _notes(findings, keys, compared.inputs))


# -- all decoders ---------------------------------------------------------------------------------


def table_4(findings: Findings) -> ResultTable:
    """Return all decoders on one supervised model, each compared with NeuroLogic."""
    scale = findings.reproduction.scale
    title = scale.system(scale.table_4).title
    paper = [Row(name, tuple(map(number_cell, values))) for name, values in paper_scores.TABLE_4.items()]
    return ResultTable(
        f"Table 4. Decoders on a supervised model ({title})",
        _DECODER_HEADINGS,
        (
            Block(_here(findings), _decoder_rows(findings, scale.table_4, scale.decoders)),
            Block("the paper: GPT-2 large, and the test split; astar: Lu et al., NAACL 2022", tuple(paper)),
        ),
        _THAN_NEUROLOGIC,
        "table4",
    )


def table_4_differences(findings: Findings) -> ResultTable:
    """Return every decoder minus NeuroLogic, here and in the paper: the pattern to compare."""
    scale = findings.reproduction.scale
    ours, paper = [], []
    for decoder in scale.decoders:
        if decoder == OURS:
            continue
        keys = (RunKey(scale.table_4, OURS), RunKey(scale.table_4, decoder))
        ours.append(_difference_row(findings, decoder, *keys))
        if decoder in paper_scores.TABLE_4:
            pairs = zip(paper_scores.TABLE_4[decoder], paper_scores.TABLE_4[OURS], strict=True)
            cells = (
                number_cell(None if value is None or best is None else value - best, sign=True)
                for value, best in pairs
            )
            paper.append(Row(decoder, tuple(cells)))
    return ResultTable(
        "Table 4, each decoder minus NeuroLogic",
        _TITLES,
        (Block(_here(findings), tuple(ours)), Block(PAPER, tuple(paper))),
        _THAN_NEUROLOGIC,
        "table4_differences",
    )


def further_tables(findings: Findings) -> list[ResultTable]:
    """Return other decoders on the systems of Table 3, as far as they have been run."""
    tables = []
    scale = findings.reproduction.scale
    for name in scale.table_3:
        decoders = [decoder for decoder in scale.decoders if findings.run(RunKey(name, decoder)) is not None]
        if set(decoders) <= set(PAIR):
            continue
        apart = scale.apart.get(name)
        tables.append(
            ResultTable(
                f"Decoders on {scale.system(name).title}" + (f" ({apart})" if apart else ""),
                _DECODER_HEADINGS,
                (Block(_here(findings), _decoder_rows(findings, name, decoders)),),
                f"{_THAN_NEUROLOGIC} The paper has no such table.",
                f"decoders_{name}",
            )
        )
    return tables


def _decoder_rows(findings: Findings, system: str, decoders: Iterable[str]) -> tuple[Row, ...]:
    return tuple(_decoder_row(findings, RunKey(system, decoder)) for decoder in decoders)


def _decoder_row(findings: Findings, key: RunKey) -> Row:
    scores = findings.scores(key)
    if scores is None:
        return _missing_row(findings, key.decoder, [key])
    compared = None if key.decoder == OURS else findings.compared(RunKey(key.system, OURS), key)
    differences = {} if compared is None else compared.differences
    cells = [compared_cell(differences.get(metric), scores.score(metric)) for metric in paper_scores.METRICS]
    cells += [column.number_cell(scores.figures) for column in EVALUATION_COLUMNS]
    return Row(key.decoder, tuple(cells), _notes(findings, (key,), len(scores.predictions)))


# -- contrasts ------------------------------------------------------------------------------------


def contrasts(findings: Findings) -> ResultTable:
    """Return runs of unlike models: the first minus the second."""
    rows = [
        _difference_row(findings, _contrast_name(contrast), contrast.than, contrast.better)
        for contrast in findings.reproduction.scale.contrasts
    ]
    return ResultTable(
        "Search against supervision",
        _TITLES,
        (Block(_here(findings), tuple(rows)),),
        "The first minus the second. ▲ ▼: the first significantly better or worse.",
        "contrasts",
    )


def verdicts(findings: Findings) -> list[str]:
    """Return a sentence per contrast: under which metrics the first is better, and under which not."""
    return [
        f"{contrast.title[:1].upper()}{contrast.title[1:]} ({_contrast_name(contrast)}): "
        + _verdict(findings.compared(contrast.than, contrast.better))
        for contrast in findings.reproduction.scale.contrasts
    ]


def _contrast_name(contrast: Contrast) -> str:
    return f"{' '.join(contrast.better)} − {' '.join(contrast.than)}"


def _verdict(compared: ComparedRuns | None) -> str:
    if compared is None:
        return "a run is missing."
    titles: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for name, difference in compared.differences.items():
        titles[significance(difference)].append(f"{METRICS[name].title} {difference.difference.value:+.1f}")
    words = {1: "significantly better in", 0: "no significant difference in", -1: "significantly worse in"}
    found = "; ".join(f"{words[sign]} {', '.join(named)}" for sign, named in titles.items() if named)
    return f"{found or 'nothing could be compared'} ({compared.inputs} inputs)."


# -- rows -----------------------------------------------------------------------------------------


def _here(findings: Findings) -> str:
    """Return the title of our own rows."""
    reproduction = findings.reproduction
    return f"here: {reproduction.inputs} inputs of the {reproduction.scale.split} split"


def _difference_row(findings: Findings, name: str, first: RunKey, second: RunKey) -> Row:
    """Return the second run minus the first."""
    compared = findings.compared(first, second)
    if compared is None:
        return _missing_row(findings, name, (first, second))
    cells = []
    for metric in paper_scores.METRICS:
        found = compared.differences.get(metric)
        cells.append(
            number_cell(None)
            if found is None
            else number_cell(
                found.difference.value, sign=True, mark=significance(found), p_value=found.p_value
            )
        )
    return Row(name, tuple(cells), _notes(findings, (first, second), compared.inputs))


def _missing_row(findings: Findings, name: str, keys: Iterable[RunKey]) -> Row:
    """Return a row without figures that says which runs are missing, and why."""
    missing = [key for key in keys if findings.run(key) is None]
    reasons = [findings.problems.get(key, f"no run of {key.decoder} on {key.system} yet") for key in missing]
    return Row(name, notes=("; ".join(reasons) or "no input that both have yet",))


def _notes(findings: Findings, keys: Iterable[RunKey], inputs: int) -> tuple[str, ...]:
    """Return remarks that a reader needs: fewer inputs, failures, other settings."""
    notes = []
    if inputs < findings.reproduction.inputs:
        notes.append(f"{inputs} of {findings.reproduction.inputs} inputs")
    for key in keys:
        found = findings.run(key)
        if found is not None and found.differences:
            notes.append(f"{key.decoder} with other settings: {'; '.join(found.differences)}")
        if found is not None and found.failed:
            notes.append(f"{key.decoder} failed on {len(found.failed)}")
    return tuple(notes)
