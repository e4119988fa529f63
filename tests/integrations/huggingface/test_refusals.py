"""What does not hold, or is not supported inside `model.generate`, is said."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import pytest
import torch
from transformers import LogitsProcessorList

import neurologic as nl
from integrations.huggingface.tiny import (
    generate,
    inputs_of,
    sharp_model,
)
from neurologic.errors import ExpressivityError, ModelError, UnsatisfiedError, UnsatisfiedWarning
from tiny.tokenizers import t5_like


def test_an_unmet_clause_warns_or_raises(causal: tuple[Any, Any]) -> None:
    long = "jackdaw & zebra & umbrella"
    with pytest.warns(UnsatisfiedWarning, match="input 1: unmet"):
        generate(causal, ["The", "A"], custom_generate=nl.decoder(causal[1], [None, long]), max_new_tokens=6)
    with pytest.raises(UnsatisfiedError, match="unmet"):
        generate(
            causal,
            ["The"],
            custom_generate=nl.decoder(causal[1], long, on_unsatisfied="raise"),
            max_new_tokens=6,
        )


def test_nothing_is_warned_of_where_all_holds(causal: tuple[Any, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsatisfiedWarning)
        generate(causal, custom_generate=nl.decoder(causal[1], "dog"))


@pytest.mark.parametrize(
    ("knobs", "error", "says"),
    [
        (
            {"output_attentions": True, "return_dict_in_generate": True},
            ValueError,
            "does not support output_attentions=True",
        ),
        ({"output_hidden_states": True, "return_dict_in_generate": True}, ValueError, "output_hidden_states"),
        ({"do_sample": True, "typical_p": 0.5}, ValueError, "typical_p is not known"),
        ({"force_words_ids": [[40]]}, ValueError, "from_force_words"),
        ({"token_type_ids": torch.ones(3, 5, dtype=torch.long)}, (ModelError, ValueError), "token_type_ids"),
        ({"logits_processor": LogitsProcessorList([lambda ids, scores: scores[:, :3]])}, TypeError, "shape"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_is_not_supported_is_refused(
    causal: tuple[Any, Any], knobs: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        generate(causal, custom_generate=nl.decoder(causal[1], "dog"), **knobs)


def test_inputs_that_cannot_be_passed_on_are_refused(causal: tuple[Any, Any]) -> None:
    model, tokenizer = causal
    custom = nl.decoder(tokenizer, "dog")
    inputs = inputs_of(tokenizer, ["The dog"])
    cache = model(**inputs, use_cache=True).past_key_values
    with pytest.raises(ModelError, match="cache that holds a prompt"):
        model.generate(**inputs, past_key_values=cache, custom_generate=custom, num_beams=1, max_new_tokens=4)
    embedded = model.get_input_embeddings()(inputs["input_ids"])
    with pytest.raises(ModelError, match="inputs_embeds"):
        model.generate(inputs_embeds=embedded, custom_generate=custom, num_beams=2, max_new_tokens=4)


def test_training_with_checkpoints_is_refused(causal: tuple[Any, Any]) -> None:
    model, tokenizer = causal
    model.gradient_checkpointing_enable()
    model.train()
    try:
        with pytest.raises(ModelError, match=r"model\.eval"):
            generate(causal, custom_generate=nl.decoder(tokenizer, "dog"))
    finally:
        model.gradient_checkpointing_disable()
        model.eval()


def test_a_first_token_that_is_text_is_refused_under_a_formula(byte_level: Any) -> None:
    tokenizer = t5_like()
    pair = (sharp_model("t5", tokenizer), tokenizer)
    dog = tokenizer.convert_tokens_to_ids("▁dog")
    assert dog != tokenizer.unk_token_id
    with pytest.raises(ModelError, match="token of text"):
        generate(pair, custom_generate=nl.decoder(tokenizer, "!dog"), forced_bos_token_id=dog)
    generate(pair, custom_generate=nl.decoder(tokenizer, decoder="beam"), forced_bos_token_id=dog)


def test_a_decoder_can_be_copied_and_sent(causal: tuple[Any, Any]) -> None:
    custom = nl.decoder(causal[1], "dog & run")
    expected = generate(causal, custom_generate=custom)
    for other in (copy.deepcopy(custom), pickle.loads(pickle.dumps(custom))):
        assert torch.equal(generate(causal, custom_generate=other), expected)


def test_a_vocabulary_that_grows_is_read_again(byte_level: Any) -> None:
    tokenizer = copy.deepcopy(byte_level)
    model = sharp_model("llama", tokenizer)
    custom = nl.decoder(tokenizer, "zebra")
    generate((model, tokenizer), ["The"], custom_generate=custom)
    tokenizer.add_tokens([" zebra"])
    model.resize_token_embeddings(len(tokenizer))
    sequences = generate((model, tokenizer), ["The"], custom_generate=custom)
    assert nl.occurs("zebra", tokenizer.decode(sequences[0]))


def test_decoders_that_do_not_draw_say_so(causal: tuple[Any, Any]) -> None:
    custom = nl.decoder(causal[1], "dog", decoder="dba")
    with pytest.warns(UserWarning, match="do_sample has no effect on the decoder dba"):
        generate(causal, ["The"], custom_generate=custom, do_sample=True)
    with pytest.raises(ValueError, match="dba does not draw"):
        generate(causal, ["The"], custom_generate=custom, do_sample=True, num_beams=1, num_return_sequences=2)


def test_mistakes_are_named_when_the_decoder_is_made(causal: tuple[Any, Any]) -> None:
    tokenizer = causal[1]
    for wrong in ("dog &", ["dog &", None]):
        with pytest.raises(nl.NeurologicError, match="expected"):
            nl.decoder(tokenizer, wrong)
    with pytest.raises(TypeError, match="the formula itself"):
        nl.decoder(tokenizer, nl.wrap(*causal).compile("dog"))
    with pytest.raises(TypeError, match="tokenizer first"):
        nl.decoder("gpt2", "dog")
    with pytest.raises(ValueError, match=r"num_beams goes to model.generate"):
        nl.decoder(tokenizer, "dog", num_beams=4)
    with pytest.raises(ValueError, match="edits whole sentences"):
        nl.decoder(tokenizer, "dog", decoder="cgmh")
    with pytest.raises(ValueError, match="on_unsatisfied"):
        nl.decoder(tokenizer, "dog", on_unsatisfied="ignore")
    with pytest.raises(ValueError, match="3 inputs but 2 constraints"):
        generate(causal, custom_generate=nl.decoder(tokenizer, ["dog", "cat"]))
    with pytest.raises(ExpressivityError, match="cannot obey"):
        generate(causal, custom_generate=nl.decoder(tokenizer, "!dog", decoder="dba"))
