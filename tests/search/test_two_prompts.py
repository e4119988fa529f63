"""Two prompts per text: mixed scores, rows that leave, and the same texts alone and in a batch."""

from __future__ import annotations

from random import Random

import pytest
import torch

from neurologic.models.base import EncodedPrompt
from neurologic.search.two_prompts import Pair, Twin, TwoPromptRows
from toys import ToyModel, random_model, toy_vocabulary

OWN, OTHER, TWIN = (EncodedPrompt((1,)), EncodedPrompt((2, 3)), EncodedPrompt((4, 1, 2)))
WEIGHT = 0.3


@pytest.fixture
def model() -> ToyModel:
    return random_model(toy_vocabulary("a", "b", "c", " a", " b"), seed=5)


def logprobs(model: ToyModel, prompt: EncodedPrompt, tokens: tuple[int, ...]) -> torch.Tensor:
    """The model's own log-probabilities after a prompt and some tokens, worked out from nothing."""
    rows = model.start([prompt])
    for token in tokens:
        rows.advance(torch.tensor([0]), torch.tensor([token]))
    return torch.log_softmax(rows.logits[0], dim=-1)


def expected(model: ToyModel, pair: Pair, tokens: tuple[int, ...], weight: float) -> torch.Tensor:
    own, twin = pair
    alone = logprobs(model, own, tokens)
    if twin is None or not weight:
        return alone
    return torch.log_softmax((1 - weight) * alone + weight * logprobs(model, twin.prompt, tokens), dim=-1)


def test_scores_are_the_renormalised_mean_of_both_log_probabilities(model: ToyModel) -> None:
    rows = TwoPromptRows.start(model, [(OWN, Twin(TWIN, WEIGHT))])
    mixed = torch.log_softmax(rows.logits[0], dim=-1)
    assert torch.allclose(mixed, expected(model, (OWN, Twin(TWIN, WEIGHT)), (), WEIGHT), atol=1e-5)
    assert rows.alone is not None
    assert torch.allclose(rows.alone[0], logprobs(model, OWN, ()), atol=1e-5)


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_come_and_go_score_as_if_each_were_alone(model: ToyModel, seed: int) -> None:
    """Advance, copy and drop rows, lose twins, admit inputs, branch and join, at random."""
    random_ = Random(seed)
    pairs: list[Pair] = [(OWN, Twin(TWIN, WEIGHT)), (OTHER, None), (TWIN, Twin(OWN, 0.8, has_hint=False))]
    rows = TwoPromptRows.start(model, pairs[:2])
    texts: list[tuple[Pair, tuple[int, ...], float]] = [(pairs[0], (), WEIGHT), (pairs[1], (), 0.0)]
    for step in range(6):
        if step == 2:
            rows.admit(pairs[2:])
            texts.append((pairs[2], (), 0.8))
        inputs = [pair for pair in pairs if any(text[0] is pair for text in texts)]
        parents = [
            place
            for pair in inputs
            for place in random_.choices([n for n, text in enumerate(texts) if text[0] is pair], k=2)
        ]
        tokens = [random_.randrange(1, 6) for _ in parents]
        if random_.random() < 0.3:
            rows = rows.branch(torch.arange(len(texts)))
        rows.advance(torch.tensor(parents), torch.tensor(tokens))
        texts = [
            (texts[parent][0], (*texts[parent][1], token), texts[parent][2])
            for parent, token in zip(parents, tokens, strict=True)
        ]
        kept = [weight if random_.random() < 0.8 else 0.0 for _, _, weight in texts]
        rows.weigh_twins(kept)
        texts = [(pair, written, weight) for (pair, written, _), weight in zip(texts, kept, strict=True)]
        for row, (pair, written, weight) in enumerate(texts):
            mixed = torch.log_softmax(rows.logits[row], dim=-1)
            assert torch.allclose(mixed, expected(model, pair, written, weight), atol=1e-4)
            if rows.alone is not None:
                assert torch.allclose(rows.alone[row], logprobs(model, pair[0], written), atol=1e-4)


def test_a_rewound_row_that_loses_its_twin_scores_after_its_own_prompt(model: ToyModel) -> None:
    rows = TwoPromptRows.start(model, [(OWN, Twin(TWIN, WEIGHT))])
    before, alone = rows.logits, rows.alone
    ahead = rows.branch(torch.tensor([0, 0]))
    ahead.advance(torch.tensor([0, 1]), torch.tensor([1, 2]))
    assert alone is not None
    ahead.rewind(1, before[[0, 0]], alone[[0, 0]])
    ahead.weigh_twins([WEIGHT, 0.0])
    assert torch.equal(ahead.logits[0], before[0])
    assert torch.equal(ahead.logits[1], alone[0])


def test_the_hint_takes_over_as_time_runs_out() -> None:
    assert [Twin(OWN, 0.5).weight_at(urgency) for urgency in (0, 0.5, 1)] == [0.5, 0.75, 1.0]
    plain = Twin(OWN, 0.5, has_hint=False)
    assert [plain.weight_at(urgency) for urgency in (0, 0.5, 1)] == [0.5, 0.25, 0.0]
