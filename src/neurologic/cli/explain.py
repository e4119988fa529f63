"""`neurologic explain`: show a formula's clauses, whether any text can satisfy them, and their cost.

Without `--model` this needs the logic alone. With it, the command compiles the formula for the model's
tokenizer, and shows how many tokens it takes and how the model usually writes each required phrase.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from neurologic.cli.token_cost import Cost, cost_of
from neurologic.errors import ContradictionError, UnspellableError
from neurologic.logic import (
    Atom,
    Clause,
    Explanation,
    Formula,
    Literal,
    Phrase,
    check,
    find_contradiction,
    parse,
    split_wishes,
    to_clauses,
)
from neurologic.logic.meaning import advice, meaning, statement
from neurologic.logic.predicates import Predicate, Prefer


def add_command(commands: Any) -> None:
    parser = add_command_parser(commands, "explain")
    parser.add_argument("text", metavar="FORMULA", nargs="?", help="formula text")
    parser.add_argument("--json", action="store_true", help="print one JSON document to stdout")
    add_constraint_options(parser)
    add_model_options(parser, model=None)
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class FormulaAnalysis:
    """The parts of an explanation; `cost` and `unspellable` need a model."""

    formula: Formula
    clauses: Sequence[Clause]
    wishes: Sequence[Prefer]
    contradiction: Explanation | None
    cost: Cost | None = None
    unspellable: str | None = None

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "formula": str(self.formula),
            "clauses": list(map(_clause_fields, self.clauses)),
            "contradiction": None,
        }
        if self.wishes:
            document["wishes"] = [_wish_fields(wish) for wish in self.wishes]
        if self.contradiction is not None:
            message, clauses = self.contradiction.message, self.contradiction.clauses
            document["contradiction"] = {"message": message, "clauses": list(clauses)}
        if self.cost is not None:
            document["cost"] = self.cost.to_json()
        if self.unspellable is not None:
            document["unspellable"] = self.unspellable
        return document


def run(arguments: argparse.Namespace) -> int:
    given = None if arguments.text is None else parse(arguments.text)
    formula = conjunction([given, constraint_of(arguments)])
    if formula is None:
        raise CommandError("give a formula, or --include and --exclude")
    analysis = _analyse(formula)
    if analysis.contradiction is None and arguments.model is not None:
        try:
            analysis = replace(analysis, cost=cost_of(load_model(arguments).compile(formula)))
        except UnspellableError as error:
            analysis = replace(analysis, unspellable=str(error))
    if arguments.json:
        print_json(analysis.to_json())
    else:
        _print(analysis)
    return SATISFIED if analysis.contradiction is None and analysis.unspellable is None else UNMET


def _analyse(formula: Formula) -> FormulaAnalysis:
    required, wishes = split_wishes(formula)
    try:
        clauses = () if required is None else to_clauses(required)
    except ContradictionError as error:  # a part that is false by itself
        return FormulaAnalysis(formula, (), wishes, Explanation(error.clauses, str(error)))
    return FormulaAnalysis(formula, clauses, wishes, find_contradiction(clauses))


def _wish_fields(wish: Prefer) -> dict[str, Any]:
    return {"wish": str(wish.part), "weight": wish.weight, "meaning": statement(wish.part)}


def _clause_fields(clause: Clause) -> dict[str, Any]:
    return {
        "clause": clause.text,
        "kind": _kind(clause),
        "state": _first_state(clause).name,
        "becomes": str(clause.root),
        "meaning": meaning(clause),
        "satisfied_by": advice(clause),
        "literals": [
            _atom_fields(literal.atom) | {"positive": literal.positive} for literal in clause.literals
        ],
    }


def _atom_fields(atom: Atom) -> dict[str, Any]:
    if isinstance(atom, Phrase):
        return {"phrase": atom.text, "times": atom.times}
    return {"predicate": str(atom)}


def _kind(clause: Clause) -> str:
    """Return whether a clause is a disjunction of literals, as in the paper, or a tree that stays whole."""
    parts = (clause.root,) if isinstance(clause.root, Literal) else clause.root.parts
    plain = all(isinstance(part, Literal) for part in parts)
    plain = plain and (isinstance(clause.root, Literal) or clause.root.needed == 1)
    return "disjunction" if plain else "compound"


def _first_state(clause: Clause) -> Any:
    """Return the state of a clause before anything is written."""
    return check([clause], "", occurred=lambda _: False)[0].state


def _print(analysis: FormulaAnalysis) -> None:
    from neurologic.cli.tables import print_table

    clauses, contradiction = analysis.clauses, analysis.contradiction
    if clauses:
        print_table(
            ("", "clause", "kind", "at the start", "forms"),
            [
                (str(number), clause.text, _kind(clause), _state_text(clause), _forms(clause))
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
    state = _first_state(clause)
    return f"{state.name} {state.value}"


def _forms(clause: Clause) -> str:
    """Return the surface forms of a clause; for a compound clause the tree."""
    if _kind(clause) == "compound":
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
