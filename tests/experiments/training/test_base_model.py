"""What is left of a model that was made shallower."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers as hf

from neurologic.experiments.training.base_model import make_shallower

KINDS = ["sliding_attention", "full_attention"] * 5


@pytest.fixture
def model() -> Any:
    torch.manual_seed(0)
    return hf.Gemma2ForCausalLM(
        hf.Gemma2Config(
            vocab_size=64,
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=10,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=8,
            layer_types=KINDS,
        )
    ).eval()


@pytest.mark.parametrize(
    ("layers", "kept"),
    [(10, range(10)), (7, [0, 1, 2, 3, 4, 8, 9]), (4, [0, 1, 8, 9]), (2, [0, 9]), (1, [0])],
)
def test_the_first_layers_and_the_last_fifth_stay(model, layers, kept):
    before = list(model.model.layers)
    make_shallower(model, layers)
    assert [before.index(layer) for layer in model.model.layers] == list(kept)
    assert model.config.num_hidden_layers == layers
    assert model.config.layer_types == [KINDS[place] for place in kept]


def test_it_generates_with_a_cache_as_without_one(model):
    make_shallower(model, 4)
    prompt = torch.tensor([[5, 6, 7]])
    texts = [
        model.generate(prompt, max_new_tokens=8, do_sample=False, use_cache=cached).tolist()
        for cached in (True, False)
    ]
    assert texts[0] == texts[1]
