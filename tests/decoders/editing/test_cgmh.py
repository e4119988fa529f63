"""The walk against the distribution that it is to have, worked out by looking at every sentence."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from itertools import islice, product
from typing import Any

import pytest
import torch

from decoders.editing.tiny import ToyScorer, keywords_for, scorer_for, tiny_model
from neurologic.decoders.editing import cgmh
from neurologic.decoders.editing.cgmh import MetropolisHastings
from neurologic.decoders.editing.sentence import Keywords, gap
from neurologic.decoders.editing.start_sentences import starting_sentence
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.matching.vocabulary import TokenIds
from toys import END, random_model, toy_vocabulary

LIMIT = 4  # sentences of up to three tokens, and the end
VOCABULARY = toy_vocabulary(" a", " k", "s")  # "ks" is not the keyword
K = 2
DECODERS = [
    MetropolisHastings(shortlist=4, stray=0.0),  # every token on the shortlist: the paper's own proposals
    MetropolisHastings(shortlist=2, stray=0.3),  # tokens outside of it come and go as strays
    MetropolisHastings(shortlist=1, stray=0.5, temperature=2.0),
]


def small_world() -> tuple[ToyScorer, Keywords]:
    scorer = ToyScorer(VOCABULARY, random_model(VOCABULARY, seed=3, sharpness=1.0).logits_of)
    return scorer, Keywords(compile_formula(parse("k"), VOCABULARY), "", LIMIT, 1)


def exact_distribution(
    scorer: ToyScorer, keywords: Keywords, method: MetropolisHastings
) -> dict[TokenIds, float]:
    """Every allowed sentence's share of the language model's probability."""
    tokens = range(1, len(VOCABULARY))
    every = [one for length in range(1, LIMIT) for one in product(tokens, repeat=length)]
    weights = {
        one: math.exp(scorer.sentence(one).logprob / method.temperature)
        for one in every
        if keywords.allow(one)
    }
    assert 10 < len(weights) < len(every)
    return {one: weight / sum(weights.values()) for one, weight in weights.items()}


class EveryChance(random.Random):
    """Takes a scripted way through a step's choices, and knows how likely it was."""

    def __init__(self, script: list[int]) -> None:
        super().__init__(0)
        self.script = script
        self.taken: list[tuple[int, int]] = []  # what was chosen, of how many
        self.probability = 1.0

    def weighted(self, weights: list[float]) -> int:
        taken = self.script[len(self.taken)] if len(self.taken) < len(self.script) else 0
        self.taken.append((taken, len(weights)))
        self.probability *= weights[taken]
        return taken

    def choice(self, options: Any) -> Any:
        return options[self.weighted([1 / len(options)] * len(options))]

    def randrange(self, count: int) -> int:  # type: ignore[override]
        return self.weighted([1 / count] * count)

    def next_script(self) -> list[int] | None:
        """The way that comes after this one, as an odometer counts; None after the last."""
        while self.taken:
            taken, count = self.taken.pop()
            if taken + 1 < count:
                return [one for one, _ in self.taken] + [taken + 1]
        return None


def transitions(
    start: TokenIds, scorer: ToyScorer, keywords: Keywords, method: MetropolisHastings
) -> dict[TokenIds, float]:
    """Where one step leads from a sentence, with which probability: every choice taken once.

    Steps are always accepted here, and weighed with their ratio afterwards.
    """
    reached: dict[TokenIds, float] = defaultdict(float)
    script: list[int] | None = []
    while script is not None:
        chance = EveryChance(script)
        new, log_ratio = always_accepted_step(start, scorer, keywords, method, chance)
        accepted = min(1.0, math.exp(log_ratio))
        reached[new] += chance.probability * accepted
        reached[start] += chance.probability * (1 - accepted)
        script = chance.next_script()
    return reached


def always_accepted_step(
    start: TokenIds, scorer: ToyScorer, keywords: Keywords, method: MetropolisHastings, chance: EveryChance
) -> tuple[TokenIds, float]:
    """Where a step leads that is accepted, and its ratio; where nothing is proposed, the ratio is 1."""
    ratios = [0.0]
    original = cgmh._Walk._log_ratio

    def recorded(*given: Any) -> float:
        ratios.append(original(*given))
        return ratios[-1]

    def drawn(fillings: cgmh.Fillings, chance: Any) -> int:
        return chance.weighted([math.exp(fillings.logprob(token)) for token in range(len(VOCABULARY))])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cgmh._Walk, "_log_ratio", recorded)
        patch.setattr(cgmh._Walk, "_threshold", lambda walk: -math.inf)
        patch.setattr(cgmh.Fillings, "draw", drawn)
        new = next(method.edits(scorer.sentence(start), scorer, keywords, chance))
    return new.tokens, ratios[-1]


@pytest.mark.parametrize("method", DECODERS)
def test_a_step_leaves_the_models_distribution_among_sentences_with_the_keyword_as_it_is(
    method: MetropolisHastings,
) -> None:
    scorer, keywords = small_world()
    exact = exact_distribution(scorer, keywords, method)
    steps = {one: transitions(one, scorer, keywords, method) for one in exact}
    for one, reached in steps.items():
        assert reached.keys() <= exact.keys()
        assert sum(reached.values()) == pytest.approx(1)
        for other, probability in reached.items():  # detailed balance: as much flows back as there
            assert exact[one] * probability == pytest.approx(exact[other] * steps[other][one], rel=1e-9)


@pytest.mark.parametrize("method", DECODERS)
def test_a_long_walk_comes_by_every_sentence_as_often_as_it_should(method: MetropolisHastings) -> None:
    scorer, keywords = small_world()
    exact = exact_distribution(scorer, keywords, method)
    count = 40_000
    walk = method.edits(scorer.sentence((K,)), scorer, keywords, random.Random(6))
    visits = Counter(sentence.tokens for sentence in islice(walk, count))
    distance = sum(abs(visits[one] / count - share) for one, share in exact.items()) / 2
    # Chance alone makes up to about 0.03 here; leaving out any part of the acceptance ratio above 0.05.
    assert distance < 0.05


def test_tokens_are_drawn_as_often_as_the_ratio_takes_them_to_be() -> None:
    scorer, keywords = small_world()
    walk = cgmh._Walk(DECODERS[2], scorer, keywords, random.Random(0))
    fillings = walk._fillings(gap((K,), 0))
    drawn = Counter(fillings.draw(walk.chance) for _ in range(20_000))
    for token in range(len(VOCABULARY)):
        assert drawn[token] / 20_000 == pytest.approx(math.exp(fillings.logprob(token)), abs=0.02)


def test_the_papers_example_becomes_a_slogan() -> None:
    """Figure 1 of the paper: from "BMW sports" to "BMW, the sports car of the future"."""
    vocabulary = toy_vocabulary("BMW", ",", " the", " sports", " car", " of", " future", " a", " is", " fast")
    slogan = (1, 2, 3, 4, 5, 6, 3, 7)
    after: dict[int | None, dict[int, float]] = {None: {1: 6.0}}
    for one, other in zip(slogan, (*slogan[1:], END), strict=True):
        after.setdefault(one, {})[other] = 5.0
    after[3] = {4: 5.0, 7: 5.0}  # after "the" both the car and the future
    after[7] = {END: 7.0}

    def logits_of(tokens: TokenIds) -> torch.Tensor:
        logits = torch.zeros(len(vocabulary))
        for token, score in after.get(tokens[-1] if tokens else None, {}).items():
            logits[token] = score
        return logits

    constraint = compile_formula(parse("BMW & sports"), vocabulary)
    keywords = Keywords(constraint, "", 12, 0b11)
    scorer = ToyScorer(vocabulary, logits_of)
    start = starting_sentence(scorer, keywords, (0, 1))
    assert vocabulary.decode(start.tokens) == b"BMW sports"
    walk = MetropolisHastings(temperature=0.5).edits(start, scorer, keywords, random.Random(0))
    visited = {sentence.tokens for sentence in islice(walk, 2000)}
    assert slogan in visited
    best = max(map(scorer.sentence, visited), key=lambda sentence: sentence.mean_logprob)
    assert vocabulary.decode(best.tokens) == b"BMW, the sports car of the future"


def test_every_sentence_on_the_way_keeps_the_keywords() -> None:
    model = tiny_model()
    keywords = keywords_for(model, 'dog & "quick brown"', limit=14)
    scorer = scorer_for(model)
    start = starting_sentence(scorer, keywords, (0, 1))
    walk = MetropolisHastings(shortlist=4, stray=0.3, temperature=4.0).edits(
        start, scorer, keywords, random.Random(1)
    )
    visited = [sentence.tokens for sentence in islice(walk, 60)]
    assert len(set(visited)) > 10
    for tokens in visited:
        text = model.vocabulary.decode(tokens).decode().casefold()
        assert len(tokens) < 14
        assert "quick brown" in text
        assert keywords.allow(tokens)


def test_a_deletion_that_is_refused_anyway_costs_one_sentence() -> None:
    vocabulary = toy_vocabulary(" a", " k")
    keywords = Keywords(compile_formula(parse("k"), vocabulary), "", 4, 1)

    def wants_both(tokens: TokenIds) -> torch.Tensor:
        wanted = [1, 2, END][min(len(tokens), 2)]
        return torch.nn.functional.one_hot(torch.tensor(wanted), 3) * 200.0

    class OnlyDeletions(random.Random):
        def choice(self, options):  # type: ignore[no-untyped-def]
            return options[1] if len(options) == 3 else super().choice(options)

    scorer = ToyScorer(vocabulary, wants_both)
    walk = MetropolisHastings().edits(scorer.sentence((1, 2)), scorer, keywords, OnlyDeletions(0))
    assert next(walk).tokens == (1, 2)
    assert scorer.calls == 1
