"""The search inside `model.generate`: formulas obeyed, the caller's arguments honoured."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers as hf
from transformers import LogitsProcessorList, StoppingCriteriaList

import neurologic as nl
from integrations.huggingface.tiny import (
    LIMIT,
    TEXTS,
    Ban,
    generate,
    inputs_of,
    transitions,
    written,
)
from neurologic.errors import UnsatisfiedWarning


def test_every_input_has_its_own_formula_in_a_left_padded_batch(pair: tuple[Any, Any]) -> None:
    formulas = ["shells & !sea", "dog | fox", None]
    sequences = generate(pair, custom_generate=nl.decoder(pair[1], formulas))
    texts = written(pair, sequences)
    for text, formula in zip(texts, formulas, strict=True):
        if formula is not None:
            assert all(report.satisfied for report in nl.check(formula, text))
    # And alone each text is the same.
    for given, formula, text in zip(TEXTS, formulas, texts, strict=True):
        alone = generate(pair, [given], custom_generate=nl.decoder(pair[1], formula))
        assert written(pair, alone, [given]) == [text]


def test_the_text_is_the_one_that_lm_generate_writes(pair: tuple[Any, Any]) -> None:
    model, tokenizer = pair
    lm = nl.wrap(model, tokenizer)
    sequences = generate(pair, custom_generate=nl.decoder(tokenizer, "dog & run"))
    results = lm.generate(TEXTS, "dog & run", raw=True, num_beams=4, max_new_tokens=LIMIT)
    assert [text.strip() for text in written(pair, sequences)] == [result.text.strip() for result in results]


def test_results_and_scores_come_with_the_output(pair: tuple[Any, Any]) -> None:
    output = generate(
        pair,
        custom_generate=nl.decoder(pair[1], "dog & !cat"),
        return_dict_in_generate=True,
        output_scores=True,
        num_return_sequences=2,
    )
    assert isinstance(
        output,
        hf.generation.utils.GenerateBeamDecoderOnlyOutput
        | hf.generation.utils.GenerateBeamEncoderDecoderOutput,
    )
    assert output.sequences.shape[0] == output.beam_indices.shape[0] == 2 * len(TEXTS)
    assert [result.satisfied for result in output.results] == [True] * len(TEXTS)
    lengths = (output.beam_indices >= 0).sum(-1)
    # The forced last token of BART has probability 1 there, as in Hugging Face.
    torch.testing.assert_close(
        transitions(pair, output).sum(-1) / lengths, output.sequences_scores, atol=1e-4, rtol=0
    )
    best = output.sequences[::2]
    assert [text.strip() for text in written(pair, best)] == [one.text.strip() for one in output.results]


def test_padding_on_the_wrong_side_does_no_harm(causal: tuple[Any, Any]) -> None:
    model, tokenizer = causal
    right = inputs_of(tokenizer)
    lengths = right["attention_mask"].sum(-1)
    for row, length in enumerate(lengths.tolist()):
        for name in right:
            right[name][row] = right[name][row].roll(length)
    custom = nl.decoder(tokenizer, "dog & run")
    sequences = model.generate(
        **right, custom_generate=custom, num_beams=4, max_new_tokens=LIMIT, do_sample=False
    )
    assert written(causal, sequences) == written(causal, generate(causal, custom_generate=custom))


def test_a_batch_that_is_padded_throughout(causal: tuple[Any, Any]) -> None:
    """No prompt fills the width; processors that count on it, such as a forced end, still work."""
    model, tokenizer = causal
    plain = inputs_of(tokenizer, ["The dog"])
    wide = {name: torch.nn.functional.pad(value, (3, 0)) for name, value in plain.items()}
    knobs: dict[str, Any] = {
        "custom_generate": nl.decoder(tokenizer, "run"),
        "num_beams": 3,
        "max_new_tokens": 6,
        "do_sample": False,
        "forced_eos_token_id": 0,
    }
    expected = model.generate(**plain, **knobs)[0].tolist()
    assert model.generate(**wide, **knobs)[0].tolist() == [0, 0, 0, *expected]
    assert 0 in expected


def test_a_phrase_in_the_prompt_does_not_count(causal: tuple[Any, Any]) -> None:
    sequences = generate(causal, ["The dog"], custom_generate=nl.decoder(causal[1], "dog"))
    assert "dog" in written(causal, sequences, ["The dog"])[0].lower()


def test_the_beginning_may_not_complete_the_prompts_last_word(causal: tuple[Any, Any]) -> None:
    """After "sun" the text "s" says nothing about "s": the word is "suns"."""
    _, tokenizer = causal
    output = generate(
        causal,
        ["sun"],
        custom_generate=nl.decoder(tokenizer, "s"),
        return_dict_in_generate=True,
        max_new_tokens=8,
    )
    assert nl.occurs("s", output.results[0].text, before="sun")


def test_the_callers_ban_wins_and_is_named_where_it_breaks_the_guarantee(causal: tuple[Any, Any]) -> None:
    _, tokenizer = causal
    letters = [token for token in range(len(tokenizer)) if "g" in tokenizer.decode([token])]
    with pytest.warns(UnsatisfiedWarning, match=r"unmet: dog .*Ban forbade"):
        sequences = generate(
            causal,
            ["The"],
            custom_generate=nl.decoder(tokenizer, "dog"),
            logits_processor=LogitsProcessorList([Ban(letters, rows=4)]),
        )
    assert not set(letters) & set(sequences[0].tolist())


def test_a_stopping_criterion_cannot_end_a_text_that_owes(causal: tuple[Any, Any]) -> None:
    class AtOnce(hf.StoppingCriteria):
        def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
            return torch.ones(len(input_ids), dtype=torch.bool)

    criteria = StoppingCriteriaList([AtOnce()])
    free = generate(causal, ["The"], custom_generate=nl.decoder(causal[1]), stopping_criteria=criteria)
    owing = generate(
        causal, ["The"], custom_generate=nl.decoder(causal[1], "dog"), stopping_criteria=criteria
    )
    assert free.shape[1] == inputs_of(causal[1], ["The"])["input_ids"].shape[1] + 1
    assert nl.check("dog", written(causal, owing, ["The"])[0])[0].satisfied


def test_n_gram_blocking_looks_at_the_prompt_but_not_at_wanted_phrases(causal: tuple[Any, Any]) -> None:
    prompt = "the dog the dog runs the dog"
    sequences = generate(
        causal, [prompt], custom_generate=nl.decoder(causal[1], '"the dog"'), no_repeat_ngram_size=2
    )
    assert nl.occurs("the dog", written(causal, sequences, [prompt])[0])


def test_settings_without_a_name_in_hugging_face_go_to_the_decoder(causal: tuple[Any, Any]) -> None:
    custom = nl.decoder(causal[1], "dog", alpha=5, lambda_=0.0, reserve=0.0)
    late = written(causal, generate(causal, ["The"], custom_generate=custom), ["The"])[0]
    assert nl.occurs("dog", late)
    with pytest.raises(ValueError, match="look_ahead has no effect"):
        generate(causal, ["The"], custom_generate=nl.decoder(causal[1], "dog", look_ahead=3))


@pytest.mark.parametrize("decoder", ["neurologic", "astar", "gbs", "dba", "vdba", "cbs"])
def test_every_constrained_decoder_works_here(pair: tuple[Any, Any], decoder: str) -> None:
    output = generate(
        pair,
        custom_generate=nl.decoder(pair[1], "dog & run", decoder=decoder),
        return_dict_in_generate=True,
        output_scores=True,
    )
    assert all(result.satisfied for result in output.results)
    lengths = (output.beam_indices >= 0).sum(-1)
    torch.testing.assert_close(
        transitions(pair, output).sum(-1) / lengths, output.sequences_scores, atol=1e-4, rtol=0
    )


def test_drawing_follows_torchs_generator(pair: tuple[Any, Any]) -> None:
    custom = nl.decoder(pair[1], "dog")

    def draw(seed: int) -> list[list[int]]:
        hf.set_seed(seed)
        sequences: list[list[int]] = generate(
            pair, custom_generate=custom, do_sample=True, temperature=40.0, num_return_sequences=2
        ).tolist()
        return sequences

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)
    for row in draw(3):
        assert "dog" in pair[1].decode(row).lower()


def test_several_drawn_texts_keep_their_scores_and_their_processors(pair: tuple[Any, Any]) -> None:
    model, tokenizer = pair
    hf.set_seed(5)
    allowed = list(range(4, 40))
    output = generate(
        pair,
        custom_generate=nl.decoder(tokenizer),
        do_sample=True,
        temperature=40.0,
        num_beams=3,
        num_return_sequences=3,
        prefix_allowed_tokens_fn=lambda batch, ids: allowed if batch == 1 else list(range(140)),
        return_dict_in_generate=True,
        output_scores=True,
    )
    assert output.sequences.shape[0] == 3 * len(TEXTS)
    lengths = (output.beam_indices >= 0).sum(-1)
    assert len(output.scores) == lengths.max()
    torch.testing.assert_close(
        transitions(pair, output).sum(-1) / lengths, output.sequences_scores, atol=1e-4, rtol=0
    )
    start = 1 if model.config.is_encoder_decoder else inputs_of(tokenizer)["input_ids"].shape[1]
    first = int(getattr(model.generation_config, "forced_bos_token_id", None) is not None)
    limit = start + LIMIT - int(model.generation_config.forced_eos_token_id is not None)
    own = output.sequences[3:6, start + first : limit].flatten().tolist()
    assert set(own) <= {*allowed, tokenizer.eos_token_id, tokenizer.pad_token_id}
    assert not set(output.sequences[:3, start:].flatten().tolist()) <= set(allowed)


@pytest.mark.parametrize(
    "answer", [lambda ids: ids.shape[1] >= 9, lambda ids: torch.tensor(ids.shape[1] >= 9)]
)
def test_criteria_may_give_one_answer_for_all_rows(causal: tuple[Any, Any], answer: Any) -> None:
    class Long(hf.StoppingCriteria):
        def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> Any:
            return answer(input_ids)

    width = inputs_of(causal[1], ["The"])["input_ids"].shape[1]
    criteria = StoppingCriteriaList([Long()])
    model, tokenizer = causal
    sequences = model.generate(
        **inputs_of(tokenizer, ["The"]),
        custom_generate=nl.decoder(tokenizer, "dog"),
        stopping_criteria=criteria,
        num_beams=1,
        do_sample=False,
        max_new_tokens=30,
    )
    assert sequences.shape[1] < width + 30


def test_stop_strings_end_the_text(causal: tuple[Any, Any]) -> None:
    plain = written(
        causal,
        generate(causal, ["The"], custom_generate=nl.decoder(causal[1], whole_sentences=False)),
        ["The"],
    )[0]
    stop = plain.strip()[1:3]
    custom = nl.decoder(causal[1], stop_strings=stop, whole_sentences=False)
    text = written(causal, generate(causal, ["The"], custom_generate=custom), ["The"])[0]
    assert stop in text
    assert len(text) < len(plain)
