"""The decoders that `--decoders` names, and the settings that each of them gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurologic.cli.messages import CommandError
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import Options, options_of

ALL = "all"


def parse_decoders(names: str) -> list[str]:
    """Return the decoders of a list separated by commas, each once."""
    if names == ALL:
        return list(DECODERS)
    chosen = list(dict.fromkeys(name for part in names.split(",") if (name := part.strip())))
    if not chosen:
        raise CommandError(f"--decoders needs names, of {', '.join(DECODERS)}, or {ALL}")
    try:
        return [decoder_named(name).name for name in chosen]
    except ValueError as error:
        raise CommandError(str(error)) from error


def settings_per_decoder(
    decoders: Sequence[str], given: Mapping[str, Any], task: str | None, options: Options | None = None
) -> dict[str, dict[str, Any]]:
    """Return the settings that each decoder accepts, the given ones over those of the task.

    Raise `CommandError` for a given setting that none of the decoders accepts.
    """
    accepted = {}
    for name in decoders:
        entry = decoder_named(name)
        usual = {} if task is None else TASKS[task].settings(options or options_of(TASKS[task], {}), name)
        accepted[name] = entry.accepted({**usual, **given})
        try:
            entry.settings(accepted[name])
        except ValueError as error:
            raise CommandError(str(error)) from error
    for setting in given:
        if not any(setting in settings for settings in accepted.values()):
            accepting = [name for name, entry in DECODERS.items() if setting in entry.accepts]
            raise CommandError(
                f"{setting} has no effect on the decoders {', '.join(decoders)}; "
                f"it is for {', '.join(accepting)}"
            )
    return accepted
