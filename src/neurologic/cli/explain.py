"""`neurologic explain`: show a formula's clauses, whether any text can satisfy them, and their cost.

Without `--model` this needs the logic alone. With it, the command compiles the formula for the model's
tokenizer, and shows how many tokens it takes and how the model usually writes each required phrase.
"""

from __future__ import annotations

import argparse
from typing import Any

from neurologic.batches.lines import conjunction, json_text
from neurologic.cli.arguments import (
    add_command_parser,
    add_constraint_options,
    add_model_options,
    constraint_of,
    load_model,
)
from neurologic.cli.jsonl import print_json
from neurologic.cli.messages import SATISFIED, UNMET, CommandError, counted, for_terminal
from neurologic.generation.analysis import FormulaAnalysis, analyse, clause_kind, first_state
from neurologic.generation.token_cost import Cost
from neurologic.logic import Clause, parse
from neurologic.logic.meaning import advice, meaning, statement
from neurologic.logic.predicates import Predicate


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "explain")
    parser.add_argument("text", metavar="FORMULA", nargs="?", help="formula text")
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    add_constraint_options(parser)
    add_model_options(parser, model=None)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    given = None if arguments.text is None else parse(arguments.text)
    formula = conjunction([given, constraint_of(arguments)])
    if formula is None:
        raise CommandError("give a formula, or --include and --exclude")
    # Load the model only for a formula that has no contradiction.
    analysis = analyse(
        formula, None if arguments.model is None else lambda given: load_model(arguments).compile(given)
    )
    if arguments.json:
        print_json(analysis.to_json())
    else:
        _print(analysis)
    return SATISFIED if analysis.satisfiable else UNMET


def _print(analysis: FormulaAnalysis) -> None:
    from neurologic.cli.tables import print_table

    clauses, contradiction = analysis.clauses, analysis.contradiction
    if clauses:
        print_table(
            ("", "clause", "kind", "at the start", "forms"),
            [
                (str(number), clause.text, clause_kind(clause), _state_text(clause), _forms(clause))
                for number, clause in enumerate(clauses, start=1)
            ],
        )
    elif contradiction is None:
        print("every text satisfies this formula: it has no clauses")
    _print_meanings(analysis)
    for problem in (contradiction.message if contradiction else None, analysis.unspellable):
        if problem is not None:
            print(for_terminal(f"\n{problem}" if clauses else problem))
    if analysis.cost is not None:
        print()
        _print_cost(analysis.cost)


def _print_meanings(analysis: FormulaAnalysis) -> None:
    """Say what clauses with predicates mean and what would satisfy them; phrases speak for themselves."""
    for number, clause in enumerate(analysis.clauses, start=1):
        if any(isinstance(literal.atom, Predicate) for literal in clause.literals):
            print(f"\n{number}. means: {meaning(clause)}\n   to satisfy it: {advice(clause)}")
    for wish in analysis.wishes:
        print(f"\nwish of weight {wish.weight:g}: {statement(wish.part)}")


def _state_text(clause: Clause) -> str:
    state = first_state(clause)
    return f"{state.name} {state.value}"


def _forms(clause: Clause) -> str:
    """Return the surface forms of a clause; for a compound clause the tree."""
    if clause_kind(clause) == "compound":
        return str(clause.root)
    return ", ".join(map(str, clause.literals))


def _print_cost(cost: Cost) -> None:
    from neurologic.cli.tables import print_table

    if cost.phrases:
        print_table(
            ("phrase", "tokens", "usually written"),
            [
                (
                    phrase.text,
                    "-" if phrase.tokens is None else str(phrase.tokens),
                    "cannot be spelled" if phrase.pieces is None else " ".join(map(json_text, phrase.pieces)),
                )
                for phrase in cost.phrases
            ],
        )
        print()
    print(f"any text that satisfies it needs at least {counted(cost.lower_bound, 'token')}")
    if cost.upper_bound is None:
        print("no way to write all of it was found, so nothing is guaranteed")
    else:
        print(f"guaranteed from --max-new-tokens {max(1, cost.upper_bound)} on")
