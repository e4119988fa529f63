"""The search inside `model.generate`: its arguments honoured, its shapes kept, every text judged."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
import torch
import transformers as hf
from transformers import LogitsProcessorList, StoppingCriteriaList

import neurologic as nl
from models.tiny_tokenizers import gpt2_like, t5_like
from neurologic.errors import ExpressivityError, ModelError, UnsatisfiedError, UnsatisfiedWarning

TEXTS = ["The dog", "She sells sea", "A fox"]
LIMIT = 12


def sharpened(model: Any) -> Any:
    """Random weights with clear preferences, so that near-ties are rare."""
    with torch.no_grad():
        model.get_output_embeddings().weight *= 2.5 if model.config.model_type == "t5" else 12.0
    return model.eval()


def tiny_gpt2(tokenizer: Any) -> Any:
    return hf.GPT2LMHeadModel(
        hf.GPT2Config(
            vocab_size=len(tokenizer),
            n_embd=32,
            n_layer=2,
            n_head=4,
            n_positions=64,
            bos_token_id=0,
            eos_token_id=0,
        )
    )


def tiny_llama(tokenizer: Any) -> Any:
    return hf.LlamaForCausalLM(
        hf.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            intermediate_size=48,
            bos_token_id=0,
            eos_token_id=0,
        )
    )


def tiny_bart(tokenizer: Any) -> Any:
    """With a forced first and last token, as BART, mBART and NLLB have them."""
    return hf.BartForConditionalGeneration(
        hf.BartConfig(
            vocab_size=len(tokenizer),
            d_model=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=48,
            decoder_ffn_dim=48,
            pad_token_id=0,
            bos_token_id=3,
            eos_token_id=1,
            decoder_start_token_id=1,
            forced_bos_token_id=3,
            forced_eos_token_id=1,
        )
    )


def tiny_t5(tokenizer: Any) -> Any:
    return hf.T5ForConditionalGeneration(
        hf.T5Config(
            vocab_size=len(tokenizer),
            d_model=32,
            d_kv=8,
            d_ff=48,
            num_layers=2,
            num_heads=4,
            decoder_start_token_id=0,
        )
    )


FAMILIES = {"gpt2": tiny_gpt2, "llama": tiny_llama, "bart": tiny_bart, "t5": tiny_t5}


@pytest.fixture(scope="module")
def byte_level() -> Any:
    tokenizer = gpt2_like()
    tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    return tokenizer


@pytest.fixture(scope="module", params=FAMILIES)
def pair(request: pytest.FixtureRequest, byte_level: Any) -> tuple[Any, Any]:
    """A model with its tokenizer."""
    tokenizer = t5_like() if request.param in ("bart", "t5") else byte_level
    torch.manual_seed(4)
    return sharpened(FAMILIES[request.param](tokenizer)), tokenizer


@pytest.fixture(scope="module")
def causal(byte_level: Any) -> tuple[Any, Any]:
    torch.manual_seed(4)
    return sharpened(tiny_llama(byte_level)), byte_level


def inputs_of(tokenizer: Any, texts: Sequence[str] = TEXTS) -> dict[str, torch.Tensor]:
    encoded = tokenizer(list(texts), return_tensors="pt", padding=True)
    return {"input_ids": encoded["input_ids"], "attention_mask": encoded["attention_mask"]}


def generate(pair: tuple[Any, Any], texts: Sequence[str] = TEXTS, **knobs: Any) -> Any:
    model, tokenizer = pair
    knobs = {"num_beams": 4, "max_new_tokens": LIMIT, "do_sample": False, **knobs}
    return model.generate(**inputs_of(tokenizer, texts), **knobs)


def written(pair: tuple[Any, Any], sequences: torch.Tensor, texts: Sequence[str] = TEXTS) -> list[str]:
    """The generated part of every sequence as text."""
    model, tokenizer = pair
    start = 1 if model.config.is_encoder_decoder else inputs_of(tokenizer, texts)["input_ids"].shape[1]
    return tokenizer.batch_decode(sequences[:, start:], skip_special_tokens=True)


class Ban(hf.LogitsProcessor):
    """A caller's own processor: forbids some tokens, and counts on rows of a fixed number."""

    def __init__(self, tokens: Sequence[int], rows: int) -> None:
        self.tokens = list(tokens)
        self.rows = rows

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        assert len(input_ids) == len(scores) == self.rows
        return scores.index_fill(-1, torch.tensor(self.tokens), -torch.inf)


class Even(hf.StoppingCriteria):
    """A caller's own criterion: ends a text with an even token, after some."""

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        return (input_ids[:, -1] % 2 == 0) & (input_ids.shape[1] > 8)


# -- the same as Hugging Face, where nothing is constrained --------------------------------------------


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"num_beams": 1, "num_return_sequences": 1},
        {"num_beams": 3, "num_return_sequences": 3},
        {"length_penalty": 0.0},
        {"length_penalty": 2.0, "early_stopping": True},
        {"length_penalty": -0.5, "early_stopping": "never"},
        {"min_new_tokens": 5},
        {"min_length": 9},
        {"no_repeat_ngram_size": 2},
        {"no_repeat_ngram_size": 2, "min_new_tokens": 8, "renormalize_logits": True},
        {"repetition_penalty": 1.3, "bad_words_ids": [[40], [50, 60]]},
        {"suppress_tokens": [30, 31], "num_return_sequences": 2},
        {"prefix_allowed_tokens_fn": lambda batch, ids: list(range(batch % 2, 140, 2))},
        {"logits_processor": LogitsProcessorList([Ban([20, 21], rows=12)])},
        {"logits_processor": LogitsProcessorList([hf.NoRepeatNGramLogitsProcessor(2)])},
        {"logits_processor": LogitsProcessorList([hf.MinLengthLogitsProcessor(11, 0)])},
        {"stopping_criteria": StoppingCriteriaList([hf.MaxLengthCriteria(10)])},
        {"stopping_criteria": StoppingCriteriaList([Even()])},
    ],
    ids=lambda knobs: ",".join(knobs) or "plain",
)
def test_the_decoder_beam_returns_what_hugging_face_returns(
    pair: tuple[Any, Any], knobs: dict[str, Any]
) -> None:
    if knobs.get("num_beams") == 1:  # Hugging Face decodes greedily then, and returns no scores of texts
        ours = generate(pair, custom_generate=nl.decoder(pair[1], decoder="beam"), **knobs)
        assert torch.equal(ours, generate(pair, **knobs))
        return
    knobs = {**knobs, "return_dict_in_generate": True, "output_scores": True, "output_logits": True}
    theirs = generate(pair, **knobs)
    ours = generate(pair, custom_generate=nl.decoder(pair[1], decoder="beam"), **knobs)
    assert ours.sequences.tolist() == theirs.sequences.tolist()
    torch.testing.assert_close(ours.sequences_scores, theirs.sequences_scores, atol=1e-5, rtol=0)
    assert ours.beam_indices.tolist() == theirs.beam_indices[:, : ours.beam_indices.shape[1]].tolist()
    torch.testing.assert_close(transitions(pair, ours), transitions(pair, theirs), atol=1e-5, rtol=0)
    assert len(ours.scores) == len(theirs.scores)
    # What the search forbids itself (an end too early, an n-gram that repeats) is not marked in the scores.
    for mine, other in zip(
        (ours.scores[0], ours.logits[0]), (theirs.scores[0], theirs.logits[0]), strict=True
    ):
        assert mine.shape == other.shape
        both = mine.isfinite() & other.isfinite()
        assert both.sum() >= other.isfinite().sum()
        torch.testing.assert_close(mine[both], other[both], atol=1e-5, rtol=0)


def transitions(pair: tuple[Any, Any], output: Any) -> torch.Tensor:
    model, _ = pair
    steps: torch.Tensor = model.compute_transition_scores(
        output.sequences, output.scores, output.beam_indices, normalize_logits=False
    )
    return steps


# -- constraints -----------------------------------------------------------------------------------------


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


# -- arguments of the caller -------------------------------------------------------------------------------


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
    plain = written(causal, generate(causal, ["The"], custom_generate=nl.decoder(causal[1])), ["The"])[0]
    stop = plain.strip()[1:3]
    custom = nl.decoder(causal[1], stop_strings=stop)
    text = written(causal, generate(causal, ["The"], custom_generate=custom), ["The"])[0]
    assert stop in text
    assert len(text) < len(plain)


# -- what does not hold is said ------------------------------------------------------------------------------


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
            "output_attentions=True cannot",
        ),
        ({"output_hidden_states": True, "return_dict_in_generate": True}, ValueError, "output_hidden_states"),
        ({"do_sample": True, "typical_p": 0.5}, ValueError, "typical_p is not known"),
        ({"force_words_ids": [[40]]}, ValueError, "from_force_words"),
        ({"token_type_ids": torch.ones(3, 5, dtype=torch.long)}, (ModelError, ValueError), "token_type_ids"),
        ({"logits_processor": LogitsProcessorList([lambda ids, scores: scores[:, :3]])}, TypeError, "shape"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_honoured_is_refused(
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
    pair = (sharpened(tiny_t5(tokenizer)), tokenizer)
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
    torch.manual_seed(4)
    model = sharpened(tiny_llama(tokenizer))
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


# -- pipelines and real models -------------------------------------------------------------------------------


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
        num_beams=4,
        max_new_tokens=30,
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
