"""What a model reads, and on which tokens the loss is taken."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import transformers as hf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from experiments.training.tiny import PAIRS, SENTENCES, tiny_tokenizer
from neurologic.errors import ModelError
from neurologic.experiments.training.examples import IGNORED, Encoder
from neurologic.experiments.training.pairs import Pair
from neurologic.models.prompts import encode_prompt
from tiny.tokenizers import gpt2_like, llama2_like, t5_like


def model(is_encoder_decoder: bool = False, **config: Any) -> Any:
    """As much of a model as an encoder looks at."""
    return SimpleNamespace(
        config=SimpleNamespace(is_encoder_decoder=is_encoder_decoder, **config),
        generation_config=hf.GenerationConfig(),
    )


def causal(tokenizer: Any) -> Encoder:
    return Encoder(model(), tokenizer)


def learned(example: Any) -> list[int]:
    return [label for label in example.labels if label != IGNORED]


# -- causal models --------------------------------------------------------------------------------


def test_the_loss_covers_exactly_the_sentence_and_its_end():
    tokenizer = tiny_tokenizer()
    for pair, example in zip(PAIRS, causal(tokenizer)(PAIRS), strict=True):
        assert tokenizer.decode(example.input_ids) == f"{pair.source} {pair.target}{tokenizer.eos_token}"
        assert tokenizer.decode(learned(example)) == f" {pair.target}{tokenizer.eos_token}"
        masked = [label == IGNORED for label in example.labels]
        assert masked == sorted(masked, reverse=True)  # the source comes first, and nothing of it later
        for token, label in zip(example.input_ids, example.labels, strict=True):
            assert label in (IGNORED, token)


@pytest.mark.parametrize("make", [gpt2_like, llama2_like, t5_like])
def test_the_source_is_read_as_generate_reads_a_raw_prompt(make):
    tokenizer = make()
    for pair, example in zip(PAIRS, causal(tokenizer)(PAIRS), strict=True):
        prompt = encode_prompt(tokenizer, pair.source, raw=True).ids
        assert example.input_ids[: len(prompt)] == prompt
        assert set(example.labels[: len(prompt)]) == {IGNORED}
        assert IGNORED not in example.labels[len(prompt) :]


def test_a_begin_token_is_read_and_not_learned():
    from tokenizers.processors import TemplateProcessing

    tokenizer = tiny_tokenizer()
    tokenizer.add_special_tokens({"bos_token": "<s>"})
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", tokenizer.bos_token_id)]
    )
    for adapt in (False, True):
        (example,) = causal(tokenizer)(PAIRS[:1], adapt=adapt)
        assert example.input_ids[0] == tokenizer.bos_token_id
        assert example.labels[0] == IGNORED
        assert tokenizer.bos_token_id not in example.input_ids[1:]


def test_a_target_whose_first_token_would_swallow_the_end_of_the_source_is_cut_apart():
    """The tokenizer has "= A" in one piece, which a text that continues "=" can never have."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("=", "Ġ"), ("=Ġ", "A")]
    pieces = [*alphabet, *("".join(merge) for merge in merges), "<end>"]
    tokenizer = Tokenizer(models.BPE({piece: place for place, piece in enumerate(pieces)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    wrapped = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")
    assert "=ĠA" in wrapped.tokenize("x = A dog")

    (example,) = causal(wrapped)([Pair("x =", "A dog")])
    prompt = encode_prompt(wrapped, "x =", raw=True).ids
    assert example.input_ids[: len(prompt)] == prompt
    assert wrapped.decode(learned(example)) == " A dog<end>"


def test_adaptation_leaves_the_source_out():
    tokenizer = tiny_tokenizer()
    for pair, example in zip(PAIRS, causal(tokenizer)(PAIRS, adapt=True), strict=True):
        assert tokenizer.decode(example.input_ids) == pair.target + tokenizer.eos_token
        assert example.labels == example.input_ids


def test_line_breaks_in_a_target_become_spaces():
    tokenizer = tiny_tokenizer()
    examples = causal(tokenizer)([Pair("dog =", "A dog\n runs. "), Pair("dog =", "A dog runs.")])
    assert examples[0] == examples[1]


def test_no_pairs_no_examples():
    assert causal(tiny_tokenizer())([]) == []


# -- encoder–decoders -----------------------------------------------------------------------------


def test_an_encoder_decoder_reads_the_source_and_writes_the_target():
    tokenizer = tiny_tokenizer()
    encode = Encoder(model(True, decoder_start_token_id=None), tokenizer)
    for pair, example in zip(PAIRS, encode(PAIRS), strict=True):
        assert tokenizer.decode(example.input_ids) == pair.source
        assert tokenizer.decode(example.labels) == pair.target + tokenizer.eos_token


def test_adaptation_of_an_encoder_decoder_reads_nothing():
    tokenizer = tiny_tokenizer()
    encode = Encoder(model(True, decoder_start_token_id=None), tokenizer)
    assert {example.input_ids for example in encode(PAIRS, adapt=True)} == {(tokenizer.eos_token_id,)}


def test_a_start_token_that_the_decoder_has_is_not_learned(bert_tokenizer):
    bert_tokenizer.eos_token = bert_tokenizer.sep_token
    encode = Encoder(model(True, decoder_start_token_id=bert_tokenizer.cls_token_id), bert_tokenizer)
    (example,) = encode([Pair("dog =", "a dog")])
    assert bert_tokenizer.convert_ids_to_tokens(example.labels) == ["a", "dog", "[SEP]"]


# -- ends of text ---------------------------------------------------------------------------------


def test_the_generation_config_may_name_the_end():
    tokenizer = tiny_tokenizer()
    tokenizer.eos_token = None
    ending = model()
    ending.generation_config.eos_token_id = [7, 8]
    assert Encoder(ending, tokenizer).end_id == 7


def test_a_model_that_cannot_end_is_refused():
    tokenizer = tiny_tokenizer()
    tokenizer.eos_token = None
    with pytest.raises(ModelError, match="learn where to stop"):
        causal(tokenizer)


# -- the default model ----------------------------------------------------------------------------


def test_the_default_models_tokens(smollm2_tokenizer):
    words = "field look stand"
    (example,) = causal(smollm2_tokenizer)([Pair(f"{words} =", "The player stood in the field.")])
    pieces = [smollm2_tokenizer.decode(token) for token in example.input_ids]
    assert pieces[:5] == ["field", " look", " stand", " =", " The"]
    assert pieces[-2:] == [".", "<|im_end|>"]
    assert example.labels[:4] == (IGNORED,) * 4
    assert example.labels[4:] == example.input_ids[4:]
    assert len(SENTENCES) == len(PAIRS)
