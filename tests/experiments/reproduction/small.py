"""A scale, data and runs small enough for tests: no model is needed, unless a test brings its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from neurologic.experiments.reproduction.experiment_parts import (
    BEAM,
    OURS,
    BaseModel,
    Contrast,
    Curve,
    CurveLine,
    RunKey,
    Scale,
    System,
    TrainedModel,
)
from neurologic.experiments.reproduction.reproduction import Reproduction
from neurologic.experiments.runs import Subset
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.training import TrainingSettings
from neurologic.generation.result import Result
from neurologic.logic import check

SETS = ("ski hill", "dog park", "ice rink", "boat lake", "fly kite", "read book")
REFERENCES = (
    *("A man skis down a hill.", "A dog is in the park.", "The ice of the rink is old."),
    *("A boat is on the lake.", "Two kites fly in the sky.", "A girl reads a book."),
)
TRAINING = {
    "dog run field": "A dog runs across the field.",
    "cat sleep sofa": "The cat sleeps on the sofa.",
    "boy kick ball": "A boy kicks the ball.",
    "girl read book": "The girl reads a book.",
}

_SHORT = TrainingSettings(steps=2, batch_size=2, held_out=0)


def _trained(name: str, **settings: Any) -> TrainedModel:
    return TrainedModel(name, "tiny", 2e6, TrainingSettings(**{"steps": 2, "batch_size": 2, **settings}))


SMALL = Scale(
    name="small",
    about="a model that knows nothing",
    bases=(BaseModel("tiny", "tiny-model", 2e6), BaseModel("unnamed", "", 1e6)),
    trained=(
        _trained("supervised-1"),
        _trained("supervised-0.5", fraction=0.5),
        _trained("adapted-1", adapt=True),
    ),
    systems=(
        System("zero-shot", "tiny, zero-shot", "tiny", {"prompt": "opening"}),
        System("supervised-1", "tiny, all data", "supervised-1", {"prompt": "supervised"}),
        System("supervised-0.5", "tiny, half of the data", "supervised-0.5", {"prompt": "supervised"}),
        System("adapted-1", "tiny, adapted", "adapted-1", {"prompt": "opening", "lead-in": ""}),
    ),
    decoders=("greedy", "beam", "dba", "neurologic"),
    table_2=("supervised-0.5", "supervised-1"),
    table_3=("zero-shot", "adapted-1"),
    table_4="supervised-1",
    data=Curve(
        "Data",
        "training data, %",
        tuple(
            CurveLine(title, decoder, ((50, "supervised-0.5"), (100, "supervised-1")))
            for title, decoder in (("beam search", BEAM), ("NeuroLogic", OURS))
        ),
        ("zero-shot", RunKey("zero-shot", OURS)),
    ),
    size=Curve(
        "Size",
        "weights, millions",
        (
            CurveLine("beam search", BEAM, ((2, "supervised-1"),)),
            CurveLine("NeuroLogic", OURS, ((2, "supervised-1"),)),
            CurveLine("NeuroLogic, zero-shot", OURS, ((2, "zero-shot"),)),
        ),
    ),
    contrasts=(
        Contrast("search against supervision", RunKey("zero-shot", OURS), RunKey("supervised-0.5", BEAM)),
    ),
    apart={"adapted-1": "not quite zero-shot"},
    fewer={"dba": 4},
)


def write_data(folder: Path) -> Path:
    """CommonGen's files for dev and train."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"dev": dict(zip(SETS, REFERENCES, strict=True)), "train": TRAINING}
    for split, pairs in parts.items():
        (folder / f"commongen.{split}.src_alpha.txt").write_text("".join(f"{words}\n" for words in pairs))
        (folder / f"commongen.{split}.tgt.txt").write_text("".join(f"{text}\n" for text in pairs.values()))
    return folder


def small_reproduction(folder: Path, scale: Scale = SMALL, **options: Any) -> Reproduction:
    """A reproduction with data of its own beside its folder."""
    data = write_data(folder.parent / "data")
    options.setdefault("subset", Subset())
    return Reproduction(scale, TASKS["commongen"], str(data), folder, **options)


def write_run(
    to: Reproduction, key: tuple[str, str], texts: Sequence[str], settings: Mapping[str, Any] | None = None
) -> None:
    """Write a run of these texts, for the first inputs; with other settings if some are given."""
    key = RunKey(*key)
    experiment = to.experiment(to.scale.system(key.system))
    chosen = experiment.settings(key.decoder, {**to.scale.settings, **(settings or {})})
    with experiment.run(to.run_folder(key), key.decoder, chosen) as run:
        for item, text in zip(experiment.split_items, texts, strict=False):
            result = Result(text, -0.5, check(item.formula, text), tokens=(1, 2), logprob=-1.0, calls=3)
            run.add(item, result, seconds=2.0)


def good() -> list[str]:
    """Return texts that cover every concept, in words that the references have."""
    return list(REFERENCES)


def poor() -> list[str]:
    """Return texts that cover one concept of two."""
    return [f"There is some {words.split()[1]} here." for words in SETS]
