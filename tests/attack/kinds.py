"""The kinds of random cases that `make fuzz` makes, and what must be true of each.

A case is a small JSON value, so that a failing one is a file. `make_case` draws it, `run_case` tries it and
raises if something is not as promised. Only errors that are meant for people (`NeurologicError`) are allowed.
"""

from __future__ import annotations

import json
import math
import random
import string
import threading
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from neurologic.batches.lines import constraint_of_line, json_line, json_text
from neurologic.errors import NeurologicError
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.limits import Limits, limits_of
from neurologic.logic import Phrase, check, occurs, parse, to_clauses, to_formula
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from toys import ToyLoadedModel, random_model, toy_vocabulary

Case = dict[str, Any]

PHRASES = ["a", "b", "ab", "a b", "A", "s", "b a", "1", "1.5", "é", "e\u0301", "don't", "a-b", "ß", "猫"]
VOCABULARY = toy_vocabulary(
    "a", "b", "s", " ", ".", " a", " b", "ab", "A", "B", "1", "5", ",", "'", "-", "\n", "é", "e", "\u0301",
    *(bytes([byte]) for byte in "猫".encode()), "ß", "t", "d", "o", "n",
)  # fmt: skip
# Formulas that people have written; mutations of them are close to what others may write.
REAL = [
    'dog & (frisbee | "flying disc") & !cat',
    "inflect(catch, verb) -> at_least(2, red, green, blue)",
    '"C++"[case=exact] & !java[match=substring] & dog[times=2]',
    "exactly(1, a, b, c) <-> none(d, e)",
    "a[ids=1 2, match=tokens] | (b & !c)",
]
SETTINGS: dict[str, list[Any]] = {
    "num_beams": [1, 2, 3, 10**30, 0, -1, "4", None, 2.5],
    "max_new_tokens": [1, 5, 12, 0, 10**30],
    "alpha": [1, 3, 500, 10**9, 0],
    "beta": [1, 2, 10**12],
    "lambda_": [0.0, 0.5, 1e308, math.nan, -1.0],
    "reserve": [0.0, 0.5, 0.999, 1.0],
    "length_penalty": [-20, 0.0, 1.0, 20, 21, math.inf],
    "temperature": [1e-300, 0.5, 1e300, 0],
    "top_k": [0, 1, 10**18],
    "top_p": [1e-300, 0.5, 1.0],
    "do_sample": [True, False, 1],
    "seed": [0, 2**64, 10**40],
    "no_repeat_ngram_size": [0, 1, 3, 10**18],
    "stop_strings": [("a",), (".",), ("",), ("\ud800",), ("猫",)],
    "max_time": [None, 0.0, 0.001],
    "num_return_sequences": [1, 2, 50],
    "early_stopping": [True, False, "never", "sometimes"],
    "rows": [None, 1, 10**30],
    "decoder": ["neurologic", "beam", "gbs", "cbs", "dba", "vdba", "greedy", "top-k", "astar", "nonsense"],
}


def formula_text(chance: random.Random, depth: int = 3) -> str:
    """Return formula text by the grammar, with all kinds of operands."""
    if depth == 0 or chance.random() < 0.3:
        text = json.dumps(chance.choice(PHRASES), ensure_ascii=False)
        options = [
            chance.choice(["match=substring", "case=exact", "times=2", "number=part", "match=word"])
            for _ in range(chance.choice([0, 0, 0, 1, 2]))
        ]
        return text + (f"[{', '.join(dict.fromkeys(options))}]" if options else "")
    parts = [formula_text(chance, depth - 1) for _ in range(chance.randint(1, 3))]
    match chance.randrange(6):
        case 0:
            return f"!({parts[0]})"
        case 1:
            name = chance.choice(["at_least", "at_most", "exactly"])
            return f"{name}({chance.randint(0, 3)}, {', '.join(parts)})"
        case 2:
            return f"({parts[0]}) {chance.choice(['->', '<->'])} ({parts[-1]})"
        case 3:
            return f"{chance.choice(['all', 'any', 'none'])}({', '.join(parts)})"
        case 4:
            return f"inflect({chance.choice(['dog', 'run', 'a'])})"
    return "(" + chance.choice([" & ", " | "]).join(parts) + ")"


def mutated(chance: random.Random, text: str) -> str:
    """Return a text with some characters changed, repeated or lost."""
    pool = string.printable + "()[]\"'!&|<->=,\\é猫\u200b\ud800\x00\U0010ffff"
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(text) + 1)
        piece = "".join(chance.choice(pool) for _ in range(chance.randint(0, 3)))
        text = text[:place] + piece * chance.choice([1, 1, 1, 50]) + text[place + chance.randint(0, 3) :]
    return text


# -- formulas ------------------------------------------------------------------------------------


def _make_formula(chance: random.Random) -> Case:
    return {"formula": formula_text(chance), "text": _random_text(chance)}


def _run_formula(case: Case) -> None:
    """A formula means the same after printing, and its clauses mean what it means."""
    formula = parse(case["formula"])
    assert parse(str(formula)) == formula, "printing changed the formula"
    text = case["text"]
    holds = formula.holds(lambda phrase: occurs(phrase, text))
    assert all(report.satisfied for report in check(formula, text)) == holds, "clauses and formula disagree"


def _make_broken(chance: random.Random) -> Case:
    source = chance.choice([*REAL, formula_text(chance)])
    return {"formula": mutated(chance, source)}


def _run_broken(case: Case) -> None:
    """Whatever is written, it is a formula or an error that says where it is not; and it compiles or not."""
    with limits_of(Limits.for_server()):
        compile_formula(parse(case["formula"]), VOCABULARY).upper_bound()


# -- texts ---------------------------------------------------------------------------------------


def _random_text(chance: random.Random) -> str:
    return "".join(chance.choice([*PHRASES, " ", ".", ", ", "x"]) for _ in range(chance.randint(0, 8)))


def _make_segmentation(chance: random.Random) -> Case:
    phrases = [
        {
            "text": chance.choice(PHRASES),
            "match": chance.choice(["word", "substring"]),
            "case": chance.choice(["fold", "exact"]),
            "times": chance.choice([1, 1, 2]),
        }
        for _ in range(3)
    ]
    return {"phrases": phrases, "tokens": [chance.randrange(1, len(VOCABULARY)) for _ in range(12)]}


def _run_segmentation(case: Case) -> None:
    """However a text is cut into tokens, the matcher finds what the specification finds."""
    phrases = [Phrase(**fields) for fields in case["phrases"]]
    matcher = Matcher(phrases, VOCABULARY)
    state, found = matcher.start(), 0
    written: list[int] = []
    for token in case["tokens"]:
        after, more = matcher.step(state, token)
        if after == DEAD:
            continue
        state, found = after, found | more
        written.append(token)
        if matcher.may_end(state):
            text = VOCABULARY.decode(tuple(written)).decode()
            present = found | matcher.provisional(state)
            for number, phrase in enumerate(phrases):
                assert occurs(phrase, text) == bool(present >> number & 1), (str(phrase), text)


# -- lines ---------------------------------------------------------------------------------------


def _make_line(chance: random.Random) -> Case:
    fields: dict[str, Any] = {"prompt": "x", "include": [chance.choice(PHRASES)], "exclude": [["b", "s"]]}
    fields[chance.choice(["includes", "formula", "clauses", "id", "raw"])] = chance.choice(
        [None, 3, "a", ["a"], {"phrase": "a", "times": 2}, [{"not": "a"}], 1e308, True]
    )
    text = json.dumps(fields, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.7:
        text = mutated(chance, text)
    return {"line": text}


def _run_line(case: Case) -> None:
    """A line is read or has an error; what is read can be written again."""
    line = json_line(1, case["line"].encode(errors="surrogatepass"))
    if line.error is None:
        constraint_of_line(line.fields)
        again = json_line(1, json_text(line.fields).encode())
        assert again.fields == line.fields, "writing changed the line"


# -- searches ------------------------------------------------------------------------------------


class Toy(ToyLoadedModel):
    """A toy that decodes half a character as tokenizers do."""

    def decode(self, tokens: TokenIds, prompt: EncodedPrompt) -> str:
        return self.vocabulary.decode(tokens).decode(errors="replace")


def _new_lm(seed: int) -> ConstrainedModel:
    return ConstrainedModel(Toy(random_model(VOCABULARY, seed)))  # type: ignore[arg-type]


def _make_search(chance: random.Random) -> Case:
    return {
        "formula": formula_text(chance, 2),
        "seed": chance.randrange(1000),
        "tokens": chance.randint(1, 14),
    }


def _run_search(case: Case) -> None:
    """If a plan fits into the budget, the text satisfies the formula."""
    lm = _new_lm(case["seed"])
    constraint = lm.compile(case["formula"])
    bound = constraint.upper_bound()
    result = lm.generate("x", case["formula"], max_new_tokens=case["tokens"], num_beams=2, on_error="return")
    if result.error is not None:
        raise result.error
    if bound is not None and bound <= case["tokens"]:
        assert result.satisfied, f"the guarantee broke: {result.text!r}"


def _make_options(chance: random.Random) -> Case:
    names = chance.sample(sorted(SETTINGS), chance.randint(1, 4))
    return {"formula": formula_text(chance, 1), "places": {name: chance.randrange(20) for name in names}}


def _run_options(case: Case) -> None:
    """Any settings give a text or a refusal; never a crash, nor a search without end."""
    options = {name: SETTINGS[name][place % len(SETTINGS[name])] for name, place in case["places"].items()}
    lm = _new_lm(3)
    try:
        lm.generate("x", case["formula"], **{"max_new_tokens": 6, "num_beams": 2, "reduce": True, **options})
    except (ValueError, TypeError) as error:
        if isinstance(error, (UnicodeError, OverflowError)):
            raise AssertionError(f"not refused by name: {error!r}") from error


def _make_batch(chance: random.Random) -> Case:
    return {"formulas": [formula_text(chance, 1) for _ in range(4)], "seed": chance.randrange(1000)}


def _run_batch(case: Case) -> None:
    """A text does not depend on the batch that it was written in, nor on what threads do."""
    requests = [Request("x" * (1 + n), formula) for n, formula in enumerate(case["formulas"])]
    options: dict[str, Any] = {"max_new_tokens": 8, "num_beams": 2}
    single = [
        next(_new_lm(case["seed"]).stream([request], on_error="return", **options)) for request in requests
    ]
    lm = _new_lm(case["seed"])
    together = list(lm.stream(requests, ordered=True, on_error="return", batch_size=4, **options))
    texts = [(result.text, str(result.error)) for result in single]
    assert [(result.text, str(result.error)) for result in together] == texts, "batch and single differ"
    threaded: list[Any] = [None] * len(requests)

    def run(place: int) -> None:
        (result,) = lm.stream([requests[place]], on_error="return", **options)
        threaded[place] = (result.text, str(result.error))

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert threaded == texts, "threads change texts"


def _make_json(chance: random.Random) -> Case:
    leaf = [None, 3, -1, "a", "", [], {}, ["a"], {"phrase": "a"}, {"inflect": "run"}, {"not": {"not": "b"}}]
    fields = chance.sample(["include", "exclude", "formula", "clauses", "other"], 2)
    return {
        "constraint": {field: chance.choice([[chance.choice(leaf)], chance.choice(leaf)]) for field in fields}
    }


def _run_json(case: Case) -> None:
    """A JSON constraint is a formula or an error that names the place."""
    formula = to_formula(case["constraint"])
    if formula is not None:
        to_clauses(formula)


class Kind(NamedTuple):
    """A kind of cases: how often it is tried beside the others, and its two functions."""

    weight: int
    make_case: Callable[[random.Random], Case]
    run_case: Callable[[Case], None]


KINDS: dict[str, Kind] = {
    "formula": Kind(20, _make_formula, _run_formula),
    "broken formula": Kind(20, _make_broken, _run_broken),
    "segmentation": Kind(20, _make_segmentation, _run_segmentation),
    "line": Kind(20, _make_line, _run_line),
    "json": Kind(10, _make_json, _run_json),
    "guarantee": Kind(5, _make_search, _run_search),
    "options": Kind(5, _make_options, _run_options),
    "batch and threads": Kind(1, _make_batch, _run_batch),
}


def run_case(kind: str, case: Case) -> None:
    """Try a case; raise if it breaks a promise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            KINDS[kind].run_case(case)
        except NeurologicError as error:
            if type(error).__name__ == "VerificationError":
                raise
