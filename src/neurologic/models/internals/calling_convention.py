"""Find out how to call a model of transformers, from its forward pass, cache and embeddings."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedModel
from transformers.cache_utils import (
    DynamicLayer,
    DynamicSlidingWindowLayer,
    LinearAttentionAndFullAttentionLayer,
    LinearAttentionAndSlidingWindowAttentionLayer,
    LinearAttentionLayer,
)

from neurologic.models.internals.caches import can_move_rows, new_cache, own_layers

# These models use distances only (ALiBi), made from the attention mask, so padding needs no positions.
_DISTANCES_ONLY = {"bloom", "mpt"}

# Caches that ignore padding if the model passes its mask on.
_PADDABLE = {
    DynamicLayer,
    DynamicSlidingWindowLayer,
    LinearAttentionLayer,
    LinearAttentionAndFullAttentionLayer,
    LinearAttentionAndSlidingWindowAttentionLayer,
}


def forward_parameters(model: Any) -> frozenset[str]:
    """Return the names of the arguments that a model's forward pass takes."""
    return frozenset(inspect.signature(model.forward).parameters)


def cache_argument(model: Any) -> str | None:
    """Return the name under which a model takes its cache (Mamba calls it `cache_params`)."""
    accepted = forward_parameters(model)
    return next((name for name in ("past_key_values", "cache_params") if name in accepted), None)


def last_logits_only(model: Any) -> dict[str, int]:
    """Return the argument that limits the logits to the last position, if the model supports one."""
    accepted = forward_parameters(model)
    return next(({name: 1} for name in ("logits_to_keep", "num_logits_to_keep") if name in accepted), {})


@dataclass(frozen=True)
class CausalConvention:
    """How to call a causal model.

    cache_argument    the name of its cache; None if the rows of its cache cannot be moved, so that every step
                      runs the whole text
    recurrent         whether its cache is a state instead of keys and values per position
    takes_positions   whether it takes position ids
    first_position    the first position id
    can_pad           whether padding on the left leaves the scores unchanged
    last_logits_only  the argument that limits the logits to the last position
    whole_text        further arguments if every step runs the whole text
    """

    cache_argument: str | None
    recurrent: bool
    takes_positions: bool
    first_position: int
    can_pad: bool
    last_logits_only: dict[str, int]
    whole_text: dict[str, bool]


def causal_convention(model: Any) -> CausalConvention:
    """Return how to call this causal model, from its forward pass and the kind of its cache."""
    accepted = forward_parameters(model)
    argument = cache_argument(model) if can_move_rows(model) else None
    takes_positions = "position_ids" in accepted
    return CausalConvention(
        cache_argument=argument,
        recurrent=argument == "cache_params",
        takes_positions=takes_positions,
        first_position=first_position(model) if takes_positions else 0,
        can_pad=can_pad_prompts(model),
        last_logits_only=last_logits_only(model),
        whole_text={"use_cache": False} if argument is None and "use_cache" in accepted else {},
    )


def first_position(model: Any) -> int:
    """Return the first position id: RoBERTa's family leaves those up to the padding token's id free."""
    for name, module in model.named_modules():
        free = getattr(module, "padding_idx", None)
        if name.endswith("embeddings.position_embeddings") and free is not None:
            return int(free) + 1
    return 0


def can_pad_prompts(model: Any) -> bool:
    """Return whether prompts of different lengths can share a batch of a causal model.

    If in doubt, return False, which only costs time: for code from outside of transformers, and for kinds of
    cache that may count padding (DeepSeek-V3.2 attends to a fixed number of best columns).
    """
    kind, accepted = model.config.model_type, forward_parameters(model)
    if not _is_known(model) or not can_move_rows(model):
        return False
    if not all(type(layer) in _PADDABLE for layer in own_layers(new_cache(model))):
        return False
    knows_places = "position_ids" in accepted or "cache_params" in accepted or kind in _DISTANCES_ONLY
    return knows_places and "attention_mask" in accepted


def can_pad_inputs(model: Any) -> bool:
    """Return whether inputs of different lengths can share a batch of an encoder–decoder model."""
    return _is_known(model)


def _is_known(model: Any) -> bool:
    """Return whether the code is transformers' own, looking through wrappers (PEFT, torch.compile)."""
    kind = type(model) if isinstance(model, PreTrainedModel) else type(model.config)
    return kind.__module__.startswith("transformers.")


def input_device(model: Any) -> torch.device:
    """Return the device of a model's token ids and scores: the one that runs its input embeddings.

    The weights may be elsewhere: accelerate fetches weights from a disk when it needs them.
    """
    embeddings = model.get_input_embeddings() if hasattr(model, "get_input_embeddings") else None
    hook = getattr(embeddings, "_hf_hook", None)
    for part in (hook, *getattr(hook, "hooks", ())):
        device = getattr(part, "execution_device", None)
        if device is not None:
            return torch.device(device)
    return model.device


def logits_size(model: Any) -> int:
    """Return how many tokens the model scores: the rows of its output layer, padding included."""
    output = model.get_output_embeddings()
    weight = getattr(output, "weight", None)
    if weight is not None and weight.dim() == 2 and not getattr(model, "is_quantized", False):
        return int(weight.shape[0])
    return int(model.config.get_text_config(decoder=True).vocab_size)
