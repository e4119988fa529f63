"""Particles: drawn texts follow the model's own distribution given the formula, compared with brute force."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest
import torch
from transformers import RepetitionPenaltyLogitsProcessor

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.decoders.resampling import Weighted, effective, log_sum, resampled, systematic
from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_formula
from neurologic.logic import check, parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.drawn_texts import Particle
from neurologic.search.engine import search
from neurologic.search.hooks import Hooks
from neurologic.search.hypothesis import Candidate
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from neurologic.search.two_prompts import Twin
from toys import END, ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary("a", "b", " ", "c")
PROMPT = EncodedPrompt((1,))
LIMIT = 5
# Settings that reach beyond the formula are off, so that every satisfied text is possible.
PLAIN: dict[str, Any] = {"top_k": 0, "max_run": 0, "reserve": 0.0, "spread": 0.0, "max_new_tokens": LIMIT}
Distribution = dict[bytes, float]


def toy(seed: int, *, ends: float = 1.0) -> ToyModel:
    """A random model that likes to end a text."""
    model = random_model(VOCABULARY, seed, sharpness=1.5)
    plain = model.logits_of
    raised = ends * torch.nn.functional.one_hot(torch.tensor(END), len(VOCABULARY))
    model.logits_of = cache(lambda tokens: plain(tokens) + raised)
    return model


def exact(model: ToyModel, formula: str, warp: Callable[[torch.Tensor], torch.Tensor]) -> Distribution:
    """P(text | the formula holds and the text ends in time), by listing all texts."""
    masses: Counter[bytes] = Counter()

    def visit(tokens: tuple[int, ...], mass: float) -> None:
        chances = torch.softmax(warp(model.logits_of((*PROMPT.ids, *tokens))), dim=-1).tolist()
        text = VOCABULARY.decode(tokens)
        if holds(formula, text):
            masses[text] += mass * chances[END]
        if len(tokens) + 1 < LIMIT:
            for token in range(1, len(VOCABULARY)):
                visit((*tokens, token), mass * chances[token])

    visit((), 1.0)
    total = sum(masses.values())
    return {text: mass / total for text, mass in masses.items()}


def holds(formula: str, text: bytes) -> bool:
    return all(report.satisfied for report in check(parse(formula), text.decode()))


def compiled(formula: str | None) -> CompiledConstraint:
    return compile_formula(parse(formula) if formula else None, VOCABULARY)


def drawn(
    model: ToyModel, formula: str | None, draws: int, *, twin: Twin | None = None, **knobs: Any
) -> list[SearchOutput]:
    constraint = compiled(formula)
    inputs = [SearchInput(PROMPT, constraint, seed, twin=twin) for seed in range(draws)]
    settings = SearchSettings(do_sample=True, **{**PLAIN, **knobs})
    return search(model, inputs, NeuroLogicDecoder(), settings)


def distance(expected: Distribution, outputs: list[SearchOutput]) -> float:
    """Total variation between the exact distribution and the frequencies of the first texts."""
    counts = Counter(output.texts[0].text for output in outputs)
    every = {*expected, *counts}
    return sum(abs(expected.get(text, 0.0) - counts[text] / len(outputs)) for text in every) / 2


def noise(expected: Distribution, draws: int) -> float:
    """The same distance for independent draws from the exact distribution: less cannot be expected."""
    chance = Random(0)
    texts = Counter(chance.choices([*expected], [*expected.values()], k=draws))
    return sum(abs(mass - texts[text] / draws) for text, mass in expected.items()) / 2


def test_the_more_particles_the_nearer_to_the_models_distribution_given_the_formula() -> None:
    """A single particle is masked sampling, which is far from it."""
    model, draws = toy(4), 150
    formulas = ("a", "b & !a", '"a b" | c')
    expected = {formula: exact(model, formula, lambda logits: logits) for formula in formulas}
    masked, few, many = (
        sum(distance(expected[formula], drawn(model, formula, draws, num_beams=n)) for formula in formulas)
        for n in (1, 4, 16)
    )
    least = sum(noise(expected[formula], draws) for formula in formulas)
    assert many < few < masked
    assert many < least + 0.1 < masked / 2


def test_the_temperature_is_part_of_the_distribution() -> None:
    model, draws = toy(8), 150
    expected = exact(model, "a", lambda logits: logits / 0.6)
    outputs = drawn(model, "a", draws, num_beams=16, temperature=0.6)
    assert distance(expected, outputs) < noise(expected, draws) + 0.05
    other = exact(model, "a", lambda logits: logits)
    assert distance(other, outputs) > noise(other, draws) + 0.1


def test_a_hint_changes_the_proposal_and_not_the_distribution() -> None:
    model, draws = toy(6), 150
    expected = exact(model, "b", lambda logits: logits)
    twin = Twin(EncodedPrompt((2, 3)), weight=0.5)
    outputs = drawn(model, "b", draws, num_beams=24, twin=twin)
    assert distance(expected, outputs) < noise(expected, draws) + 0.07


def test_processors_act_on_the_users_own_prompt_too() -> None:
    """Without it, a token that a processor forbids would keep its weight in the target."""
    forbidden = VOCABULARY.pieces.index(b"c")

    def processor(_: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        scores[:, forbidden] = -math.inf
        return scores

    model = toy(6)
    inputs = [
        SearchInput(PROMPT, compiled("a"), seed, twin=Twin(EncodedPrompt((2,)), 0.5)) for seed in range(60)
    ]
    settings = SearchSettings(do_sample=True, num_beams=4, **PLAIN)
    outputs = search(model, inputs, NeuroLogicDecoder(), settings, Hooks(processors=[processor]))
    assert all(b"c" not in output.texts[0].text for output in outputs)


@pytest.mark.parametrize("knobs", [{"top_k": 1}, {"top_p": 0.01}, {"min_p": 1.0}, {"temperature": 0.01}])
def test_required_words_come_however_narrow_the_truncation_is(knobs: dict[str, Any]) -> None:
    for output in drawn(toy(3), "a & b & !c", 20, num_beams=4, **{**PLAIN, **knobs}):
        assert output.kept
        assert holds("a & b & !c", output.texts[0].text)


@pytest.mark.parametrize("formula", [None, "!a", "!a & !c"])
def test_without_required_phrases_there_is_one_particle(formula: str | None) -> None:
    for output in drawn(toy(5), formula, 10, num_beams=8):
        assert output.calls == len(output.texts[0].tokens)


def test_truncation_acts_on_what_n_gram_blocking_leaves() -> None:
    """As in Hugging Face: otherwise nothing would be left where all likely tokens repeat something."""
    likes_a = ToyModel(VOCABULARY, lambda _: torch.tensor([-9.0, 9.0, 1.0, 2.0, 0.0]))
    knobs = {"top_p": 0.5, "no_repeat_ngram_size": 1, "min_new_tokens": 3, "max_new_tokens": 3}
    for output in drawn(likes_a, None, 5, num_beams=4, **knobs):
        assert output.texts[0].text == b"a b"
        assert output.calls == 3


def test_particles_with_the_same_text_share_a_row() -> None:
    """A model that is sure of every token needs one row for all particles."""
    certain = ToyModel(
        VOCABULARY, lambda tokens: 99 * torch.eye(len(VOCABULARY))[(1, 3, 2, END)[len(tokens) - 1]]
    )
    (output,) = drawn(certain, "a & b", 1, num_beams=8, lambda_=0.0)
    assert output.texts[0].text == b"a b"
    assert output.calls == 4


def test_a_text_comes_back_by_its_weight_and_not_for_being_the_likeliest() -> None:
    expected = exact(toy(4), "a", lambda logits: logits)
    texts = {output.texts[0].text for output in drawn(toy(4), "a", 60, num_beams=8)}
    assert len(texts) > 5
    assert max(expected, key=lambda text: expected[text]) in texts


def test_a_partly_written_forbidden_word_is_drawn_as_often_as_its_continuation_deserves() -> None:
    """After "a" the model nearly always ends or goes on to another word, and "a" is forbidden."""
    vocabulary = toy_vocabulary("a", "b", "s")

    def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
        return torch.tensor(
            [[0.02, 0.49, 0.49, 1e-9], [0.97, 1e-9, 1e-9, 0.03], [1.0, 1e-9, 1e-9, 1e-9]]
        ).log()[0 if len(tokens) == 1 else 1 if tokens[-1] == 1 else 2]

    constraint = compile_formula(parse("!a"), vocabulary)
    inputs = [SearchInput(EncodedPrompt((2,)), constraint, seed) for seed in range(200)]
    outputs = search(
        ToyModel(vocabulary, logits_of),
        inputs,
        NeuroLogicDecoder(),
        SearchSettings(do_sample=True, max_new_tokens=4),
    )
    began = sum(output.texts[0].text.startswith(b"a") for output in outputs)
    assert began < 20  # masks alone would begin half of the texts with it


def test_repetition_penalty_acts_on_drawn_texts() -> None:
    flat = ToyModel(VOCABULARY, lambda _: torch.tensor([-9.0, 1.0, 1.0, 1.0, 1.0]))
    settings = SearchSettings(do_sample=True, num_beams=2, max_new_tokens=3, min_new_tokens=3)
    inputs = [SearchInput(EncodedPrompt((0,)), compiled(None), seed) for seed in range(30)]
    hooks = Hooks(processors=[RepetitionPenaltyLogitsProcessor(1e4)])
    for output in search(flat, inputs, NeuroLogicDecoder(), settings, hooks):
        assert len(set(output.texts[0].tokens)) == 3


# -- drawing and resampling ---------------------------------------------------------------------


def weighted(count: int, weight: float, deferred: float = 0.0, doubt: float = 0.0) -> Weighted:
    candidate = Candidate(0, 1, 0.0, 0, 0, compiled("a").status(compiled("a").matcher.start(""), 0))
    return Weighted(candidate, Particle(count, weight, deferred), doubt)


def test_systematic_draws_are_as_frequent_as_their_weights() -> None:
    weights = [0.5, 0.3, 0.15, 0.05]
    chance = Random(1)
    totals = [0] * len(weights)
    for _ in range(4000):
        counts = systematic([math.log(weight) for weight in weights], 3, chance)
        assert sum(counts) == 3
        assert all(abs(count - 3 * weight) < 1 for count, weight in zip(counts, weights, strict=True))
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
    assert totals == pytest.approx([12_000 * weight for weight in weights], rel=0.08)


def test_resampling_keeps_the_expected_weight_of_every_text() -> None:
    given = [weighted(1, 0.0), weighted(2, -3.0, deferred=0.5), weighted(1, -2.0, doubt=1.0)]
    chance = Random(2)
    sums = [0.0] * len(given)
    rounds = 6000
    for _ in range(rounds):
        for survivor in resampled(given, [], chance):
            place = [other.candidate for other in given].index(survivor.candidate)
            sums[place] += math.exp(survivor.particle.mass) / rounds
    assert sums == pytest.approx([math.exp(other.particle.mass) for other in given], rel=0.15)


def test_particles_of_equal_weight_stay_as_they_are() -> None:
    given = [weighted(3, -1.0), weighted(1, -1.0)]
    assert list(resampled(given, [], Random(0))) == given


def test_one_particle_goes_on_however_much_finished_ones_weigh() -> None:
    given = [weighted(2, -40.0), weighted(1, -41.0)]
    (survivor,) = resampled(given, [Particle(5, 0.0)], Random(0))
    assert survivor.particle.mass == pytest.approx(log_sum([other.particle.mass for other in given]))


def test_the_effective_sample_size_counts_particles_that_matter() -> None:
    assert effective([(2, 0.0), (2, 0.0)]) == 4
    assert effective([(1, 0.0), (7, -30.0)]) == pytest.approx(1)
