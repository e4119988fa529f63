"""`neurologic explain`: what a formula becomes, whether it can hold, and what it costs a model.

Without `--model` nothing but the logic is used. With it, the formula is compiled for the model's tokenizer:
the fewest tokens that could do, the tokens that surely do, and how each required phrase is usually written.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from neurologic.cli.arguments import (
    add_constraint_options,
    add_model_options,
    add_parser,
    conjunction,
    constraint_of,
    load_model,
)
from neurologic.cli.jsonl import json_text, standard_encoding
from neurologic.cli.messages import SATISFIED, UNMET, CommandError
from neurologic.cli.token_cost import Cost, cost_of
from neurologic.errors import ContradictionError, UnspellableError
from neurologic.logic import (
    Clause,
    Explanation,
    Formula,
    Literal,
    clause_state,
    find_contradiction,
    parse,
    to_clauses,
)

_EXAMPLES = """
  neurologic explain 'inflect(catch) & (frisbee | "flying disc") & !cat'
  neurologic explain 'exactly(1, red, green, blue)' --model smollm2
  neurologic explain --include "ice cream" --exclude ice --json
"""


def add_command(commands: Any) -> None:
    parser = add_parser(
        commands,
        "explain",
        description=(
            "Show what a formula becomes: its clauses (CNF), their surface forms, and contradictions.\n"
            "With a model also the cost in tokens, and what the model cannot spell.\n"
            "Exit code 1 if no text can satisfy it."
        ),
        examples_text=_EXAMPLES,
    )
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
    clauses, contradiction = _examined(formula)
    cost: Cost | None = None
    unspellable: str | None = None
    if contradiction is None and arguments.model is not None:
        try:
            cost = cost_of(load_model(arguments).compile(formula))
        except UnspellableError as error:
            unspellable = str(error)
    if arguments.json:
        document = _document(formula, clauses, contradiction, cost, unspellable)
        print(json_text(document, encoding=standard_encoding(), indent=2))
    else:
        _print(clauses, contradiction, cost, unspellable)
    return SATISFIED if contradiction is None and unspellable is None else UNMET


def _examined(formula: Formula) -> tuple[Sequence[Clause], Explanation | None]:
    try:
        clauses = to_clauses(formula)
    except ContradictionError as error:  # a part that is false as it stands
        return (), Explanation(error.clauses, str(error))
    return clauses, find_contradiction(clauses)


def _kind(clause: Clause) -> str:
    """A disjunction of literals, as in the paper, or a tree that stays whole."""
    parts = (clause.root,) if isinstance(clause.root, Literal) else clause.root.parts
    plain = all(isinstance(part, Literal) for part in parts)
    plain = plain and (isinstance(clause.root, Literal) or clause.root.needed == 1)
    return "disjunction" if plain else "compound"


def _document(
    formula: Formula,
    clauses: Sequence[Clause],
    contradiction: Explanation | None,
    cost: Cost | None,
    unspellable: str | None,
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "formula": str(formula),
        "clauses": [
            {
                "clause": clause.text,
                "kind": _kind(clause),
                "state": _first_state(clause).name,
                "becomes": str(clause.root),
                "literals": [
                    {
                        "phrase": literal.phrase.text,
                        "times": literal.phrase.times,
                        "positive": literal.positive,
                    }
                    for literal in clause.literals
                ],
            }
            for clause in clauses
        ],
        "contradiction": None,
    }
    if contradiction is not None:
        document["contradiction"] = {"message": contradiction.message, "clauses": list(contradiction.clauses)}
    if cost is not None:
        document["cost"] = cost.to_json()
    if unspellable is not None:
        document["unspellable"] = unspellable
    return document


def _first_state(clause: Clause) -> Any:
    """The state of the clause before anything is written."""
    return clause_state(clause.root, lambda phrase: False)


def _print(
    clauses: Sequence[Clause], contradiction: Explanation | None, cost: Cost | None, unspellable: str | None
) -> None:
    from neurologic.cli.tables import print_table

    if clauses:
        print_table(
            ("", "clause", "kind", "at the start", "forms"),
            [
                (str(number), clause.text, _kind(clause), _told_state(clause), _forms(clause))
                for number, clause in enumerate(clauses, start=1)
            ],
        )
    elif contradiction is None:
        print("every text satisfies this formula: it has no clauses")
    for problem in (contradiction.message if contradiction else None, unspellable):
        if problem is not None:
            print(f"\n{problem}" if clauses else problem)
    if cost is not None:
        print()
        _print_cost(cost)


def _told_state(clause: Clause) -> str:
    state = _first_state(clause)
    return f"{state.name} {state.value}"


def _forms(clause: Clause) -> str:
    """What the clause stands for, where that says more than the clause itself."""
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
    print(f"any text that satisfies it needs at least {_tokens(cost.lower_bound)}")
    if cost.upper_bound is None:
        print("no way to write all of it was found, so nothing is guaranteed")
    else:
        print(f"guaranteed from --max-new-tokens {max(1, cost.upper_bound)} on")


def _tokens(number: int) -> str:
    return f"{number} token" if number == 1 else f"{number} tokens"
