"""Look-ahead: what roll-outs see is what a plain computation sees, and what was read is not read again."""

from __future__ import annotations

import math
from random import Random

import pytest
import torch

from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from neurologic.search.look_ahead import LookAhead, View, Way
from neurologic.search.roll_outs import Kind
from neurologic.search.two_prompts import TwoPromptRows
from toys import END, ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary(*(f" {letter}" for letter in "abcdef"))
PROMPTS: list[TokenIds] = [(1,), (2,)]
NEVER = {END, 6}  # no roll-out writes them
STEPS, WIDTH = 4, 3


# -- the same by brute force ------------------------------------------------------------------------


def logprobs(model: ToyModel, text: TokenIds) -> list[float]:
    values: list[float] = torch.log_softmax(model.logits_of(text), dim=-1).tolist()
    return values


def writable(model: ToyModel, text: TokenIds) -> dict[int, float]:
    """Log-probabilities of the tokens that a roll-out may write, among themselves."""
    chances = {t: math.exp(value) for t, value in enumerate(logprobs(model, text)) if t not in NEVER}
    return {token: math.log(chance / sum(chances.values())) for token, chance in chances.items()}


def seen_at(model: ToyModel, texts: list[TokenIds], watched: TokenIds, kind: Kind) -> list[float]:
    views = [[logprobs(model, text)[token] for token in watched] for text in texts]
    if kind == "sample":
        return [math.log(sum(map(math.exp, one)) / len(texts)) for one in zip(*views, strict=True)]
    return [max(one) for one in zip(*views, strict=True)]


def plainly(model: ToyModel, text: TokenIds, way: Way, kind: Kind, steps: int) -> list[list[float]]:
    """What is seen after a text and the way's token; the first step is right after the token."""
    texts = [(*text, way.token)]
    scores = [0.0]
    seen = [seen_at(model, texts, way.watched, kind)]
    for step in range(steps - 1):
        if kind == "sample":
            texts = texts * WIDTH if step == 0 else texts
            chance = way.chance[step * WIDTH : (step + 1) * WIDTH]
            texts = [(*one, drawn(model, one, x)) for one, x in zip(texts, chance, strict=True)]
        else:
            longer = [
                (score + logprob, (*one, token))
                for one, score in zip(texts, scores, strict=True)
                for token, logprob in writable(model, one).items()
            ]
            best = sorted(longer, reverse=True)[: WIDTH if kind == "beam" else 1]
            scores, texts = [score for score, _ in best], [one for _, one in best]
        seen.append(seen_at(model, texts, way.watched, kind))
    return seen


def drawn(model: ToyModel, text: TokenIds, chance: float) -> int:
    """The token at which the cumulative probability passes a number between 0 and 1."""
    for token, logprob in writable(model, text).items():
        chance -= math.exp(logprob)
        if chance <= 0:
            return token
    raise AssertionError("probabilities add up to 1")


# -- tests ------------------------------------------------------------------------------------------


def make(model: ToyModel, kind: Kind = "greedy", steps: int = STEPS) -> LookAhead:
    rows = TwoPromptRows.start(model, [(EncodedPrompt(prompt), None) for prompt in PROMPTS])
    return LookAhead(rows, NEVER, kind=kind, steps=steps, width=WIDTH)


def random_way(random_: Random, rows: int) -> Way:
    chance = tuple(random_.random() for _ in range(STEPS * WIDTH))
    watched = tuple(random_.sample(range(len(VOCABULARY)), random_.randrange(1, 4)))
    return Way(random_.randrange(rows), random_.randrange(1, len(VOCABULARY)), watched, chance)


def require_seen(views: list[View], expected: list[list[list[float]]]) -> None:
    assert len(views) == len(expected)
    for view, seen in zip(views, expected, strict=True):
        assert view.seen == [pytest.approx(step, abs=1e-4) for step in seen]


@pytest.mark.parametrize("can_rewind", [True, False])
@pytest.mark.parametrize("kind", ["greedy", "beam", "sample"])
def test_what_is_seen_is_what_brute_force_sees(kind: Kind, can_rewind: bool) -> None:
    random_ = Random(0)
    for seed in range(15):
        model = random_model(VOCABULARY, seed)
        model.can_rewind = can_rewind
        ways = [random_way(random_, len(PROMPTS)) for _ in range(4)]
        views = make(model, kind).explore(ways, most=99)
        require_seen(views, [plainly(model, PROMPTS[way.parent], way, kind, STEPS) for way in ways])


@pytest.mark.parametrize("can_rewind", [True, False])
@pytest.mark.parametrize("kind", ["greedy", "beam", "sample"])
def test_searching_on_is_the_same_with_and_without_reuse(kind: Kind, can_rewind: bool) -> None:
    """Explore some candidates, go on with some of these and with some others; and so again.

    Rows, views and the count of what was read are right at every step.
    """
    reused = 0
    for seed in range(12):
        random_ = Random(seed)
        model = random_model(VOCABULARY, seed)
        model.can_rewind = can_rewind
        look_ahead = make(model, kind)
        texts, calls = list(PROMPTS), len(PROMPTS)
        for _ in range(4):
            likeliest = [int(torch.argmax(model.logits_of(text)[1:6])) + 1 for text in texts]
            ways = [random_way(random_, len(texts)) for _ in range(3)]
            ways += [Way(row, token, (1, 2), ways[0].chance) for row, token in enumerate(likeliest)]
            ways = list({(way.parent, way.token): way for way in ways}.values())
            views = look_ahead.explore(ways, most=99)
            require_seen(views, [plainly(model, texts[way.parent], way, kind, STEPS) for way in ways])
            calls += sum(view.calls for view in views)
            reused += sum(view.reused for view in views)

            chosen = [(way.parent, way.token) for way in random_.sample(ways, 2)]
            chosen += [
                (random_.randrange(len(texts)), random_.randrange(1, 7)) for _ in range(random_.randrange(2))
            ]
            parents, tokens = torch.tensor(chosen).unbind(-1)
            look_ahead.advance(parents, tokens)
            calls += len(chosen) - len(look_ahead.served)
            texts = [(*texts[parent], token) for parent, token in chosen]
            assert look_ahead.input_ids().tolist() == [list(text) for text in texts]
            torch.testing.assert_close(
                look_ahead.logits, torch.stack([model.logits_of(text) for text in texts])
            )
            assert calls == model.rows_read
    assert (reused > 0) == (kind == "greedy" and can_rewind)


def test_going_on_with_an_explored_candidate_is_free() -> None:
    model = random_model(VOCABULARY, 1)
    look_ahead = make(model)
    look_ahead.explore([Way(0, 3, (1,)), Way(1, 4, (1,))], most=99)
    before = model.rows_read
    look_ahead.advance(torch.tensor([1, 0]), torch.tensor([4, 3]))
    assert model.rows_read == before
    assert look_ahead.served == {0, 1}


def test_the_roll_out_of_its_parent_needs_one_more_step_only() -> None:
    model = random_model(VOCABULARY, 1)
    look_ahead = make(model)
    look_ahead.explore([Way(0, 3, (1,))], most=99)
    look_ahead.advance(torch.tensor([0]), torch.tensor([3]))
    follows = max(range(1, 6), key=lambda token: float(model.logits_of((1, 3))[token]))
    (same, other) = look_ahead.explore([Way(0, follows, (1,)), Way(0, follows % 5 + 1, (1,))], most=99)
    assert (same.calls, same.reused) == (1, STEPS - 1)
    assert (other.calls, other.reused) == (STEPS, 0)


@pytest.mark.parametrize("kind", ["greedy", "beam", "sample"])
def test_nothing_is_seen_beyond_the_budget(kind: Kind) -> None:
    model = random_model(VOCABULARY, 1)
    way = random_way(Random(1), 2)
    for most in range(6):
        (view,) = make(model, kind).explore([way], most)
        assert len(view.seen) == min(most, STEPS)
    assert make(model, kind).explore([], 5) == []
