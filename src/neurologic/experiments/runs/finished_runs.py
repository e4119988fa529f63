"""Find runs that are on disk, to compare them: of other settings, or of another version of the program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from neurologic.batches.run_manifest import MANIFEST
from neurologic.errors import DataError
from neurologic.experiments.runs.folder import RunFolder
from neurologic.experiments.runs.manifest import fingerprint
from neurologic.experiments.runs.shared_setup import Experiment


def finished_runs(folders: Sequence[Path], experiment: Experiment) -> dict[str, RunFolder]:
    """Return the runs of these folders by name, the runs in a folder of several one by one.

    A run is named by its folder, with those above it where two have the same name. Raise `DataError` for a
    run of another task or of other inputs, since its texts answer other prompts.
    """
    places = [place for folder in folders for place in _run_folders(folder)]
    runs = {}
    for name, place in zip(_names(places), places, strict=True):
        run = RunFolder.read(place)
        if run is None:
            raise DataError(f"there is no run in {place}")
        _require_same_inputs(run, place, experiment)
        runs[name] = run
    return runs


def _run_folders(folder: Path) -> list[Path]:
    if (folder / MANIFEST).is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
    if not found:
        raise DataError(f"there is no run in {folder}")
    return found


def _names(places: Sequence[Path]) -> list[str]:
    """Return the shortest ends of the paths that tell them apart.

    >>> _names([Path("old/beam"), Path("new/beam")]), _names([Path("runs/old"), Path("runs/new")])
    (['old/beam', 'new/beam'], ['old', 'new'])
    """
    whole = [place.resolve().parts for place in places]
    if len(set(whole)) < len(whole):
        raise DataError("the same run is named twice")
    for length in range(1, max(map(len, whole), default=1) + 1):
        names = ["/".join(parts[-length:]) for parts in whole]
        if len(set(names)) == len(names):
            return names
    return ["/".join(parts) for parts in whole]


def _require_same_inputs(run: RunFolder, place: Path, experiment: Experiment) -> None:
    asked = {
        "task": experiment.task.name,
        "split": experiment.split,
        "data": fingerprint(experiment.split_items),
    }
    for name, value in asked.items():
        if run.manifest.get(name) != value:
            raise DataError(
                f"{place} is a run of other inputs: its {name} is {run.manifest.get(name)}, not {value}. "
                "Give the options that the run was made with"
            )
