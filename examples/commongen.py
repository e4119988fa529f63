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
from neurologic.tasks import commongen
from neurologic.turns import Request


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
    sets = commongen.read_concepts(arguments.data, arguments.split)[: arguments.limit]
    requests = [Request(commongen.conversation(one), commongen.formula(one)) for one in sets]
    started = time.perf_counter()
    rows = []
    results = lm.generate_each(
        requests,
        batch_size=arguments.batch_size,
        num_beams=arguments.num_beams,
        **commongen.SETTINGS,
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
