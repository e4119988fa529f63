"""Draw the search of the paper's figure 3 (k=3, alpha=8, beta=2, lambda=0.1) on a hand-made model.

The figure's picture is not in the paper's source, so words and probabilities are made up; settings and rules
are the paper's.

    python examples/figure3_picture.py -o docs/guides/figure3.svg --html figure3.html
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch

import neurologic as nl
from neurologic.testing.toys import ToyModel, toy_vocabulary

FORMULA = '(climb | climbs) & "apple tree" & !ladder'
WORDS = ["The", "boy", "girl", "climbs", "sits", "on", "an", "apple", "tree", "ladder", ".", "s"]
# Probabilities of the next word after the last one; what is not listed shares the rest evenly.
NEXT = {
    "": {"The": 0.85, "climbs": 0.04, "boy": 0.03},
    "The": {"boy": 0.5, "girl": 0.3, "apple": 0.1},
    "boy": {"sits": 0.5, "climbs": 0.3, "on": 0.1},
    "girl": {"sits": 0.6, "climbs": 0.2, "on": 0.1},
    "climbs": {"an": 0.4, "ladder": 0.4, "on": 0.1},
    "sits": {"on": 0.3, "an": 0.2, ".": 0.2, "The": 0.2},
    "on": {"an": 0.5, "The": 0.2, "ladder": 0.2},
    "an": {"apple": 0.7, "on": 0.1},
    "apple": {"tree": 0.4, ".": 0.4, "ladder": 0.1},
    "tree": {".": 0.6, "ladder": 0.2},
    "ladder": {".": 0.8},
    ".": {"</s>": 0.9},
    "s": {".": 0.9},
}


def toy() -> ToyModel:
    """Return the hand-made model; its last piece has no space before it, so "ladder" may become "ladders"."""
    names = ["</s>", *WORDS]

    def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
        chances = NEXT[names[tokens[-1]] if len(tokens) > 1 else ""]
        rest = (1 - sum(chances.values())) / (len(names) - len(chances))
        return torch.tensor([math.log(chances.get(name, rest)) for name in names])

    return ToyModel(
        toy_vocabulary(*(word if word in (".", "s") else " " + word for word in WORDS)), logits_of
    )


def figure3() -> nl.Result:
    """Search as in the figure, and keep the trace."""
    return nl.wrap(toy()).generate(
        "The",
        FORMULA,
        raw=True,
        trace=True,
        num_beams=3,
        alpha=8,
        beta=2,
        lambda_=0.1,
        dominance=False,
        phrase_groups=False,
        max_new_tokens=10,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="the SVG to write")
    parser.add_argument("--html", type=Path, help="a page to write, too")
    arguments = parser.parse_args()
    result = figure3()
    arguments.output.write_text(result.picture().to_svg(), encoding="utf-8")
    if arguments.html is not None:
        arguments.html.write_text(result.picture().to_html(), encoding="utf-8")
    print(result)
