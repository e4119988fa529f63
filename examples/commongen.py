"""Write a sentence for every CommonGen concept set, each concept in any inflected form.

    python examples/commongen.py --data path/to/commongen --limit 200 -o commongen.jsonl

The default model sees four examples as chat turns; the formula makes sure of the words. Prints every
text and a summary: clauses satisfied on the text, texts with tokens forced by the payment plan, seconds per
text.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import neurologic as nl
from neurologic.generation import Request

INSTRUCTION = "Write one simple sentence that uses all of these words: {}."
EXAMPLES = (
    ("kitchen, bread, bake", "A woman is baking bread in the kitchen."),
    ("ride, hill, bike, wear, helmet", "A boy wearing a helmet rides his bike down a hill."),
    ("guitar, sit, play, stage", "The man sits on the stage and plays the guitar."),
    ("beach, run, dog, water", "Two dogs run through the water at the beach."),
)


def conversation(concepts: list[str]) -> list[dict[str, str]]:
    """Four examples as turns, then the words to use now."""
    messages = []
    for words, sentence in EXAMPLES:
        messages.append({"role": "user", "content": INSTRUCTION.format(words)})
        messages.append({"role": "assistant", "content": sentence})
    messages.append({"role": "user", "content": INSTRUCTION.format(", ".join(concepts))})
    return messages


def formula(concepts: list[str]) -> nl.Formula:
    """Every concept in one of its forms."""
    return nl.all_of(*map(nl.inflect, concepts))


def read_concepts(data: Path, split: str) -> list[list[str]]:
    """The distinct concept sets of a split, in order."""
    lines = (data / f"commongen.{split}.src_alpha.txt").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in dict.fromkeys(lines)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with commongen.SPLIT.src_alpha.txt")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--num-beams", type=int, default=8)
    parser.add_argument("--alpha", type=int)
    parser.add_argument("--beta", type=int)
    parser.add_argument("--lambda", dest="lambda_", type=float)
    parser.add_argument("--length-penalty", type=float)
    parser.add_argument("-o", "--output", type=Path, help="write one JSON line per text")
    arguments = parser.parse_args()
    knobs = {name: getattr(arguments, name) for name in ("alpha", "beta", "lambda_", "length_penalty")}

    lm = nl.load()
    sets = read_concepts(arguments.data, arguments.split)[: arguments.limit]
    requests = [Request(conversation(concepts), formula(concepts)) for concepts in sets]
    started = time.perf_counter()
    rows = []
    results = lm.generate_each(
        requests,
        batch_size=arguments.batch_size,
        num_beams=arguments.num_beams,
        max_new_tokens=32,
        no_repeat_ngram_size=3,
        **{name: value for name, value in knobs.items() if value is not None},
    )
    for concepts, result in zip(sets, results, strict=True):
        rows.append(
            {"concepts": concepts, **result.to_json(), "ending": result.ending, "logprob": result.logprob}
        )
        print(f"{' '.join(concepts):30} {result.text}", flush=True)
    seconds = time.perf_counter() - started
    if arguments.output:
        arguments.output.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    print(summary(rows, seconds))


def summary(rows: list[dict[str, Any]], seconds: float) -> str:
    """The figures of a run in one line."""
    clauses = [clause["satisfied"] for row in rows for clause in row["clauses"]]
    forced = sum(row["forced"] > 0 for row in rows)
    cut_off = sum(row["ending"] != "end" for row in rows)
    return (
        f"{len(rows)} texts; clauses satisfied {sum(clauses)} of {len(clauses)}; "
        f"texts with forced tokens {forced}; cut off {cut_off}; {seconds / len(rows):.2f} s per text"
    )


if __name__ == "__main__":
    main()
