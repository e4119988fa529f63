"""Models with random weights that learn a dozen sentences by heart in a few seconds, and these sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from neurologic.experiments.training import Pair
from tiny.models import save, tiny_model
from tiny.tokenizers import gpt2_like

SENTENCES = {
    "dog run field": "A dog runs across the field.",
    "cat sleep sofa": "The cat sleeps on the sofa.",
    "boy kick ball": "A boy kicks the ball.",
    "girl read book": "The girl reads a book.",
    "bird build nest": "A bird builds its nest.",
    "man row boat": "The man rows a boat.",
    "child dig sand": "A child digs in the sand.",
    "woman paint wall": "The woman paints a wall.",
}
PAIRS = [Pair(f"{words} =", sentence) for words, sentence in SENTENCES.items()]


def tiny_tokenizer() -> Any:
    """Byte-level BPE that knows the words of the sentences."""
    texts = [text for pair in PAIRS for text in (f"{pair.source} {pair.target}", f" {pair.target}")]
    tokenizer = gpt2_like().train_new_from_iterator(texts * 4, vocab_size=400, show_progress=False)
    tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def save_causal(folder: Path, **config: Any) -> Path:
    """A GPT-2: with dropout, so that the random numbers of a training matter."""
    tokenizer = tiny_tokenizer()
    end = tokenizer.eos_token_id
    sizes = {"n_embd": 48, "n_layer": 3, **config}
    model = tiny_model("GPT2LMHeadModel", tokenizer, eos_token_id=end, bos_token_id=end, **sizes)
    return save(model, tokenizer, folder)


def save_encoder_decoder(folder: Path) -> Path:
    """A T5 whose tokenizer ends every text, as T5's does."""
    from tokenizers.processors import TemplateProcessing

    tokenizer = tiny_tokenizer()
    end, name = tokenizer.eos_token_id, tokenizer.eos_token
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"$A {name}", special_tokens=[(name, end)]
    )
    model = tiny_model(
        "T5ForConditionalGeneration",
        tokenizer,
        eos_token_id=end,
        pad_token_id=end,
        decoder_start_token_id=end,
        dropout_rate=0.0,
        d_model=48,
        d_kv=12,
        d_ff=96,
    )
    return save(model, tokenizer, folder)


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    """The weights in a folder by their names."""
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")
