"""Pipelines of transformers, and real models."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers as hf

import neurologic as nl
from integrations.huggingface.tiny import (
    LIMIT,
    TEXTS,
)


def test_a_text_generation_pipeline_obeys(causal: tuple[Any, Any]) -> None:
    model, tokenizer = causal
    pipe = hf.pipeline("text-generation", model=model, tokenizer=tokenizer)
    knobs: dict[str, Any] = {"num_beams": 4, "max_new_tokens": LIMIT, "do_sample": False}
    outputs = pipe(TEXTS, custom_generate=nl.decoder(tokenizer, "dog & run"), return_full_text=False, **knobs)
    assert len(outputs) == len(TEXTS)
    for output in outputs:
        assert all(report.satisfied for report in nl.check("dog & run", output[0]["generated_text"]))
    (whole,) = pipe(
        "The dog", custom_generate=nl.decoder(tokenizer, "run"), return_dict_in_generate=True, **knobs
    )
    assert nl.occurs("run", whole["generated_text"].removeprefix("The dog"))
    batched = pipe(
        TEXTS,
        batch_size=3,
        custom_generate=nl.decoder(tokenizer, ["dog", "sea", "fox"]),
        return_full_text=False,
        **knobs,
    )
    for output, word in zip(batched, ("dog", "sea", "fox"), strict=True):
        assert nl.occurs(word, output[0]["generated_text"])


@pytest.mark.real_model
def test_smollm2_in_a_chat_pipeline(smollm2: Any) -> None:
    pipe = hf.pipeline("text-generation", model=smollm2.model, tokenizer=smollm2.tokenizer)
    formula = 'inflect(dog) & (frisbee | "flying disc") & !park'
    (output,) = pipe(
        [[{"role": "user", "content": "Write one sentence about a dog that catches a frisbee."}]],
        custom_generate=nl.decoder(smollm2.tokenizer, formula),
        num_beams=2,
        max_new_tokens=20,
        do_sample=False,
    )
    answer = output[0]["generated_text"][-1]["content"]
    assert all(report.satisfied for report in nl.check(formula, answer)), answer


@pytest.mark.real_model
def test_marian_translates_with_a_required_term(marian: Any) -> None:
    source = "The company has to keep the records for ten years."
    inputs = marian.tokenizer([source], return_tensors="pt")
    knobs: dict[str, Any] = {"num_beams": 4, "max_new_tokens": 40}
    plain = marian.model.generate(**inputs, **knobs)
    same = marian.model.generate(
        **inputs, **knobs, custom_generate=nl.decoder(marian.tokenizer, decoder="beam")
    )
    assert torch.equal(plain, same)
    custom = nl.decoder(marian.tokenizer, '"l\'entreprise" & !société')
    (text,) = marian.tokenizer.batch_decode(
        marian.model.generate(**inputs, **knobs, custom_generate=custom), skip_special_tokens=True
    )
    assert nl.occurs("l'entreprise", text), text
