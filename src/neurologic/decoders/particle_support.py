"""The tokens that particles may draw, with their log-probabilities under target and proposal.

The target is the model's distribution after the user's own prompt, tempered and truncated, but truncation
spares tokens that pay. This file does the part of a step that runs on the device, for all inputs at once, in
two transfers to the host.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch

from neurologic.decoders.resampling import log_sum
from neurologic.decoders.sampling import truncated
from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.search.beam import Beam
from neurologic.search.score_matrix import ScoreMatrix, to_host
from neurologic.search.settings import SearchSettings

# A token that writes this share of a wanted phrase, or is the usual first token of it, begins the phrase. One
# that writes less, such as " a" for "apple", most often means something else.
_BEGINNING = 0.5
# Stands for the log-probability of a paying token that the target rules out: it is possible, and weighs
# nothing beside any other.
_HOPELESS = -200.0


class Support(NamedTuple):
    """The tokens that a row may draw under the target.

    logprobs  cumulative log-likelihoods, as the search counts them; -inf for tokens that are not allowed
    targets   log-probabilities under the target; their sum is the probability of allowed tokens
    paying    the tokens that bring a wanted phrase forward
    """

    tokens: list[int]
    logprobs: list[float]
    targets: list[float]
    paying: frozenset[int]


class PayingTokens:
    """Finds the tokens that bring a wanted phrase forward, and remembers them."""

    def __init__(self) -> None:
        self._known: dict[tuple[CompiledConstraint, int, int], frozenset[int]] = {}

    def of(self, constraint: CompiledConstraint, state: int, found: int) -> frozenset[int]:
        """Return the tokens that complete, continue or clearly begin a phrase that is still wanted."""
        wanted = constraint.status(state, found).wanted
        if not wanted:
            return frozenset()
        known = self._known.get((constraint, state, wanted))
        if known is None:
            known = self._known[constraint, state, wanted] = _paying(constraint, state, wanted)
        return known


def _paying(constraint: CompiledConstraint, state: int, wanted: int) -> frozenset[int]:
    matcher, planner = constraint.matcher, constraint.planner
    usual = [planner.usual_spelling(phrase) for phrase in range(len(matcher.phrases)) if wanted >> phrase & 1]
    first = {spelling[0] for spelling in usual if spelling}
    already = constraint.matched_fraction(state, wanted)

    def pays(token: int) -> bool:
        after, found = matcher.step(state, token)
        if (found | matcher.provisional(after)) & wanted:
            return True
        fraction = constraint.matched_fraction(after, wanted)
        return fraction > already if already else token in first or fraction >= _BEGINNING

    return frozenset(filter(pays, constraint.advancing(state, wanted)))


def supports(beams: Sequence[Beam], matrix: ScoreMatrix, paying: PayingTokens) -> list[list[Support]]:
    """Return the support of every row of every input."""
    pay = [
        paying.of(beam.constraint, hypothesis.state, hypothesis.found)
        for beam in beams
        for hypothesis in beam.hypotheses
    ]
    owed = [beam.owed_tokens(row) or () for beam in beams for row in range(len(beam.hypotheses))]
    spared = [sorted({*own, *due}) for own, due in zip(pay, owed, strict=True)]
    tokens, targets, width = _with_targets(matrix, spared, beams[0].settings)
    left = _left_by_masks(matrix, beams[0].settings)  # [rows]
    values = to_host(torch.cat([matrix.of_tokens(tokens), targets, left[:, None]], dim=-1))
    rows = iter(
        [
            _support(own, line[: len(own)], line[len(own) : -1], line[-1], width, len(extra), some)
            for own, line, extra, some in zip(tokens.tolist(), values, spared, pay, strict=True)
        ]
    )
    return [[next(rows) for _ in range(size)] for size in matrix.sizes]


def _left_by_masks(matrix: ScoreMatrix, settings: SearchSettings) -> torch.Tensor:
    """Return the logarithm of the tempered probability of the tokens of each row that are allowed."""
    own = matrix.allowed_own()
    if matrix.mass is None:
        return own.new_zeros(len(own))
    return torch.logsumexp(own / settings.temperature, dim=-1) - matrix.mass


def _with_targets(
    matrix: ScoreMatrix, spared: Sequence[Sequence[int]], settings: SearchSettings
) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Return tokens and log-probabilities, [rows, n]: first so many that truncation leaves, then spared ones.

    The third value is the number of the former. Truncated ones among them have -inf; rows with fewer spared
    tokens than others are padded.
    """
    own = matrix.allowed_own()
    targets, tokens = truncated(own, settings, settings.alpha)
    most = max(map(len, spared))
    padded = [[*extra, *[0] * (most - len(extra))] for extra in spared]
    extra = torch.tensor(padded, dtype=torch.long, device=matrix.device)
    # The constant that turns the scores of a row into log-probabilities.
    constant = own.gather(-1, tokens[:, :1]) / settings.temperature - targets[:, :1]
    spared_targets = own.gather(-1, extra) / settings.temperature - constant
    both = torch.cat([targets, spared_targets], dim=-1).nan_to_num(nan=-math.inf, neginf=-math.inf)
    return torch.cat([tokens, extra], dim=-1), both, tokens.shape[-1]


def _support(
    tokens: list[int],
    logprobs: list[float],
    targets: list[float],
    left: float,
    width: int,
    spared: int,
    paying: frozenset[int],
) -> Support:
    places = {tokens[place]: place for place in range(width) if targets[place] > -math.inf}
    for place in range(width, width + spared):
        places.setdefault(tokens[place], place)
    kept = [max(targets[place], _HOPELESS) for place in places.values()]
    total = log_sum(kept) - left
    return Support(
        [*places], [logprobs[place] for place in places.values()], [own - total for own in kept], paying
    )
