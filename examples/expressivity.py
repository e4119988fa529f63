"""The paper's Table 1: which constraints each decoder can express, found by trying.

    python examples/expressivity.py

Every decoder is given the table's three formulas. ✓: it accepts the formula and its text satisfies it; ✗: it
accepts the formula, but its text does not satisfy it; –: it refuses the formula. Costs are those the decoders
state (N tokens, k beams, C constraints, l tokens looked ahead, E edits); `examples/complexity.py` measures.
"""

from __future__ import annotations

import argparse
import sys

import neurologic as nl
from neurologic.decoders.registry import DECODERS, DecoderEntry
from neurologic.errors import ExpressivityError
from neurologic.generation.model import ConstrainedModel

PROMPT = "Write one sentence that tells how to fry pork or beef in oil."
FORMULAS = {
    "AND: oil & pork": "oil & pork",
    "positive sets: oil & (pork \\| beef)": "oil & (pork | beef)",
    "any formula: !oil & (pork \\| beef)": "!oil & (pork | beef)",
}


def verdict(lm: ConstrainedModel, method: DecoderEntry, formula: str, num_beams: int) -> str:
    """✓, ✗ or –; the text goes to standard error, for whoever wants to know."""
    settings = method.heeded({"num_beams": num_beams, "max_new_tokens": 32, "seed": 0})
    try:
        result = lm.generate(PROMPT, formula, decoder=method.name, **settings)
    except ExpressivityError:
        return "–"
    print(f"{method.name}, {formula}: {result.text}", file=sys.stderr)
    return "✓" if result.satisfied else "✗"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decoders", default=",".join(DECODERS), help="names, separated by commas")
    parser.add_argument("--num-beams", type=int, default=8)
    parser.add_argument("--threads", type=int, help="threads that torch may use")
    arguments = parser.parse_args()

    lm = nl.load(threads=arguments.threads)
    print("| decoder | " + " | ".join(FORMULAS) + " | cost | defined by |")
    print("| --- |" + " :-: |" * len(FORMULAS) + " --- | --- |")
    for name in arguments.decoders.split(","):
        method = DECODERS[name]
        verdicts = [verdict(lm, method, formula, arguments.num_beams) for formula in FORMULAS.values()]
        print(f"| {name} | {' | '.join(verdicts)} | {method.cost} | {method.paper} |", flush=True)


if __name__ == "__main__":
    main()
