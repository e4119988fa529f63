"""Attack formulas: reading, printing, meaning, and JSON."""

from __future__ import annotations

import random
import re

from attack.draws import REAL, VOCABULARY, Case, formula_text, mutated, random_text
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.limits import Limits, limits_of
from neurologic.logic import check, holds, parse, to_clauses, to_formula
from neurologic.logic.units import canonical


def make_formula(chance: random.Random) -> Case:
    return {"formula": formula_text(chance), "text": random_text(chance)}


def run_formula(case: Case) -> None:
    """A formula means the same after printing, and its clauses mean what it means."""
    formula = parse(case["formula"])
    assert parse(str(formula)) == formula, "printing changed the formula"
    verdict = all(report.satisfied for report in check(formula, case["text"]))
    assert verdict == holds(formula, case["text"]), "clauses and formula disagree"


def make_broken(chance: random.Random) -> Case:
    source = chance.choice([*REAL, formula_text(chance)])
    return {"formula": mutated(chance, source)}


def run_broken(case: Case) -> None:
    """Whatever is written, it is a formula or an error that says where it is not; and it compiles or not."""
    with limits_of(Limits.for_server()):
        compile_formula(parse(case["formula"]), VOCABULARY).upper_bound()


def make_json(chance: random.Random) -> Case:
    leaf = [
        *(None, 3, -1, "a", "", [], {}, ["a"], {"phrase": "a"}, {"inflect": "run"}, {"not": {"not": "b"}}),
        *(
            {"words": "2..3"},
            {"order": ["a", "b"]},
            {"near": [1, "a", "b"]},
            {"regex": "a{2}"},
            {"every": "a"},
        ),
        *(
            {"prefer": "a", "weight": 1e308},
            {"nth": 10**30},
            {"phrase": "a", "times": 1.5},
            {"regex": "(" * 99},
        ),
    ]
    fields = chance.sample(["include", "exclude", "formula", "clauses", "other"], 2)
    return {
        "constraint": {field: chance.choice([[chance.choice(leaf)], chance.choice(leaf)]) for field in fields}
    }


def run_json(case: Case) -> None:
    """A JSON constraint is a formula or an error that names the place."""
    formula = to_formula(case["constraint"])
    if formula is not None:
        to_clauses(formula)


_PIECES = [
    *("a", "b", "é", ".", "[ab]", "[^a]", r"\d", r"\W", "(", ")", "(?:", "|", "*", "+", "?", "{2}", "{1,3}"),
    *("{0,}", "^", "$", r"\b", "[", "]", "-", "\\", "{", "}", "(?=a)", r"\1", "/", " ", "猫"),
]


def make_expression(chance: random.Random) -> Case:
    expression = "".join(chance.choice(_PIECES) for _ in range(chance.randint(1, 10)))
    return {"expression": expression, "text": random_text(chance)}


def run_expression(case: Case) -> None:
    """An expression finds what Python's `re` finds, or is refused; what both know means the same."""
    formula = to_formula({"include": [{"regex": case["expression"]}]})
    with limits_of(Limits.for_server()):
        compile_formula(formula, VOCABULARY).upper_bound()
    if formula is None or not _is_common(case["expression"]):
        return
    text = canonical(case["text"])
    if len(text.splitlines()) > len(text.split("\n")):
        return  # to `re` only one character breaks lines
    expected = re.search(case["expression"], text) is not None
    assert holds(formula, case["text"]) == expected, "an expression means something else than in re"


def _is_common(expression: str) -> bool:
    """Return whether Python's `re` reads an expression, and reads nothing into it that ours does not."""
    if re.search(r"[*+?}]\+", expression):  # possessive repetitions
        return False
    try:
        re.compile(expression)
    except re.error:
        return False
    return True
