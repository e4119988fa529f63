"""The paper's Table 1: which constraints each decoder can express, found by trying.

    python examples/expressivity.py

Every decoder is given the table's three formulas. ✓: it accepts the formula and its text satisfies it; ✗: it
accepts the formula, but its text does not satisfy it; –: it refuses the formula. The papers state the costs
(N tokens, k beams, C constraints, l tokens looked ahead, E edits); `examples/complexity.py` measures them.
"""

from __future__ import annotations

import argparse
import sys

import neurologic as nl
from neurologic.decoders.registry import DECODERS, DecoderEntry
from neurologic.errors import ExpressivityError
from neurologic.generation.constrained_model import ConstrainedModel

PROMPT = "Write one sentence that tells how to fry pork or beef in oil."
FORMULAS = {
    "AND: oil & pork": "oil & pork",
    "positive sets: oil & (pork \\| beef)": "oil & (pork | beef)",
    "any formula: !oil & (pork \\| beef)": "!oil & (pork | beef)",
}
# Model calls per text, and who defined the decoder.
ORIGINS = {
    "neurologic": ("O(N·k)", "Lu et al., NAACL 2021"),
    "astar": ("O(N·k·l)", "Lu et al., NAACL 2022"),
    "greedy": ("O(N)", "the likeliest token at each step"),
    "top-k": ("O(N)", "Fan et al., ACL 2018"),
    "top-p": ("O(N)", "Holtzman et al., ICLR 2020"),
    "beam": ("O(N·k)", "as in Hugging Face transformers"),
    "gbs": ("O(N·k·C)", "Hokamp & Liu, ACL 2017"),
    "dba": ("O(N·k)", "Post & Vilar, NAACL 2018"),
    "vdba": ("O(N·k)", "Hu et al., NAACL 2019"),
    "cbs": ("O(N·k·2^C)", "Anderson et al., EMNLP 2017"),
    "cgmh": ("O(E)", "Miao et al., AAAI 2019"),
    "gradient": ("O(E)", "Sha, EMNLP 2020"),
}


def verdict(lm: ConstrainedModel, decoder: DecoderEntry, formula: str, num_beams: int) -> str:
    """Return ✓, ✗ or –; print the text to standard error."""
    settings = decoder.accepted({"num_beams": num_beams, "max_new_tokens": 32, "seed": 0})
    try:
        result = lm.generate(PROMPT, formula, decoder=decoder.name, **settings)
    except ExpressivityError:
        return "–"
    print(f"{decoder.name}, {formula}: {result.text}", file=sys.stderr)
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
        decoder, (cost, paper) = DECODERS[name], ORIGINS.get(name, ("", ""))
        verdicts = [verdict(lm, decoder, formula, arguments.num_beams) for formula in FORMULAS.values()]
        print(f"| {name} | {' | '.join(verdicts)} | {cost} | {paper} |", flush=True)


if __name__ == "__main__":
    main()
