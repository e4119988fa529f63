"""A Llama with random weights and a context that is long enough for every scenario."""

from __future__ import annotations

from pathlib import Path

from neurologic.experiments.bench.inputs import CONCEPTS, STORY
from tiny.models import save, tiny_model
from tiny.tokenizers import gpt2_like


def save_tiny_model(folder: Path) -> Path:
    """Its tokenizer knows the words of the scenarios, so that short texts can satisfy all formulas."""
    words = [f"a {word} {word}" for concepts in CONCEPTS for word in concepts]
    tokenizer = gpt2_like().train_new_from_iterator(
        [*STORY, *words * 4], vocab_size=2_000, show_progress=False
    )
    model = tiny_model(
        "LlamaForCausalLM",
        tokenizer,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=2048,
        initializer_range=0.5,  # distributions with some shape, as a trained model has them
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    return save(model, tokenizer, folder)
