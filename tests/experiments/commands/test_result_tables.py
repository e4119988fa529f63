"""Tables on standard output."""

from neurologic.experiments.commands.result_tables import print_result_table
from neurologic.experiments.tables import Block, Cell, ResultTable, Row

ROWS = (Row("beam", (Cell("whole"), Cell("1.0", mark=-1)), ("50 of 200 inputs",)), Row("dba"))
TABLE = ResultTable(
    "T", ("formula", "x"), (Block("here", ROWS),), corner="system", text_columns=frozenset({"formula"})
)


def test_blocks_rows_notes_and_missing_rows(capsys):
    print_result_table(TABLE)
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["system", "formula", "x"],
        ["here"],
        ["beam", "(50", "of", "200", "inputs)", "whole", "1.0"],
        ["dba", "missing"],
    ]


def test_marks_are_shown_on_request(capsys):
    print_result_table(TABLE, show_marks=True)
    assert "1.0 ▼" in capsys.readouterr().out
