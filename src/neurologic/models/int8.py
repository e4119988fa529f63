"""Multiply in linear layers with weights of 8 bits: on a CPU several times faster than in float32.

A layer's weights become whole numbers from -127 to 127 times a scale per output. Its input is rounded for
each row alone, so that the scores of a text never depend on its neighbours in a batch: to one digit of 8
bits, or to two, the second of which counts what the first has left. In some models (Llama's family) a few
inputs are so large that one digit leaves little of the others; `quantise` tries, and takes two digits where
one changes the scores too much. All sums are exact, so that only rounding separates a layer from float32.

Limits: CPU, linear layers only; embeddings, norms and attention stay in float32, and so does a layer whose
weights are too few to pay. A quantised model cannot be trained.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

from neurologic.models.amx import avoid_amx
from neurologic.models.base import EncodedPrompt, TextModel

Layer = nn.Linear | Conv1D  # GPT-2 has the latter: the same with the weights turned round

# A layer with fewer weights than this is as fast in float32.
FEWEST_WEIGHTS = 1 << 16
# How far one digit may move the scores of the trial: mean divergence in nats. Rounded weights alone cost some
# thousandths; the default model has 0.07 with one digit.
FARTHEST = 0.01

# Short texts for the trial, and how many tokens each goes on.
_TRIAL = (
    "On 3 May, Anna's dog ran 12 miles; nobody (not even she) knew why.",
    "The tenant shall return the keys to the landlord.",
    "It is raining again, and",
    "What is the capital of France?",
)
_TRIAL_TOKENS = 24
_TRIAL_STEPS = 3

_LARGEST = 127
_FINER = 254  # the second digit counts steps so many times smaller than the first
_TINY = 1e-30  # instead of a scale of 0, for rows of zeros


class Int8Linear(nn.Module):
    """A linear layer with weights of 8 bits.

    columns  the weights as whole numbers: int8 [inputs, outputs]
    scale    what a weight of 1 stands for: float32 [outputs]
    digits   how many digits of 8 bits an input has: 1 or 2
    """

    columns: torch.Tensor
    scale: torch.Tensor

    def __init__(self, layer: Layer, digits: int = 1) -> None:
        super().__init__()
        weight = weight_of(layer).float()
        self.out_features, self.in_features = weight.shape
        self.digits = digits
        scale = weight.abs().amax(dim=1).div_(_LARGEST).clamp_(min=_TINY)
        whole = weight.div(scale[:, None]).round_().to(torch.int8)
        self.register_buffer("columns", whole.t().contiguous())
        self.register_buffer("scale", scale)
        self.bias = None if layer.bias is None else nn.Parameter(layer.bias.detach().float(), False)

    @property
    def weight(self) -> torch.Tensor:
        """The weights as whole numbers, in the shape of those of `nn.Linear`: [outputs, inputs]."""
        return self.columns.t()

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        rows = inputs.reshape(-1, self.in_features).float()  # [rows, inputs]
        step = step_of(rows)  # [rows, 1]
        scaled = rows / step
        if self.digits == 1:
            sums = torch._int_mm(scaled.round_().to(torch.int8), self.columns).float()
        else:
            first = scaled.round()
            rest = scaled.sub_(first).mul_(_FINER).round_()
            both = torch._int_mm(torch.cat([first, rest]).to(torch.int8), self.columns).float()
            sums = both[: len(rows)].add_(both[len(rows) :], alpha=1 / _FINER)
        sums.mul_(self.scale)
        outputs = sums.mul_(step) if self.bias is None else torch.addcmul(self.bias, sums, step)
        return outputs.to(inputs.dtype).view(*inputs.shape[:-1], self.out_features)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, digits={self.digits}"


def step_of(rows: torch.Tensor) -> torch.Tensor:
    """Return what 1 stands for in the rounded rows, so that the largest input of each is 127: [rows, 1]."""
    # Faster than `vector_norm` and `aminmax`, which do not use the processor's vectors along rows.
    return rows.abs().amax(dim=1, keepdim=True).div_(_LARGEST).clamp_(min=_TINY)


def is_quantised(model: Any) -> bool:
    """Return whether some layers of a model are of 8 bits."""
    return any(isinstance(module, Int8Linear) for module in model.modules())


@functools.cache
def multiplies_exactly() -> bool:
    """Return whether products of int8 matrices are exact here: processors without VNNI may cut sums off."""
    avoid_amx()
    extremes = torch.full((64, 512), _LARGEST, dtype=torch.int8)
    extremes[1::2] = -_LARGEST
    expected = extremes.double() @ extremes.t().double()
    return bool((torch._int_mm(extremes, extremes.t().contiguous()) == expected).all())


def quantise(loaded: TextModel) -> None:
    """Replace the linear layers of a model, with as many digits as a trial shows to be needed."""
    model = loaded.model
    prompts = [loaded.encode(text, raw=not loaded.is_encoder_decoder) for text in _TRIAL]
    prompts = [replace(prompt, ids=prompt.ids[:_TRIAL_TOKENS]) for prompt in prompts]
    exact, tokens = _scores(loaded, prompts)
    layers = []
    for name, layer in list(linear_layers(model)):
        parent, _, own_name = name.rpartition(".")
        layers.append(Int8Linear(layer))
        setattr(model.get_submodule(parent), own_name, layers[-1])
    rounded, _ = _scores(loaded, prompts, tokens)
    if divergence(exact, rounded) > FARTHEST:
        for quantised in layers:
            quantised.digits = 2


def _scores(
    loaded: TextModel, prompts: Sequence[EncodedPrompt], tokens: Sequence[torch.Tensor] | None = None
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Go on from the prompts with the likeliest tokens, or with `tokens`; return scores and tokens."""
    decoding = loaded.start(prompts)
    scores, taken = [decoding.logits], []
    for step in range(_TRIAL_STEPS):
        taken.append(decoding.logits.argmax(dim=-1) if tokens is None else tokens[step])
        decoding.advance(torch.arange(len(prompts)), taken[-1])
        scores.append(decoding.logits)
    return torch.cat(scores), taken


def divergence(exact: torch.Tensor, other: torch.Tensor) -> float:
    """Return how far scores, [rows, tokens], are from exact ones as distributions: nats on average."""
    exact, other = exact.log_softmax(dim=-1), other.log_softmax(dim=-1)
    # A token that both forbid counts nothing.
    return float((exact.exp() * (exact - other)).nan_to_num().sum(dim=-1).mean())


def linear_layers(model: nn.Module) -> Iterator[tuple[str, Layer]]:
    """Yield the layers that are worth quantising by name; one that has several names only once."""
    for name, module in model.named_modules():
        # Subclasses do more than multiply.
        if type(module) in (nn.Linear, Conv1D) and module.weight.numel() >= FEWEST_WEIGHTS:
            yield name, module


def weight_of(layer: Layer) -> torch.Tensor:
    """Return the weights of a layer, [outputs, inputs]."""
    weight = layer.weight.detach()
    return weight.t() if isinstance(layer, Conv1D) else weight
