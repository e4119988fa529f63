"""Attack what reads files and requests: lines of JSON, glossaries, traces, bodies of the server."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from attack.draws import PHRASES, Case, formula_text, mutated, random_text
from attack.search_kinds import new_lm
from neurologic.batches.lines import constraint_of_line, json_line, json_text
from neurologic.integrations.glossary.glossary import Glossary
from neurologic.limits import limits_of
from neurologic.logic import to_formula
from neurologic.picture import PictureBuilder
from neurologic.search.trace import Trace
from neurologic.serve.api_errors import ApiError
from neurologic.serve.bodies import ChatBody, CompletionBody
from neurologic.serve.constraints import read_constraint
from neurologic.serve.limits import ServerLimits
from neurologic.serve.orders import chat_order, completion_order


def make_line(chance: random.Random) -> Case:
    fields: dict[str, Any] = {"prompt": "x", "include": [chance.choice(PHRASES)], "exclude": [["b", "s"]]}
    fields[chance.choice(["includes", "formula", "clauses", "id", "raw"])] = chance.choice(
        [None, 3, "a", ["a"], {"phrase": "a", "times": 2}, [{"not": "a"}], 1e308, True]
    )
    text = json.dumps(fields, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.7:
        text = mutated(chance, text)
    return {"line": text}


def run_line(case: Case) -> None:
    """A line is read or has an error; what is read can be written again."""
    line = json_line(1, case["line"].encode(errors="surrogatepass"))
    if line.error is None:
        constraint_of_line(line.fields)
        again = json_line(1, json_text(line.fields).encode())
        assert again.fields == line.fields, "writing changed the line"


_VALUES = [
    *(None, 0, 1, -1, 10**30, 0.5, 1e308, "a", "", "\ud800", [], ["a"], {}, {"not": "a"}, True, "dog & !cat"),
]
_FIELDS = [
    *("model", "max_tokens", "n", "seed", "stop", "stream", "temperature", "top_p", "banned_strings", "echo"),
    *("logit_bias", "messages", "prompt", "logprobs", "tools", "response_format", "formula"),
]
_OWN = [
    *("formula", "include", "exclude", "clauses", "decoder", "num_beams", "alpha", "hint", "lambda_", "rows"),
    *("look_ahead", "max_time", "plain_prompt", "reduce", "picture", "includes", "no_repeat_ngram_size"),
]


def make_body(chance: random.Random) -> Case:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "Write."}], "max_tokens": 5}
    if chance.random() < 0.5:
        body = {"prompt": "Once", "max_tokens": 5}
    for field in chance.sample(_FIELDS, chance.randint(0, 2)):
        body[field] = chance.choice(_VALUES)
    own = {field: chance.choice(_VALUES) for field in chance.sample(_OWN, chance.randint(0, 2))}
    if chance.random() < 0.5:
        own["formula"] = formula_text(chance)
    return {"body": {**body, "neurologic": own}}


def run_body(case: Case) -> None:
    """A body is an order, or is refused with a status that blames the client."""
    limits = ServerLimits()
    try:
        with limits_of(limits.library):
            if "messages" in case["body"]:
                order = chat_order(ChatBody.model_validate(case["body"]), "m", limits)
            else:
                order = completion_order(CompletionBody.model_validate(case["body"]), "m", limits)
            read_constraint(order.constraint, order.banned_strings, limits)
    except ValidationError:
        pass
    except ApiError as error:
        if not 400 <= error.status < 500:
            raise


def make_glossary(chance: random.Random) -> Case:
    rows = [
        "\t".join(chance.choice([*PHRASES, "a | b", "inflect(dog)", "a[case=exact]", ""]) for _ in range(3))
        for _ in range(chance.randint(1, 4))
    ]
    text = "\n".join(rows)
    return {"text": mutated(chance, text) if chance.random() < 0.5 else text, "source": random_text(chance)}


def run_glossary(case: Case) -> None:
    """A glossary is read, or refused by its lines; its formulas print as they read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "terms.tsv"
        path.write_bytes(case["text"].encode(errors="surrogatepass"))
        glossary = Glossary.read(path)
    formula = glossary.formula(case["source"])
    if formula is not None:
        assert to_formula(str(formula)) == formula, "printing changed the formula"


@cache
def _records() -> tuple[str, ...]:
    """The records of a real search."""
    records: list[dict[str, Any]] = []
    new_lm(3).generate("x", "a & !b", max_new_tokens=3, trace=Trace(records.append))
    return tuple(map(json.dumps, records))


def make_trace(chance: random.Random) -> Case:
    records = [chance.choice(_records()) for _ in range(chance.randint(1, 3))]
    return {"records": [mutated(chance, record) if chance.random() < 0.7 else record for record in records]}


def run_trace(case: Case) -> None:
    """Records are drawn, or refused."""
    builder = PictureBuilder()
    for record in case["records"]:
        line = json_line(1, record.encode(errors="surrogatepass"))
        if line.error is None:
            builder.add(line.fields)
    picture = builder.picture()
    assert "<script>alert" not in picture.to_html()
    picture.to_svg()
