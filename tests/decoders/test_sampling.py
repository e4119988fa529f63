"""Top-k, top-p and min-p: what is drawn from is Hugging Face's, and draws follow it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from decoders.cases import Case
from neurologic.decoders.registry import DECODERS
from neurologic.decoders.sampling import draw, truncated
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models.base import EncodedPrompt
from neurologic.search.beam import Beam
from neurologic.search.engine import search
from neurologic.search.hooks import Hooks
from neurologic.search.input_output import SearchInput
from neurologic.search.rules import Rule
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings
from toys import ToyLoadedModel, ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary(*(f" {number}" for number in range(20)))
GREEDY, TOP_K, TOP_P = (Case(DECODERS[name]) for name in ("greedy", "top-k", "top-p"))


def probabilities(scores: torch.Tensor, settings: SearchSettings) -> torch.Tensor:
    """What is drawn from, [rows, vocabulary]."""
    logprobs, tokens = truncated(scores, settings)
    return torch.zeros_like(scores).scatter(-1, tokens, logprobs.softmax(dim=-1))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.7])
@pytest.mark.parametrize(("top_k", "top_p"), [(0, 1.0), (5, 1.0), (0, 0.6), (7, 0.4), (500, 0.95)])
@pytest.mark.parametrize("min_p", [0.0, 0.1])
def test_the_distribution_is_hugging_faces(
    temperature: float, top_k: int, top_p: float, min_p: float
) -> None:
    logits = 3 * torch.randn(40, 50, generator=torch.Generator().manual_seed(0))
    warped: Any = TemperatureLogitsWarper(temperature)(None, logits)
    if top_k:
        warped = TopKLogitsWarper(top_k)(None, warped)
    if top_p < 1:
        warped = TopPLogitsWarper(top_p)(None, warped)
    if min_p:
        warped = MinPLogitsWarper(min_p)(None, warped)
    settings = SearchSettings(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    torch.testing.assert_close(probabilities(logits, settings), warped.softmax(dim=-1))


def test_no_more_tokens_stay_than_asked_for() -> None:
    """Their probabilities are those among all tokens."""
    scores = torch.tensor([[0.5, 0.3, 0.1, 0.1]]).log()
    logprobs, tokens = truncated(scores, SearchSettings(top_k=0), most=2)
    torch.testing.assert_close(logprobs.exp(), torch.tensor([[0.5, 0.3]]))
    assert tokens.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "knobs", [{"top_k": 4}, {"top_k": 0, "top_p": 0.7}, {"top_k": 0, "temperature": 2.0}]
)
def test_drawn_tokens_are_as_frequent_as_they_are_likely(knobs: dict[str, Any]) -> None:
    settings = SearchSettings(**knobs)
    scores = torch.randn(1, len(VOCABULARY), generator=torch.Generator().manual_seed(5))
    beam = Beam(compile_formula(None, VOCABULARY), settings, rule=Rule.FREE, seed=1)
    count = 20_000
    drawn = draw([beam], ScoreMatrix.of(scores.expand(count, -1)), 1)
    frequencies = torch.bincount(drawn.flatten(), minlength=len(VOCABULARY)) / count
    expected = probabilities(scores, settings)[0]
    deviation = (expected * (1 - expected) / count).sqrt()
    assert ((frequencies - expected).abs() <= 4.5 * deviation).all()


def test_several_tokens_are_drawn_without_putting_back() -> None:
    """The second token follows the distribution of what is left: p(b) · p(a) / (1 - p(b)) + …"""
    scores = torch.tensor([[0.6, 0.3, 0.1]]).log()
    beam = Beam(compile_formula(None, VOCABULARY), SearchSettings(top_k=0), rule=Rule.FREE)
    pairs = draw([beam], ScoreMatrix.of(scores.expand(20_000, -1)), 2)
    assert (pairs[:, 0] != pairs[:, 1]).all()
    second = (pairs[:, 1] == 0).float().mean()
    assert float(second) == pytest.approx(0.3 * 0.6 / 0.7 + 0.1 * 0.6 / 0.9, abs=0.015)
    assert (draw([beam], ScoreMatrix.of(scores), 5) >= 0).sum() == 3
    beam.settings = SearchSettings(top_k=2)
    assert set(draw([beam], ScoreMatrix.of(scores), 5).flatten().tolist()) - {-1} == {0, 1}


@pytest.mark.parametrize(
    ("case", "knobs"), [(TOP_K, {"top_k": 1}), (TOP_P, {"top_p": 1e-6}), (TOP_K, {"temperature": 1e-4})]
)
def test_drawing_from_the_likeliest_token_only_is_greedy(case: Case, knobs: dict[str, Any]) -> None:
    for seed in range(10):
        model = random_model(VOCABULARY, seed)
        greedy = GREEDY.write(model, None, max_new_tokens=6).texts[0]
        drawn = case.write(model, None, max_new_tokens=6, seed=seed, **knobs).texts[0]
        assert drawn.tokens == greedy.tokens
        assert drawn.logprob == pytest.approx(greedy.logprob)  # the model's, not the truncated one's


def test_every_text_begins_with_a_draw_of_its_own() -> None:
    model = random_model(VOCABULARY, seed=2, sharpness=0.2)
    texts = TOP_P.write(model, None, num_return_sequences=5, max_new_tokens=4, seed=3).texts
    assert len({text.tokens[0] for text in texts}) > 1


def test_drawn_constrained_texts_are_different_and_all_obey() -> None:
    drawn = Case(DECODERS["neurologic"], {"do_sample": True, "temperature": 1.5})
    output = drawn.write(
        random_model(VOCABULARY, 4),
        "7 & !3",
        num_beams=2,
        num_return_sequences=5,  # more than one beam has
        max_new_tokens=6,
    )
    texts = [text.text.decode().split() for text in output.texts]
    assert len({tuple(words) for words in texts}) == 5
    assert all("7" in words and "3" not in words for words in texts)


def test_prompts_and_decoders_draw_differently_under_one_seed() -> None:
    model = ToyModel(VOCABULARY, lambda _: torch.zeros(len(VOCABULARY)))
    lm = ConstrainedModel(ToyLoadedModel(model))  # type: ignore[arg-type]
    prompts = ["a", "ab", "abc"]  # three different tokens for the toy
    texts = [
        result.text
        for decoder in ("top-k", "top-p")
        for result in lm.generate(prompts, decoder=decoder, max_new_tokens=8, min_new_tokens=8, seed=5)
    ]
    assert len(set(texts)) == 6


def test_processors_act_on_raw_scores_as_in_hugging_face() -> None:
    """A repeated token with score 10 against 9.6 falls behind when divided by 1.05."""
    logits = torch.zeros(len(VOCABULARY))
    logits[3], logits[4] = 10.0, 9.6
    model = ToyModel(VOCABULARY, lambda _: logits.clone())
    one = SearchInput(EncodedPrompt((3,)), compile_formula(None, VOCABULARY))
    hooks = Hooks(processors=[RepetitionPenaltyLogitsProcessor(1.05)])
    settings = GREEDY.decoder.settings({"max_new_tokens": 1})
    (output,) = search(model, [one], GREEDY.decoder.load(), settings, hooks)
    assert output.texts[0].tokens == (4,)


def test_a_stop_string_ends_a_text_also_after_bytes_that_are_no_text() -> None:
    vocabulary = toy_vocabulary(b"\xc3", " a", ".")

    def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
        written = [1, 2, 3, 2, 2, 2][len(tokens) - 1]  # one token is the prompt
        return 9 * torch.nn.functional.one_hot(torch.tensor(written), len(vocabulary)).float()

    model = ToyModel(vocabulary, logits_of)
    text = GREEDY.write(model, None, max_new_tokens=6, stop_strings=(".",)).texts[0]
    assert text.text == b"\xc3 a."
    assert text.ending == "stop"
