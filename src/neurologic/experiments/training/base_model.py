"""Load the model that a training starts from, in full precision; make it shallower or give it a LoRA."""

from __future__ import annotations

import importlib
from typing import Any

from torch.nn import ModuleList
from transformers import set_seed

import neurologic
from neurologic.errors import ModelError
from neurologic.experiments.training.settings import TrainingSettings


def load_base(settings: TrainingSettings, device: str | None, threads: int | None) -> tuple[Any, Any]:
    """Return the model to train and its tokenizer."""
    # Weights in half precision would lose small updates. A GPU still computes in half precision.
    lm = neurologic.load(settings.model, device=device, threads=threads, dtype="float32")
    model, tokenizer = lm.model, lm.tokenizer
    if not model.can_generate():
        raise ModelError(
            f"{type(model).__name__} is a masked model; training takes causal and encoder–decoder models"
        )
    if settings.layers is not None:
        make_shallower(model, settings.layers)
    if settings.lora is not None:
        set_seed(settings.seed)  # LoRA's matrices start from random numbers
        model = with_lora(model, settings.lora)
    return model, tokenizer


def with_lora(model: Any, rank: int) -> Any:
    """Return the model with its weights frozen and trainable matrices of this rank beside them.

    This is LoRA (Hu et al., ICLR 2022), with `peft`, in all linear layers but the output's, alpha twice the
    rank, no dropout. It saves memory and makes checkpoints smaller; on a CPU it saves no time.
    """
    peft: Any = importlib.import_module("peft")
    kind = "SEQ_2_SEQ_LM" if model.config.is_encoder_decoder else "CAUSAL_LM"
    config = peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type=kind)
    try:
        return peft.get_peft_model(model, config)
    except (ValueError, TypeError) as error:  # layers of a kind that peft does not know
        raise ModelError(f"peft cannot put LoRA into {type(model).__name__}: {error}") from error


def make_shallower(model: Any, layers: int) -> None:
    """Reduce a causal model to this number of layers: the first ones and the last fifth.

    The first layers read words and the last ones write them. A model loses least without those between, above
    all without the ones just before the last fifth (docs/experiments/training.md has figures). It needs
    training anyway.
    """
    config = model.config
    if config.is_encoder_decoder:
        raise ModelError("only causal models can be made shallower, not encoder–decoders")
    total = config.num_hidden_layers
    stacks = [part for part in model.modules() if isinstance(part, ModuleList) and len(part) == total]
    if layers > total or not stacks:
        raise ModelError(f"{type(model).__name__} has {total} layers; cannot keep {layers}")
    last = min(total // 5, layers - 1)
    del stacks[0][layers - last : total - last]
    for place, layer in enumerate(stacks[0]):
        for part in layer.modules():
            if hasattr(part, "layer_idx"):  # the place of its keys and values in the cache
                setattr(part, "layer_idx", place)  # noqa: B010  # an attribute would have a tensor's type
    config.num_hidden_layers = layers
    kinds = getattr(config, "layer_types", None)
    if kinds is not None:
        config.layer_types = [*kinds[: layers - last], *kinds[total - last :]]
