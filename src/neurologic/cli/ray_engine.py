"""`neurologic generate --engine ray`: options of a run on many processes, its progress and summary."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neurologic.batches.lines import json_text
from neurologic.batches.row_ledger import Outcome
from neurologic.batches.sources import STANDARD
from neurologic.cli.arguments import RAY, model_options, positive_int
from neurologic.cli.jsonl import standard_encoding
from neurologic.cli.messages import SATISFIED, UNMET, CommandError, say_warning
from neurologic.cli.progress import row_progress
from neurologic.cli.result_writers import Tally
from neurologic.cli.text_options import TextOptions

if TYPE_CHECKING:
    from neurologic.scale.parts import PartCounts

_RAY_OPTIONS = ("address", "workers", "block_rows", "part_format")


def add_ray_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "--engine ray", "Many processes, on this machine or a cluster; -o is a folder of parts then."
    )
    group.add_argument("--address", help='of a Ray cluster, or "auto" (default: start Ray on this machine)')
    group.add_argument(
        "--workers",
        type=positive_int,
        metavar="N",
        help="processes, each with the model (default: one per GPU, or else one per machine)",
    )
    group.add_argument(
        "--block-rows", type=positive_int, metavar="N", help="rows of a part (default: by rows and workers)"
    )
    group.add_argument(
        "--part-format", choices=("jsonl", "parquet"), help="of the parts (default: that of the input)"
    )


def require_ray_usage(arguments: argparse.Namespace) -> None:
    """Raise `CommandError` for options that do not fit together."""
    if arguments.engine != RAY:
        given = [name for name in _RAY_OPTIONS if getattr(arguments, name) is not None]
        if given:
            raise CommandError(f"--{given[0].replace('_', '-')} is for --engine ray")
        return
    if arguments.input is None or arguments.output in (None, STANDARD):
        raise CommandError("--engine ray reads files and writes a folder; give -i FILE and -o FOLDER")
    refused = {
        "--trace": arguments.trace is not None,
        "--picture": arguments.picture is not None,
        "--format": arguments.format != "jsonl",
    }
    for option, is_given in refused.items():
        if is_given:
            raise CommandError(f"--engine ray takes no {option}")


def run_on_ray(arguments: argparse.Namespace, options: TextOptions, manifest: Mapping[str, Any]) -> int:
    """Write the texts of the rows, and return the exit code."""
    from neurologic.scale.ray_run import RayOptions, RayRun

    loading = model_options(arguments)
    device = loading.get("device")
    run = RayRun(
        inputs=arguments.input,
        output=arguments.output,
        manifest=manifest,
        options={
            "model": arguments.model,
            "constraint": options.formula,
            "raw": arguments.raw,
            "system": arguments.system,
            "glossary": options.glossary,
            "loading": loading,
            "strict": arguments.strict,
            "batch_size": arguments.batch_size,
            "decoder": arguments.decoder,
            "reduce": arguments.reduce,
            **options.settings,
        },
        ray=RayOptions(
            address=arguments.address,
            workers=arguments.workers,
            threads=arguments.threads,
            uses_gpu=None if device is None else str(device).startswith("cuda"),
            block_rows=arguments.block_rows,
        ),
        suffix=None if arguments.part_format is None else f".{arguments.part_format}",
        fresh=arguments.fresh,
        retry_errors=arguments.retry_errors,
    )
    tally = Tally()
    # Ray prints what its nodes report; standard output is for our own results.
    with contextlib.redirect_stdout(sys.stderr), row_progress(None) as show:

        def count(part: PartCounts, total: int, was_there: bool) -> None:
            unmet = part.rows - part.satisfied - part.failed
            counts = {Outcome.SATISFIED: part.satisfied, Outcome.UNMET: unmet, Outcome.FAILED: part.failed}
            tally.add_counts(counts, forced=part.forced, was_there=was_there)
            show(tally.done, tally.resumed, tally.progress, total)

        run.run(count, say_warning)
    if arguments.json:
        print(json_text({**tally.to_json(), "output": arguments.output}, encoding=standard_encoding()))
    else:
        print(tally, file=sys.stderr)
    return SATISFIED if tally.satisfied == tally.done else UNMET
