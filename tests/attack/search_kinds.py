"""Attack searches: the guarantee, settings, batches and threads."""

from __future__ import annotations

import math
import random
import threading
from typing import Any

from attack.draws import VOCABULARY, Case, formula_text
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from toys import ToyLoadedModel, random_model

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


class Toy(ToyLoadedModel):
    """A toy that decodes half a character as tokenizers do."""

    def decode(self, tokens: TokenIds, prompt: EncodedPrompt) -> str:
        return self.vocabulary.decode(tokens).decode(errors="replace")


def new_lm(seed: int) -> ConstrainedModel:
    return ConstrainedModel(Toy(random_model(VOCABULARY, seed)))  # type: ignore[arg-type]


def make_search(chance: random.Random) -> Case:
    return {
        "formula": formula_text(chance, 2),
        "seed": chance.randrange(1000),
        "tokens": chance.randint(1, 14),
    }


def run_search(case: Case) -> None:
    """If a plan fits into the budget, the text satisfies the formula."""
    lm = new_lm(case["seed"])
    constraint = lm.compile(case["formula"])
    bound = constraint.upper_bound()
    result = lm.generate("x", case["formula"], max_new_tokens=case["tokens"], num_beams=2, on_error="return")
    if result.error is not None:
        raise result.error
    if bound is not None and bound <= case["tokens"]:
        assert result.satisfied, f"the guarantee broke: {result.text!r}"


def make_options(chance: random.Random) -> Case:
    names = chance.sample(sorted(SETTINGS), chance.randint(1, 4))
    return {"formula": formula_text(chance, 1), "places": {name: chance.randrange(20) for name in names}}


def run_options(case: Case) -> None:
    """Any settings give a text or a refusal; never a crash, nor a search without end."""
    options = {name: SETTINGS[name][place % len(SETTINGS[name])] for name, place in case["places"].items()}
    lm = new_lm(3)
    try:
        lm.generate("x", case["formula"], **{"max_new_tokens": 6, "num_beams": 2, "reduce": True, **options})
    except (ValueError, TypeError) as error:
        if isinstance(error, (UnicodeError, OverflowError)):
            raise AssertionError(f"not refused by name: {error!r}") from error


def make_batch(chance: random.Random) -> Case:
    formulas = [formula_text(chance, 1) for _ in range(3)]
    return {"formulas": [*formulas, chance.choice(formulas)], "seed": chance.randrange(1000)}


def run_batch(case: Case) -> None:
    """A text does not depend on the batch that it was written in, nor on what threads do."""
    requests = [Request("x" * (1 + n), formula) for n, formula in enumerate(case["formulas"])]
    options: dict[str, Any] = {"max_new_tokens": 8, "num_beams": 2}
    single = [
        next(new_lm(case["seed"]).stream([request], on_error="return", **options)) for request in requests
    ]
    lm = new_lm(case["seed"])
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
