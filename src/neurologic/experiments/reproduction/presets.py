"""The two scales: `laptop` takes one night on two cores, `paper` has the paper's models and needs a GPU.

Both are the same experiment; only names, sizes and amounts differ. The paper names its models, but not all of
their settings: beams, 3-gram blocking and lengths are those of its published code, the settings of trainings
are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neurologic.decoders.registry import DECODERS
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
from neurologic.experiments.training import TrainingSettings

# The rows of the paper's Table 4, and decoders that the table lacks.
_PAPER_ORDER = (
    *("greedy", "top-k", "top-p", "beam", "gbs", "dba", "vdba", "neurologic"),
    *("astar", "cbs", "cgmh", "gradient"),
)

_SUPERVISED = {"prompt": "supervised"}
# An adapted model knows single sentences only, without any text before them.
_NOTHING_BEFORE = {"prompt": "opening", "lead-in": "", "opening": ""}


def in_paper_order(decoders: Iterable[str]) -> tuple[str, ...]:
    """Sort decoders as the paper's Table 4 does; those that the order does not name come last, as given.

    >>> in_paper_order(["mine", "neurologic", "beam"])
    ('beam', 'neurologic', 'mine')
    """
    known = {name: place for place, name in enumerate(_PAPER_ORDER)}
    return tuple(sorted(decoders, key=lambda name: known.get(name, len(known))))


def _curves(
    fractions: Sequence[tuple[float, str]],
    sizes: Sequence[tuple[float, str]],
    zero_shot: Sequence[tuple[float, str]],
    level: str,
) -> tuple[Curve, Curve]:
    """Return the paper's two figures: over shares of the training data, and over millions of weights."""
    beam, ours, unsupervised = "beam search", "NeuroLogic", "NeuroLogic, zero-shot"
    data = Curve(
        "Amount of training data",
        "training data, % of the concept sets",
        tuple(
            CurveLine(title, decoder, tuple((100 * share, name) for share, name in fractions))
            for title, decoder in ((beam, BEAM), (ours, OURS))
        ),
        (unsupervised, RunKey(level, OURS)),
    )
    size = Curve(
        "Size of the model",
        "weights, millions",
        (
            *(
                CurveLine(f"{title}, supervised", decoder, tuple(sizes))
                for title, decoder in ((beam, BEAM), (ours, OURS))
            ),
            CurveLine(unsupervised, OURS, tuple(zero_shot)),
        ),
    )
    return data, size


# -- laptop ---------------------------------------------------------------------------------------

_SMALL_WEIGHTS = {30: 134.515, 20: 99.114, 10: 63.713}  # layers of the default model: weights in millions


def _small(fraction: float, layers: int = 30, *, adapt: bool = False) -> TrainedModel:
    shallower = layers < 30
    kind = "adapted" if adapt else "supervised"
    return TrainedModel(
        f"{kind}-{fraction:g}" + (f"-layers{layers}" if shallower else ""),
        "smollm2",
        1e6 * _SMALL_WEIGHTS[layers],
        TrainingSettings(fraction=fraction, adapt=adapt, layers=layers if shallower else None),
    )


def _laptop() -> Scale:
    supervised, adapted = _small(0.15), _small(0.05, adapt=True)
    fractions = (_small(0.005), _small(0.015), _small(0.05), supervised)
    smaller = (_small(0.05, 10), _small(0.05, 20))
    by_size = (*smaller, fractions[2])
    trained = (supervised, *fractions[:3], *smaller, adapted)
    titles = {
        adapted.name: "SmolLM2-135M, adapted on 5% of the sentences",
        **{
            model.name: f"SmolLM2 cut to {model.settings.layers} layers ({model.weights / 1e6:.0f} M), "
            "5% of the data"
            for model in smaller
        },
        **{
            model.name: f"SmolLM2-135M, {100 * model.settings.fraction:g}% of the data" for model in fractions
        },
    }
    data, size = _curves(
        [(model.settings.fraction, model.name) for model in fractions],
        [(model.weights / 1e6, model.name) for model in by_size],
        [(_SMALL_WEIGHTS[30], "zero-shot")],
        level="zero-shot",
    )
    return Scale(
        name="laptop",
        about="SmolLM2-135M-Instruct, whose weights were stored in 4 bits, and models trained from it in one "
        "pass over a part of the data",
        bases=(BaseModel("smollm2", "smollm2", 1e6 * _SMALL_WEIGHTS[30]),),
        trained=trained,
        systems=(
            System("zero-shot", "SmolLM2-135M-Instruct, zero-shot", "smollm2", {"prompt": "zero-shot"}),
            System("few-shot", "SmolLM2-135M-Instruct, eight examples", "smollm2", {"prompt": "few-shot"}),
            *(
                System(
                    model.name,
                    titles[model.name],
                    model.name,
                    _NOTHING_BEFORE if model.settings.adapt else _SUPERVISED,
                )
                for model in trained
            ),
        ),
        decoders=in_paper_order(DECODERS),
        table_2=(*(model.name for model in by_size), supervised.name),
        table_3=("zero-shot", "few-shot", adapted.name),
        table_4=supervised.name,
        data=data,
        size=size,
        contrasts=(
            *(
                Contrast(
                    "zero-shot NeuroLogic on the larger model, beam search on a smaller supervised one",
                    RunKey("zero-shot", OURS),
                    RunKey(model.name, BEAM),
                )
                for model in smaller
            ),
            Contrast(
                "zero-shot NeuroLogic, beam search on the same model supervised",
                RunKey("zero-shot", OURS),
                RunKey(supervised.name, BEAM),
            ),
            Contrast(
                "NeuroLogic after domain adaptation, beam search on the supervised model",
                RunKey(adapted.name, OURS),
                RunKey(supervised.name, BEAM),
            ),
        ),
        apart={"few-shot": "not zero-shot: the prompt shows eight examples"},
        inputs=200,
        fewer={"cgmh": 50, "gradient": 50},
        settings={"rows": 8},  # gbs and cbs get as many rows as the others have beams
    )


# -- paper ----------------------------------------------------------------------------------------

_GPT2 = {"gpt2": 124.4, "gpt2-medium": 354.8, "gpt2-large": 774.0, "gpt2-xl": 1557.6}  # millions
_PAPER_BASES = (
    BaseModel("gpt", "openai-community/openai-gpt", 116.5e6),
    *(BaseModel(name, f"openai-community/{name}", 1e6 * weights) for name, weights in _GPT2.items()),
    BaseModel("bart-large", "facebook/bart-large", 406.3e6),
    BaseModel("t5-large", "google-t5/t5-large", 737.7e6),
    # Masked models, which `train` cannot train: the user has to name supervised ones.
    BaseModel("bert-gen", "", 340e6),
    BaseModel("unilm", "", 340e6),
    BaseModel("unilm-v2", "", 110e6),
)


def _full(base: str, fraction: float = 1.0, *, adapt: bool = False) -> TrainedModel:
    weights = next(model.weights for model in _PAPER_BASES if model.name == base)
    part = "" if fraction == 1 else f"-{fraction:g}"
    return TrainedModel(
        f"{'adapted' if adapt else 'supervised'}-{base}{part}",
        base,
        weights,
        TrainingSettings(fraction=fraction, adapt=adapt, epochs=3, learning_rate=2e-5),
    )


def _paper() -> Scale:
    by_size = tuple(map(_full, _GPT2))
    supervised = by_size[2]
    others = (_full("bart-large"), _full("t5-large"))
    ready = ("bert-gen", "unilm", "unilm-v2")
    fractions = (*(_full("gpt2-large", share) for share in (0.01, 0.1, 0.5)), supervised)
    adapted = _full("gpt2-large", adapt=True)
    trained = (supervised, adapted, *others, *(model for model in by_size if model is not supervised))
    trained += tuple(model for model in fractions if model is not supervised)
    unsupervised = ("gpt", *_GPT2)
    data, size = _curves(
        [(model.settings.fraction, model.name) for model in fractions],
        [(model.weights / 1e6, model.name) for model in by_size],
        [(weights, f"zero-shot-{name}") for name, weights in _GPT2.items()],
        level="zero-shot-gpt2-large",
    )
    return Scale(
        name="paper",
        about="the paper's models, as far as they are public, with trainings of our own",
        bases=_PAPER_BASES,
        trained=trained,
        systems=(
            *(
                System(f"zero-shot-{name}", f"{name}, zero-shot", name, {"prompt": "opening"})
                for name in unsupervised
            ),
            *(
                System(
                    model.name,
                    model.name.replace("-", " ", 1),
                    model.name,
                    _NOTHING_BEFORE if model.settings.adapt else _SUPERVISED,
                )
                for model in trained
            ),
            *(System(name, f"{name}, supervised", name, _SUPERVISED) for name in ready),
        ),
        decoders=in_paper_order(DECODERS),
        table_2=(supervised.name, *ready, *(model.name for model in others)),
        table_3=("zero-shot-gpt", "zero-shot-gpt2-large", adapted.name),
        table_4=supervised.name,
        data=data,
        size=size,
        contrasts=(
            Contrast(
                "zero-shot NeuroLogic on the larger model, beam search on a smaller supervised one",
                RunKey("zero-shot-gpt2-large", OURS),
                RunKey("supervised-gpt2-medium", BEAM),
            ),
            Contrast(
                "NeuroLogic after domain adaptation, beam search on the supervised model",
                RunKey(adapted.name, OURS),
                RunKey(supervised.name, BEAM),
            ),
        ),
        settings={"num_beams": 20},
    )


SCALES: dict[str, Scale] = {scale.name: scale for scale in (_laptop(), _paper())}
