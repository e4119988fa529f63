"""LoRA (Hu et al., ICLR 2022) with `peft`: small trainable matrices beside frozen weights.

Limits: all linear layers but the output's, alpha twice the rank, no dropout. LoRA saves memory and makes
checkpoints smaller; on a CPU it saves no time.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from neurologic.errors import ModelError
from neurologic.experiments.training.folder import TrainingError


def require_peft() -> None:
    """Raise `TrainingError` if peft is not installed."""
    if importlib.util.find_spec("peft") is None:
        raise TrainingError("LoRA needs the package peft: pip install 'neurologic-decoding[training]'")


def with_lora(model: Any, rank: int) -> Any:
    """Return the model with its weights frozen and trainable matrices of this rank beside them."""
    peft: Any = importlib.import_module("peft")
    kind = "SEQ_2_SEQ_LM" if model.config.is_encoder_decoder else "CAUSAL_LM"
    config = peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type=kind)
    try:
        return peft.get_peft_model(model, config)
    except (ValueError, TypeError) as error:  # layers of a kind that peft does not know
        raise ModelError(f"peft cannot put LoRA into {type(model).__name__}: {error}") from error
