"""Logic: formulas over phrases, their clauses, and their truth for a text. Pure Python, no models.

Users write formulas with `constructors` and `formula`; `parser` and `json_format` read the same from text and
JSON. `normal_form` turns them into clauses, `contradictions` checks that the clauses can hold together, and
`report` judges a text by them. `occurrence.occurs` specifies when a phrase occurs in a text.
"""

from neurologic.logic.clauses import Clause, ClauseState, Literal, Node, Threshold, clause_state
from neurologic.logic.constructors import (
    all_of,
    any_of,
    at_least,
    at_most,
    exactly,
    iff,
    implies,
    inflect,
    none_of,
    phrase,
)
from neurologic.logic.containment import certainly_contains, containment
from neurologic.logic.contradictions import Explanation, find_contradiction, require_consistent
from neurologic.logic.expressivity import Expressivity, Reduction, reduce_clauses
from neurologic.logic.formula import Atom, Formula, Inflect, Phrase, Predicate
from neurologic.logic.inflection import inflections
from neurologic.logic.json_format import from_json, to_formula
from neurologic.logic.normal_form import to_clauses
from neurologic.logic.occurrence import occurs, places
from neurologic.logic.parser import FormulaSyntaxError, parse
from neurologic.logic.predicate_constructors import (
    characters,
    count,
    ends,
    every,
    first,
    fully,
    last,
    lines,
    near,
    no,
    nth,
    order,
    paragraphs,
    prefer,
    regex,
    sentences,
    some,
    starts,
    words,
)
from neurologic.logic.report import ClauseReport, check
from neurologic.logic.specification import holds, is_true

__all__ = [
    "Atom", "Clause", "ClauseReport", "ClauseState", "Explanation", "Expressivity", "Formula",
    "FormulaSyntaxError", "Inflect", "Literal", "Node", "Phrase", "Predicate", "Reduction", "Threshold",
    "all_of", "any_of", "at_least", "at_most", "certainly_contains", "characters", "check", "clause_state",
    "containment", "count", "ends", "every", "exactly", "find_contradiction", "first", "from_json", "fully",
    "holds", "iff", "implies", "inflect", "inflections", "is_true", "last", "lines", "near", "no",
    "none_of", "nth", "occurs", "order", "paragraphs", "parse", "phrase", "places", "prefer",
    "reduce_clauses", "regex", "require_consistent", "sentences", "some", "starts", "to_clauses",
    "to_formula", "words",
]  # fmt: skip
