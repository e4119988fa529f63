"""Editing through the public API: what comes back, and what is refused."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import MaxTimeCriteria, MinLengthLogitsProcessor

import neurologic as nl
from decoders.editing.tiny import PROMPT, scorer_for, tiny_model
from neurologic.decoders.editing.cgmh import MetropolisHastings
from neurologic.decoders.editing.editing_engine import EditingEngine
from neurologic.decoders.editing.sentence import Sentence
from neurologic.decoders.registry import DECODERS
from neurologic.errors import BudgetError, ModelError, UnsatisfiedWarning
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.request import Request
from neurologic.logic import occurs, parse
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from neurologic.search.trace import Trace
from tiny.families import ENCODER_DECODER, make
from tiny.tokenizers import t5_like

EDITORS = [name for name, entry in DECODERS.items() if entry.edits]
FORMULA = 'dog & "quick brown"'


def edit(model: Any, editor: Any, given: SearchInput, **settings: Any) -> SearchOutput:
    engine = EditingEngine(model, editor)
    engine.admit([(0, replace(given, settings=SearchSettings(**settings)))])
    ((_, output),) = engine.step()
    return output


@pytest.fixture(scope="module")
def lm() -> ConstrainedModel:
    return ConstrainedModel(tiny_model())


def written(lm: ConstrainedModel, prompt: Any, formula: Any = FORMULA, **settings: Any) -> Any:
    given = {"decoder": "cgmh", "edit_steps": 12, "max_new_tokens": 20, "raw": True, **settings}
    return lm.generate(prompt, formula, **given)


def test_there_are_two_editing_methods() -> None:
    assert EDITORS == ["cgmh", "gradient"]


@pytest.mark.parametrize("decoder", EDITORS)
def test_a_result_is_what_the_model_says_of_its_text(lm: ConstrainedModel, decoder: str) -> None:
    result = written(lm, "The fox", decoder=decoder)
    assert result.satisfied
    assert result.ending == "end"
    assert occurs(nl.phrase("quick brown"), result.text)
    assert occurs(nl.phrase("dog"), result.text)
    *tokens, end = result.tokens
    assert end == lm.tokenizer.eos_token_id
    assert len(result.tokens) <= 20
    prompt = lm._loaded.encode("The fox", raw=True).ids
    with torch.no_grad():
        scores = torch.log_softmax(lm.model(torch.tensor([[*prompt, *tokens]])).logits[0], dim=-1)
    after_prompt = scores[len(prompt) - 1 :]
    logprob = float(after_prompt[range(len(result.tokens)), result.tokens].sum())
    assert result.logprob == pytest.approx(logprob, abs=1e-3)
    assert result.score == pytest.approx(logprob / len(result.tokens), abs=1e-4)


@pytest.mark.parametrize("decoder", EDITORS)
def test_editing_makes_the_keywords_likelier(lm: ConstrainedModel, decoder: str) -> None:
    model = lm._loaded
    one = SearchInput(PROMPT, compile_formula(parse(FORMULA), model.vocabulary))
    output = edit(model, DECODERS[decoder].load(), one, edit_steps=25, max_new_tokens=20)
    bare = scorer_for(model).score((), [model.vocabulary.segment(" dog quick brown")])[0]
    best = output.texts[0]
    assert best.score > bare.mean_logprob + math.log(2)  # the perplexity halves at least
    assert best.satisfied == 2
    assert best.present == 0b11
    assert output.calls > 25


@pytest.mark.parametrize("decoder", EDITORS)
def test_a_text_does_not_depend_on_its_company(lm: ConstrainedModel, decoder: str) -> None:
    prompts, formulas = ["The fox", "A very lazy sea", "I"], ["dog", 'run & "sea shells"', None]
    alone = [
        written(lm, prompt, formula, decoder=decoder)
        for prompt, formula in zip(prompts, formulas, strict=True)
    ]
    assert written(lm, prompts, formulas, decoder=decoder) == alone
    assert written(lm, prompts[::-1], formulas[::-1], decoder=decoder) == alone[::-1]


def test_every_text_is_given_out_when_it_is_done(lm: ConstrainedModel) -> None:
    asked: list[int] = []

    class Requests(list[Request]):
        def __iter__(self) -> Iterator[Request]:
            for number, one in enumerate(super().__iter__()):
                asked.append(number)
                yield one

    requests = Requests(Request(prompt, "dog", raw=True) for prompt in ("The fox", "A very lazy sea", "I"))
    results = lm.stream(requests, decoder="cgmh", edit_steps=2, max_new_tokens=12)
    assert "dog" in next(results).text
    assert asked == [0]
    assert len(list(results)) == 2


def test_the_seed_decides(lm: ConstrainedModel) -> None:
    def texts(seed: int) -> list[str]:
        result = written(lm, "The fox", edit_steps=30, seed=seed, num_return_sequences=4)
        return [one.text for one in (result, *result.others)]

    assert texts(1) == texts(1)
    assert len({tuple(texts(seed)) for seed in range(4)}) > 1


@pytest.mark.parametrize("decoder", EDITORS)
def test_several_texts_are_different_and_the_best_comes_first(lm: ConstrainedModel, decoder: str) -> None:
    result = written(lm, "The fox", decoder=decoder, num_return_sequences=3, edit_steps=60)
    texts = [result, *result.others]
    assert len({one.text for one in texts}) == 3
    assert [one.score for one in texts] == sorted((one.score for one in texts), reverse=True)
    assert all(one.satisfied for one in texts)


@pytest.mark.parametrize("decoder", EDITORS)
@pytest.mark.parametrize("formula", [None, "dog"])
def test_no_keywords_or_one_is_enough_to_start_from(
    lm: ConstrainedModel, decoder: str, formula: str | None
) -> None:
    result = written(lm, "The fox", formula, decoder=decoder)
    assert result.tokens[:-1]
    assert result.satisfied


@pytest.mark.parametrize("decoder", EDITORS)
def test_a_caller_in_inference_mode_is_served_as_well(lm: ConstrainedModel, decoder: str) -> None:
    expected = written(lm, "The fox", decoder=decoder, edit_steps=3)
    with torch.inference_mode():
        assert written(lm, "The fox", decoder=decoder, edit_steps=3) == expected


class Recorder:
    """An editor that changes nothing, and counts how often it is asked."""

    def __init__(self, last: int | None = None) -> None:
        self.asked = 0
        self.starts: list[Sentence] = []
        self.last = last

    def edits(self, start: Sentence, scorer: Any, keywords: Any, chance: random.Random) -> Iterator[Sentence]:
        self.starts.append(start)
        for number in range(1000):
            if number == self.last:
                return
            self.asked += 1
            yield start


def run(editor: Any, formula: str = "dog & run", **settings: Any) -> Any:
    model = tiny_model()
    one = SearchInput(PROMPT, compile_formula(parse(formula), model.vocabulary))
    return edit(model, editor, one, max_new_tokens=20, **settings)


def test_the_budget_is_the_number_of_steps() -> None:
    editor = Recorder()
    run(editor, edit_steps=7)
    assert editor.asked == 7


def test_an_editor_that_is_done_starts_again_from_another_order() -> None:
    editor = Recorder(last=3)
    run(editor, edit_steps=50)
    assert [tokens.tokens for tokens in editor.starts][1:] != []
    assert len(editor.starts) == 2  # two keywords have two orders
    assert editor.asked == 6


def test_when_time_is_up_there_is_a_text_all_the_same() -> None:
    editor = Recorder()
    output = run(editor, edit_steps=100, max_time=0.0)
    assert editor.asked == 0
    assert output.texts[0].present == 0b11
    assert output.texts[0].ending == "end"


def test_an_interruption_passes_through() -> None:
    class Interrupted(Recorder):
        def edits(self, *given: Any) -> Iterator[Sentence]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Interrupted())


# -- what is refused --------------------------------------------------------------------------------


def test_an_encoder_decoder_model_is_refused() -> None:
    tokenizer = t5_like()
    model = make(ENCODER_DECODER["t5"])
    model.resize_token_embeddings(len(tokenizer))
    with pytest.raises(ModelError, match="causal"):
        nl.wrap(model, tokenizer).generate("the fox", "dog", decoder="cgmh")


def test_logits_processors_are_refused(lm: ConstrainedModel) -> None:
    processor = MinLengthLogitsProcessor(5, lm.tokenizer.eos_token_id)
    with pytest.raises(ValueError, match="MinLengthLogitsProcessor"):
        written(lm, "The fox", logits_processor=[processor])


def test_settings_that_become_logits_processors_are_refused(lm: ConstrainedModel) -> None:
    with pytest.raises(ValueError, match=r"(?i)repetition.?penalty"):
        written(lm, "The fox", repetition_penalty=1.5)


def test_processors_of_the_models_own_configuration_are_let_pass() -> None:
    lm = ConstrainedModel(tiny_model())
    lm.model.generation_config.repetition_penalty = 1.5
    assert written(lm, "The fox", edit_steps=1).satisfied


def test_stopping_criteria_are_refused(lm: ConstrainedModel) -> None:
    with pytest.raises(ValueError, match="MaxTimeCriteria: no effect on the decoder"):
        written(lm, "The fox", stopping_criteria=[MaxTimeCriteria(1.0)])


def test_a_trace_is_refused(lm: ConstrainedModel) -> None:
    with pytest.raises(ValueError, match="trace: no effect on the decoder"):
        written(lm, "The fox", trace=object.__new__(Trace))


def test_a_budget_without_room_for_a_word_is_refused() -> None:
    model = tiny_model()
    one = SearchInput(PROMPT, compile_formula(None, model.vocabulary))
    with pytest.raises(BudgetError, match="at least 2"):
        edit(model, MetropolisHastings(), one, max_new_tokens=1)


def test_keywords_that_do_not_fit_are_reported(lm: ConstrainedModel) -> None:
    with pytest.warns(UnsatisfiedWarning, match="keywords alone need more"):
        result = written(lm, "The fox", "dog & pickled & shells & peppers", max_new_tokens=4)
    assert not result.satisfied
    assert len(result.tokens) <= 4
    assert len(result.unmet) < 4
