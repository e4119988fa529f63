"""`neurologic eval TASK --grades FILE … -o FOLDER`: show the grades that people gave to texts."""

from __future__ import annotations

import argparse
from pathlib import Path

from neurologic.cli.jsonl import print_json
from neurologic.cli.messages import SATISFIED, CommandError
from neurologic.experiments.commands.result_tables import print_result_table
from neurologic.experiments.runs.grades import grades_document, grades_table, read_grades


def show_grades(arguments: argparse.Namespace) -> int:
    """Print a table of the grades, or one JSON document."""
    if arguments.output is None:
        raise CommandError("--grades needs -o FOLDER, the folder with the page that was graded")
    systems = read_grades(Path(arguments.output), [Path(file) for file in arguments.grades])
    if arguments.json:
        print_json(grades_document(systems))
    else:
        table = grades_table(systems)
        print_result_table(table)
        print(f"\n{table.note}")
    return SATISFIED
