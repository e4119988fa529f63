"""Models with random weights that learn a dozen sentences by heart in a few seconds, and these sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers as hf

from models.tiny_tokenizers import gpt2_like
from neurologic.experiments.training import Pair

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

_SIZES = {
    "causal": {"n_embd": 48, "n_layer": 3, "n_head": 4, "n_positions": 64},
    "pair": {"d_model": 48, "d_kv": 12, "d_ff": 96, "num_layers": 2, "num_heads": 4},
}


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
    torch.manual_seed(0)
    sizes = {**_SIZES["causal"], **config}
    model = hf.GPT2LMHeadModel(
        hf.GPT2Config(vocab_size=len(tokenizer), eos_token_id=end, bos_token_id=end, **sizes)
    )
    return _save(model, tokenizer, folder)


def save_encoder_decoder(folder: Path) -> Path:
    """A T5 whose tokenizer ends every text, as T5's does."""
    from tokenizers.processors import TemplateProcessing

    tokenizer = tiny_tokenizer()
    end, name = tokenizer.eos_token_id, tokenizer.eos_token
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"$A {name}", special_tokens=[(name, end)]
    )
    torch.manual_seed(0)
    model = hf.T5ForConditionalGeneration(
        hf.T5Config(
            vocab_size=len(tokenizer),
            eos_token_id=end,
            pad_token_id=end,
            decoder_start_token_id=end,
            dropout_rate=0.0,
            **_SIZES["pair"],
        )
    )
    return _save(model, tokenizer, folder)


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    """The weights in a folder by their names."""
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def _save(model: Any, tokenizer: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
