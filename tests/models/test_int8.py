"""Layers of 8 bits: close to float32, rows independent of each other, two digits for outliers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

from models.test_loading import tiny_gpt2, tiny_t5
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models import int8
from neurologic.models.int8 import Int8Linear, divergence, is_quantised, multiplies_exactly
from neurologic.models.loading import LoadedModel, load
from tiny.tokenizers import gpt2_like, t5_like


@pytest.fixture(autouse=True)
def small_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers of the tiny models are worth it."""
    monkeypatch.setattr(int8, "FEWEST_WEIGHTS", 1)


def linear(inputs: int = 64, outputs: int = 48, *, bias: bool = True) -> nn.Linear:
    torch.manual_seed(1)
    return nn.Linear(inputs, outputs, bias=bias)


def rows_with_outlier(rows: int = 5, inputs: int = 64) -> torch.Tensor:
    torch.manual_seed(2)
    values = torch.randn(rows, inputs)
    values[:, 3] *= 300  # as some inputs in Llama's family
    return values


def layers_of(loaded: LoadedModel) -> list[Int8Linear]:
    return [module for module in loaded.model.modules() if isinstance(module, Int8Linear)]


def distance(layer: nn.Module, exact: nn.Module, rows: torch.Tensor) -> float:
    with torch.inference_mode():
        return float((layer(rows) - exact(rows)).norm() / exact(rows).norm())


@pytest.mark.parametrize("digits", [1, 2])
def test_outputs_are_what_the_rounded_numbers_give(digits: int) -> None:
    """Held to the same arithmetic in float64, number by number."""
    layer = linear()
    quantised = Int8Linear(layer, digits)
    rows = rows_with_outlier().double()
    step = rows.abs().amax(1, keepdim=True) / 127
    whole = (rows / step).round()
    if digits == 2:
        whole = whole + ((rows / step - whole) * 254).round() / 254
    scale = layer.weight.double().abs().amax(1, keepdim=True) / 127
    weights = (layer.weight.double() / scale).round() * scale
    expected = (whole * step) @ weights.t() + layer.bias.double()
    assert torch.allclose(quantised(rows.float()).double(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(64,), (3, 64), (2, 3, 64)])
def test_it_takes_the_shapes_of_a_linear_layer(shape: tuple[int, ...], bias: bool) -> None:
    layer = linear(bias=bias)
    torch.manual_seed(3)
    inputs = torch.randn(shape)
    outputs = Int8Linear(layer)(inputs)
    assert outputs.shape == layer(inputs).shape
    assert outputs.dtype == inputs.dtype
    assert distance(Int8Linear(layer), layer, inputs) < 0.02


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    rows = rows_with_outlier()
    for digits in (1, 2):
        layer = Int8Linear(linear(), digits)
        together = layer(rows)
        alone = torch.cat([layer(row[None]) for row in rows])
        assert torch.equal(together, alone)


def test_rows_of_zeros_give_the_bias() -> None:
    layer = linear()
    for digits in (1, 2):
        assert torch.equal(Int8Linear(layer, digits)(torch.zeros(2, 64)), layer.bias.expand(2, 48))


def test_two_digits_save_what_outliers_would_drown() -> None:
    layer, rows = linear(), rows_with_outlier()
    with torch.no_grad():
        layer.weight[:, 3] = 0  # so that the outputs are those of the other inputs
    one, two = (distance(Int8Linear(layer, digits), layer, rows) for digits in (1, 2))
    assert one > 0.3
    assert two < 0.02


def test_layers_of_gpt2_are_the_same_turned_round() -> None:
    layer = linear()
    turned = Conv1D(48, 64)
    with torch.no_grad():
        turned.weight.copy_(layer.weight.t())
        turned.bias.copy_(layer.bias)
    rows = rows_with_outlier()
    assert torch.equal(Int8Linear(turned)(rows), Int8Linear(layer)(rows))


@pytest.fixture(params=["causal", "encoder–decoder"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    make, tokens = (tiny_gpt2, gpt2_like) if request.param == "causal" else (tiny_t5, t5_like)
    tokenizer = tokens()
    make(tokenizer).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.skipif(not multiplies_exactly(), reason="this processor cannot multiply int8 exactly")
def test_a_model_loads_with_int8_and_obeys(folder: Path) -> None:
    exact, loaded = load(folder, device="cpu"), load(folder, device="cpu", dtype="int8")
    assert is_quantised(loaded.model)
    assert not is_quantised(exact.model)
    assert loaded.vocabulary.pieces == exact.vocabulary.pieces
    prompt = exact.encode("the dog")
    before, after = (model.start([prompt]).logits for model in (exact, loaded))
    assert 0 < (before - after).abs().max() < 0.05 * (before.max() - before.min())
    assert all(layer.digits == 1 for layer in layers_of(loaded))
    result = ConstrainedModel(loaded).generate("the dog", "she & !sea", num_beams=3, max_new_tokens=12)
    assert result.satisfied


def test_a_model_that_one_digit_changes_gets_two(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(int8, "FARTHEST", -1.0)
    assert all(layer.digits == 2 for layer in layers_of(load(folder, device="cpu", dtype="int8")))


def test_small_layers_stay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(int8, "FEWEST_WEIGHTS", 1 << 30)
    assert not is_quantised(load(folder, device="cpu", dtype="int8").model)


def test_divergence_is_that_of_the_distributions() -> None:
    exact = torch.tensor([[0.5, 0.25, 0.25, 0.0], [0.5, 0.5, 0.0, 0.0]]).log()
    other = torch.tensor([[0.25, 0.5, 0.25, 0.0], [0.5, 0.5, 0.0, 0.0]]).log()
    assert divergence(exact, exact) == 0
    assert divergence(exact + 3, other - 2) == pytest.approx(0.25 * torch.tensor(2.0).log().item() / 2)


@pytest.mark.real_model
def test_the_default_model_keeps_its_distribution() -> None:
    """One digit would move it by 0.07 nats; a weight rounded to 8 bits alone moves it by 0.005."""
    loaded = load("smollm2", device="cpu", dtype="int8")
    assert all(layer.digits == 2 for layer in layers_of(loaded))
    exact = load("smollm2", device="cpu")
    prompts = [exact.encode(text) for text in ("Write a sentence about a dog.", "Name three colours.")]
    assert divergence(exact.start(prompts).logits, loaded.start(prompts).logits) < 0.02
