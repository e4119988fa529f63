"""Models of several languages: the source is set on the tokenizer, the target is a forced first token.

A tiny mBART with mBART's own tokenizer over a vocabulary of some words and all letters.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import GenerationConfig, MBartConfig, MBartForConditionalGeneration, MBartTokenizer

from neurologic import wrap
from neurologic.generation.constrained_model import ConstrainedModel

WORDS = ("the", "a", "dog", "cat", "sees", "house", "le", "la", "chien", "chat", "voit", "maison")
START, PAD, END = 0, 1, 2


@pytest.fixture(scope="module")
def lm() -> ConstrainedModel:
    special = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -3.0)]
    words = [(f"▁{word}", -2.0 - number / 10) for number, word in enumerate(WORDS)]
    letters = [(letter, -6.0) for letter in "abcdefghijklmnopqrstuvwxyz"]
    tokenizer = MBartTokenizer(vocab=[*special, *words, *letters], src_lang="en_XX", tgt_lang="fr_XX")
    torch.manual_seed(0)
    sizes = {f"{side}_{name}": size for side in ("encoder", "decoder") for name, size in _SIZES.items()}
    model: Any = MBartForConditionalGeneration(
        MBartConfig(vocab_size=len(tokenizer), d_model=32, max_position_embeddings=64, **sizes)
    )
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.35)  # clear preferences, so that near-ties are rare
    model.generation_config = GenerationConfig(
        decoder_start_token_id=END, eos_token_id=END, pad_token_id=PAD, bos_token_id=START
    )
    return wrap(model, tokenizer)


_SIZES = {"layers": 2, "attention_heads": 2, "ffn_dim": 64}


def test_the_source_language_is_set_on_the_tokenizer(lm: ConstrainedModel) -> None:
    english = lm.tokenizer("the dog")["input_ids"]
    lm.tokenizer.src_lang = "de_DE"
    german = lm.tokenizer("the dog")["input_ids"]
    lm.tokenizer.src_lang = "en_XX"
    assert english[:-1] == german[:-1]
    assert lm.tokenizer.convert_ids_to_tokens([english[-1], german[-1]]) == ["en_XX", "de_DE"]


@pytest.mark.parametrize("language", ["fr_XX", "de_DE"])
@pytest.mark.parametrize(
    "settings",
    [
        {"length_penalty": 0.0},
        {"length_penalty": 2.0, "early_stopping": True},
        {"min_new_tokens": 6, "early_stopping": "never"},
        {"forced_eos_token_id": END},
    ],
    ids=str,
)
def test_beam_is_generates_with_a_forced_language(
    lm: ConstrainedModel, language: str, settings: dict[str, Any]
) -> None:
    forced = lm.tokenizer.convert_tokens_to_ids(language)
    settings = {"num_beams": 4, "max_new_tokens": 12, "forced_bos_token_id": forced, **settings}
    for source in ("the dog sees a house", "a cat"):
        ids = lm.tokenizer(source, return_tensors="pt")["input_ids"]
        start, first, *expected = lm.model.generate(ids, do_sample=False, **settings)[0].tolist()
        assert (start, first) == (END, forced)
        assert list(lm.generate(source, decoder="beam", **settings).tokens) == expected


def test_languages_give_different_texts_that_obey_and_never_show_the_language(lm: ConstrainedModel) -> None:
    texts = set()
    for language in ("fr_XX", "de_DE"):
        result = lm.generate(
            "the dog sees a house",
            "chat & maison & !chien",
            forced_bos_token_id=lm.tokenizer.convert_tokens_to_ids(language),
            max_new_tokens=16,
        )
        assert result.satisfied
        assert "_" not in result.text
        texts.add(result.text)
    assert len(texts) == 2
