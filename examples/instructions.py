"""Follow instructions: 20 texts of each kind by the default model, and how many obey, by promise or by force.

    python examples/instructions.py                               # all kinds; an hour or two on a laptop
    python examples/instructions.py 'exact words' bullets         # only these
    python examples/instructions.py --first 3 -o texts.jsonl      # three of each kind; resumes

The kinds, with formulas and the words to fill in, are in instructions.toml; --file names another such file.
The page docs/guides/instructions.md explains the formulas and shows what it prints.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import neurologic as nl

FILE = Path(__file__).with_name("instructions.toml")


class Instance(NamedTuple):
    """One instruction, as a person would say it and as a formula."""

    kind: str
    number: int
    prompt: str
    formula: str
    max_new_tokens: int


def instances(file: Path) -> Iterator[Instance]:
    """Yield the instances of every kind in a file."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    shared = tables["shared"]
    for kind in tables["kind"]:
        for place in range(shared["instances"]):
            values = {name: _at(value, place) for name, value in {**shared, **kind}.items()}
            yield Instance(
                kind["name"],
                place + 1,
                values["prompt"].format_map(values),
                values["formula"].format_map(values),
                values.get("max_new_tokens", 64),
            )


def _at(value: Any, place: int) -> Any:
    return value[place % len(value)] if isinstance(value, list) else value


def write(chosen: Sequence[Instance], output: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Write the texts that the output does not have yet, and return all of its rows."""
    rows = _read(output)
    missing = [
        instance
        for instance in chosen
        if not _is_of(rows.get((instance.kind, instance.number), {}), instance)
    ]
    if missing:
        lm = nl.load()
        for limit in sorted({instance.max_new_tokens for instance in missing}):
            requests = [
                nl.Request(instance.prompt, instance.formula, id=instance)
                for instance in missing
                if instance.max_new_tokens == limit
            ]
            for result in lm.stream(requests, on_error="return", max_new_tokens=limit):
                instance = result.request.id
                row = rows[instance.kind, instance.number] = instance._asdict() | _judged(result)
                with output.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    return rows


def _is_of(row: Mapping[str, Any], instance: Instance) -> bool:
    return all(row.get(name) == value for name, value in instance._asdict().items())


def _judged(result: nl.Result) -> dict[str, Any]:
    return {
        "text": result.text,
        "satisfied": result.satisfied,
        "promised": result.error is None and not result.warnings,
        "forced": result.forced,
        "marks": [str(mark) for mark in result.marks],
        "seconds": round(result.seconds, 2),
        "error": str(result.error or ""),
    }


def _read(output: Path) -> dict[tuple[str, int], dict[str, Any]]:
    if not output.exists():
        return {}
    rows = map(json.loads, output.read_text(encoding="utf-8").splitlines())
    return {(row["kind"], row["number"]): row for row in rows}


def print_table(rows: Mapping[tuple[str, int], Mapping[str, Any]], chosen: Sequence[Instance]) -> None:
    """Print how many texts of each kind are satisfied, promised and forced."""
    kinds = dict.fromkeys(instance.kind for instance in chosen)
    width = max(map(len, kinds))
    print(f"{'kind':{width}}  texts  satisfied  promised  forced  s/text")
    for kind in kinds:
        texts = [rows[instance.kind, instance.number] for instance in chosen if instance.kind == kind]
        satisfied, promised = (sum(row[name] for row in texts) for name in ("satisfied", "promised"))
        forced = sum(row["forced"] > 0 for row in texts)
        seconds = sum(row["seconds"] for row in texts) / len(texts)
        print(f"{kind:{width}}  {len(texts):5}  {satisfied:9}  {promised:8}  {forced:6}  {seconds:6.1f}")


def main() -> None:
    """Write the texts that the command line asks for, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="the kinds to write; all of them by default")
    parser.add_argument("--file", type=Path, default=FILE, help="the kinds (default: instructions.toml)")
    parser.add_argument("--first", type=int, default=20, help="instances of each kind (default: all 20)")
    parser.add_argument("-o", "--output", type=Path, default=Path("instructions.jsonl"), help="the texts")
    given = parser.parse_args()
    listed = list(instances(given.file))
    unknown = set(given.kinds) - {instance.kind for instance in listed}
    if unknown:
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    chosen = [
        instance
        for instance in listed
        if instance.number <= given.first and (not given.kinds or instance.kind in given.kinds)
    ]
    print_table(write(chosen, given.output), chosen)


if __name__ == "__main__":
    main()
