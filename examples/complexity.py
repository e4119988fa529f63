"""Model calls against the number of constraints, for decoders that take required words.

    python examples/complexity.py -o complexity.svg

Every text has exactly 16 tokens and 2 beams, and every word is a single token of the default model, so that
what differs is the decoder and the number C of words alone. A model call is a text that the model reads one
token further. Prints a table and draws it on a logarithmic scale (needs matplotlib; without -o it is not
drawn).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import neurologic as nl
from neurologic.generation.constrained_model import ConstrainedModel

PROMPT = "Write one sentence about a family at home."
WORDS = ("dog", "garden", "water", "window", "music", "bread")
# Decoders, and their model calls for texts of N tokens with k beams and C constraints.
COSTS = {
    "neurologic": "O(N·k)",
    "dba": "O(N·k)",
    "vdba": "O(N·k)",
    "gbs": "O(N·k·C)",
    "cbs": "O(N·k·2^C)",
    "beam": "O(N·k)",
}
TOKENS = 16
BEAMS = 2

# After Okabe and Ito, for colour-blind readers (orange darkened, to be readable as text).
COLOURS = ("#0072B2", "#009E73", "#CC79A7", "#9A6A00", "#D55E00", "#555555")


def require_single_tokens(lm: ConstrainedModel, words: Sequence[str]) -> None:
    """A word of several tokens would count as several constraints for some decoders."""
    vocabulary = lm.tokenizer.get_vocab()
    split = [word for word in words if f"Ġ{word}" not in vocabulary]
    if split:
        sys.exit(f"not a single token of this model: {', '.join(split)}")


def calls(lm: ConstrainedModel, decoder: str, words: Sequence[str]) -> int:
    """Model calls for one text; beam search, the reference, is not told of the words."""
    result = lm.generate(
        PROMPT,
        nl.all_of(*words) if words and decoder != "beam" else None,
        decoder=decoder,
        num_beams=BEAMS,
        min_new_tokens=TOKENS,
        max_new_tokens=TOKENS,
    )
    print(f"{decoder:10} C={len(words)} {result.calls:6} calls: {result.text!r}", file=sys.stderr)
    return result.calls


def print_table(measured: Mapping[str, Sequence[int]], counts: Sequence[int]) -> None:
    print("| decoder | cost | " + " | ".join(f"C={count}" for count in counts) + " |")
    print("| --- | --- |" + " --: |" * len(counts))
    for decoder, row in measured.items():
        print(f"| {decoder} | {COSTS[decoder]} | {' | '.join(map(str, row))} |")


def load_pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        sys.exit("-o needs matplotlib: pip install matplotlib")
    matplotlib.use("Agg")  # draws to files, needs no screen
    from matplotlib import pyplot

    return pyplot


def draw(pyplot: Any, measured: Mapping[str, Sequence[int]], counts: Sequence[int], path: Path) -> None:
    pyplot.rcParams["svg.hashsalt"] = "neurologic"  # names inside the file that do not change each time
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for (decoder, row), colour in zip(measured.items(), COLOURS, strict=False):
        style = "--" if decoder == "beam" else "-"
        axes.plot(counts, row, style, color=colour, marker="o", markersize=4, linewidth=1.8)
    axes.set_yscale("log")
    axes.set_xlabel("constraints C")
    axes.set_ylabel("model calls per text")
    axes.set_title(f"Model calls for {TOKENS} tokens with {BEAMS} beams", loc="left")
    axes.set_xticks(list(counts))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    label_lines(axes, measured, counts[-1])
    # Nor a date: the same figures make the same file.
    figure.savefig(path, dpi=200, metadata={"Date": None} if path.suffix == ".svg" else None)


def label_lines(axes: Any, measured: Mapping[str, Sequence[int]], last: int) -> None:
    """Names at the ends of the lines instead of a legend; lines that end together share a label."""
    ends: dict[int, list[tuple[str, str]]] = {}
    for (decoder, row), colour in zip(measured.items(), COLOURS, strict=False):
        ends.setdefault(row[-1], []).append((decoder, colour))
    lowest = 0.0
    for value in sorted(ends):
        height = max(float(value), lowest)  # on a logarithmic scale, a factor keeps labels apart
        names = ", ".join(name for name, _ in ends[value])
        colour = ends[value][0][1] if len(ends[value]) == 1 else "#222222"
        axes.annotate(
            names,
            (last, height),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            annotation_clip=False,
        )
        lowest = height * 1.35


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, help="draw to this file, such as .svg or .png")
    parser.add_argument("--decoders", default=",".join(COSTS), help="names, separated by commas")
    parser.add_argument("--most", type=int, default=len(WORDS), help=f"largest C, up to {len(WORDS)}")
    parser.add_argument("--threads", type=int, help="threads that torch may use")
    arguments = parser.parse_args()
    pyplot = load_pyplot() if arguments.output else None  # said before the measuring

    lm = nl.load(threads=arguments.threads)
    require_single_tokens(lm, WORDS)
    counts = range(min(arguments.most, len(WORDS)) + 1)
    measured = {
        decoder: [calls(lm, decoder, WORDS[:count]) for count in counts]
        for decoder in arguments.decoders.split(",")
    }
    print_table(measured, counts)
    if pyplot is not None:
        draw(pyplot, measured, counts, arguments.output)


if __name__ == "__main__":
    main()
