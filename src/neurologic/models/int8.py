"""Linear layers with weights of 8 bits, multiplied as whole numbers: several times faster than float32 on a CPU.

A layer's weights become whole numbers from -127 to 127 times a scale per output. Its input is rounded for each
row alone, so that the scores of a text never depend on its neighbours in a batch: to one digit of 8 bits, or,
where one is too coarse, to two, the second of which counts what the first has left. Some models (Llama's family)
have a few inputs so large that one digit leaves nothing of the others; `quantise` tries with a short text and
gives two digits to the layers that need them. All sums are exact, so that only rounding separates a layer from float32.

Limits: CPU, linear layers only; embeddings, norms and attention stay in float32, and so does a layer whose
weights are too few to pay. A quantised model cannot be trained.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

from neurologic.models.amx import avoid_amx

Layer = nn.Linear | Conv1D  # GPT-2 has the latter: the same with the weights turned round

# A layer with fewer weights than this is as fast in float32.
FEWEST_WEIGHTS = 1 << 16
# How far the outputs of a layer may be from float32 because of its rounded input, as a fraction of their size.
# An input without outliers has 0.01.
COARSEST = 0.03

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
            sums = torch._int_mm(scaled.round_().to(torch.int8), self.columns).mul(self.scale)
        else:
            first = scaled.round()
            rest = scaled.sub_(first).mul_(_FINER).round_()
            both = torch._int_mm(torch.cat([first, rest]).to(torch.int8), self.columns)
            sums = both[len(rows) :].div(_FINER).add_(both[: len(rows)]).mul_(self.scale)
        outputs = sums.mul_(step) if self.bias is None else torch.addcmul(self.bias, sums, step)
        return outputs.to(inputs.dtype).view(*inputs.shape[:-1], self.out_features)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, digits={self.digits}"


def step_of(rows: torch.Tensor) -> torch.Tensor:
    """Return what 1 stands for in the rounded rows, so that the largest input of each is 127: [rows, 1]."""
    largest = torch.linalg.vector_norm(rows, torch.inf, dim=1, keepdim=True)
    return largest.div_(_LARGEST).clamp_(min=_TINY)


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


def quantise(model: Any, trial: Callable[[], Any]) -> None:
    """Replace the linear layers of a model; `trial` runs it on a text."""
    layers = dict(linear_layers(model))
    coarse = coarse_layers(layers, trial)
    for name, layer in layers.items():
        parent, _, own_name = name.rpartition(".")
        setattr(model.get_submodule(parent), own_name, Int8Linear(layer, 2 if name in coarse else 1))


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


def coarse_layers(layers: Mapping[str, Layer], trial: Callable[[], Any]) -> set[str]:
    """Return the layers for whose inputs one digit is too coarse in a trial."""
    worst: dict[str, float] = {}

    def watch(name: str, layer: Layer, inputs: tuple[torch.Tensor, ...], _: torch.Tensor) -> None:
        weight = weight_of(layer).float()
        rows = inputs[0].reshape(-1, weight.shape[1]).float()
        step = step_of(rows)
        error = (rows / step).round().mul(step).sub_(rows)
        lost, whole = ((part @ weight.t()).norm(dim=1) for part in (error, rows))
        worst[name] = max(worst.get(name, 0.0), float((lost / whole.clamp_(min=_TINY)).max()))

    hooks = [layer.register_forward_hook(functools.partial(watch, name)) for name, layer in layers.items()]
    try:
        with torch.inference_mode():
            trial()
    finally:
        for hook in hooks:
            hook.remove()
    return {name for name, error in worst.items() if error > COARSEST}
