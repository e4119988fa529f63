"""Sequential Monte Carlo: draw texts from the model's own distribution, given that they satisfy the formula.

Masking forbidden tokens one step at a time does not do that. It writes what the model likes until the budget
forces the required words, and it never regrets a beginning that leads nowhere. So `num_beams` particles per
text draw their tokens and keep account of what they write:

- **Target.** The distribution p of tokens after the user's own prompt, tempered and truncated, given that the
  text satisfies the formula. Truncation spares tokens that pay: a required word among the likeliest tokens
  is rare.
- **Proposal** q. The scores of the search, in which a hint may have a say, over the tokens that the beam
  does not drop. Paying tokens get more: as much as it takes to pay all debts in the time left, but most of it
  where the model comes nearest to wanting them. A partly written forbidden word gets less (`doubt`).
- **Weights.** Every token multiplies the weight of its particle by p / q. So the mass that a mask takes away
  lowers the weight, and a word that was pushed in costs what the model thinks of it.
- **Resampling.** Copies of other particles replace those with little weight, by systematic resampling where
  the effective sample size falls below half. Particles compete only with those that have satisfied as many
  clauses: before the last debt is paid, one that owes would always beat one that paid. And what a particle
  owes for the hint and for pushed tokens counts once it has paid (`Particle.deferred`).

Particles with the same text share a row of the model. A finished particle keeps its weight, and
`search.drawn_texts` draws the text to return. The more particles, the nearer to the target; a single one is
masked sampling. Without required phrases one particle is enough.

Any proposal gives the same target, as do resampling and its groups: they only decide how many particles it
takes to come near. Limits: tokens beyond the `alpha` likeliest of a row are never drawn unless they pay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurologic.decoders.candidate_proposal import Proposal
from neurologic.decoders.particle_support import PayingTokens, Support, supports
from neurologic.decoders.resampling import Weighted, log_sum, resampled, systematic
from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.drawn_texts import DrawnTexts, Particle
from neurologic.search.hypothesis import Candidate
from neurologic.search.score_matrix import Cells, ScoreMatrix

# The share of particles that may be made to pay in one step, or to go on with a phrase that they have begun.
_MOST_PUSHED = 0.5
# The mean probability of paying tokens that a text begins with; it counts for one step. A required word is
# far less likely than this at the start of most texts, and nobody wants to read it there.
_USUAL = 0.002
# How often debts would be paid in the time left with lambda = 1: more than once, since paying tokens have
# most of their probability in a few places, where no more than `_MOST_PUSHED` of it counts.
_PAYMENTS = 4
# The smallest log-probability of a token, where a processor leaves no number.
_LEAST = -200.0


@dataclass(slots=True)
class _Option:
    """A token that a row may draw.

    target   its log-probability under the target
    doubt    what a partly written forbidden word costs
    pays     whether it brings a wanted phrase forward
    natural  its log-probability in the proposal before paying tokens get more
    chance   its log-probability in the proposal
    """

    candidate: Candidate
    target: float
    doubt: float
    pays: bool
    natural: float
    chance: float = 0.0


class Particles:
    """Takes the particles of all inputs one token further."""

    def __init__(self) -> None:
        self._paying = PayingTokens()

    def step(self, beams: Sequence[Beam], matrix: ScoreMatrix) -> list[Selection]:
        """Return the drawn and resampled candidates of every input; none where the beam drops all."""
        found = supports(beams, matrix, self._paying)
        return [self._step(beam, rows) for beam, rows in zip(beams, found, strict=True)]

    def _step(self, beam: Beam, rows: Sequence[Support]) -> Selection:
        proposal = Proposal(beam, 1, whole=True)
        options = self._options(beam, rows, proposal)
        ending: list[Weighted] = []
        running: list[Weighted] = []
        for row, own in enumerate(options):
            if own:
                for drawn in _drawn(beam, row, own):
                    (ending if drawn.candidate.ends else running).append(drawn)
        running = list(_survivors(beam, running, ending))
        selection = Selection([], [], proposal.considered)
        for candidate, particle, _ in ending:
            candidate.fate, candidate.memory = "finished", particle
            selection.ending.append(candidate)
        for candidate, particle, _ in running:
            candidate.fate, candidate.memory = "selected", particle
            selection.running.append(candidate)
        for candidate in selection.considered:
            candidate.fate = candidate.fate or "not drawn"
        return selection

    def _options(self, beam: Beam, rows: Sequence[Support], proposal: Proposal) -> list[list[_Option]]:
        """Return the options of every row that the beam does not drop."""
        cells = [
            (row, token, logprob, target)
            for row, support in enumerate(rows)
            for token, logprob, target in zip(support.tokens, support.logprobs, support.targets, strict=True)
            if logprob > -math.inf
        ]
        if cells:
            in_rows, tokens, logprobs, _ = zip(*cells, strict=True)
            listed = Cells(np.array(in_rows), np.array(tokens), np.array(logprobs))
            proposal.fill(listed, alpha=len(cells) + 1)
        options: list[list[_Option]] = [[] for _ in rows]
        temperature, doubt = beam.settings.temperature, beam.settings.doubt
        for candidate, (row, token, logprob, target) in zip(proposal.considered, cells, strict=True):
            if candidate.fate:
                continue
            outlook = beam.constraint.outlook(candidate.state, candidate.found)
            cost = doubt if outlook.would_fail and not candidate.ends else 0.0
            pays = token in rows[row].paying
            options[row].append(_Option(candidate, target, cost, pays, logprob / temperature - cost))
        return options


def _drawn(beam: Beam, row: int, options: Sequence[_Option]) -> Iterator[Weighted]:
    """Let the particles of a row draw their tokens; yield the tokens with their particles."""
    parent = particle_of(beam, row)
    natural = _propose(beam, row, parent, options)
    surviving = log_sum([option.target - option.doubt for option in options])
    parent_status = beam.constraint.status(beam.hypotheses[row].state, beam.hypotheses[row].found)
    counts = systematic([option.chance for option in options], parent.count, beam.random)
    for option, count in zip(options, counts, strict=True):
        if not count:
            continue
        step = option.target - option.chance
        # What counts at once: the mass that masks and doubts leave, under the target.
        at_once = surviving + option.doubt
        status = option.candidate.status
        owes = status.wanted and status.satisfied <= parent_status.satisfied
        particle = Particle(
            count,
            parent.weight + step,
            parent.deferred + at_once - step if owes else 0.0,
            parent.natural + natural,
            parent.steps + 1,
        )
        yield Weighted(option.candidate, particle, option.doubt)


def _propose(beam: Beam, row: int, parent: Particle, options: Sequence[_Option]) -> float:
    """Set the chances of a row's options; return the natural probability of those that pay.

    If a share h of the particles shall pay in a step, and paying tokens had the mean probability m so far,
    then multiply their probability by h / m: this pays in time, and mostly in places that suit it.
    """
    total = log_sum([option.natural for option in options])
    paying = sum(math.exp(option.natural - total) for option in options if option.pays)
    pushed = _pushed(beam, row, parent, paying) if 0 < paying < 1 else paying
    more, less = (0.0, 0.0)
    if paying < pushed < 1:
        more, less = math.log(pushed / paying), math.log((1 - pushed) / (1 - paying))
    for option in options:
        option.chance = option.natural - total + (more if option.pays else less)
    return paying


def _pushed(beam: Beam, row: int, parent: Particle, paying: float) -> float:
    """Return the probability of paying tokens in the proposal."""
    hypothesis, constraint = beam.hypotheses[row], beam.constraint
    outlook = constraint.outlook(hypothesis.state, hypothesis.found)
    if not beam.settings.lambda_:
        return paying
    if outlook.inside:
        return max(paying, _MOST_PUSHED)
    owed = outlook.status.unsatisfied.bit_count()
    share = _PAYMENTS * beam.settings.lambda_ * owed / max(1, beam.time_to_pay(outlook.status))
    mean = (parent.natural + paying + _USUAL) / (parent.steps + 2)
    return max(paying, min(_MOST_PUSHED, share * paying / mean))


def _survivors(beam: Beam, running: list[Weighted], ending: list[Weighted]) -> Iterator[Weighted]:
    """Resample the particles that go on, each among those that have satisfied as many clauses."""
    clauses = len(beam.constraint.clauses)
    finished = [*(weighted.particle for weighted in ending)]
    if isinstance(beam.finished, DrawnTexts):
        finished += beam.finished.particles()
    for tier in sorted({weighted.candidate.status.satisfied for weighted in running}):
        peers = [weighted for weighted in running if weighted.candidate.status.satisfied == tier]
        yield from resampled(peers, finished if tier == clauses else [], beam.random)


def particle_of(beam: Beam, row: int) -> Particle:
    """Return the particles of a row; the prompt's row has all of them."""
    memory = beam.hypotheses[row].memory
    if isinstance(memory, Particle):
        return memory
    return Particle(beam.settings.num_beams if beam.constraint.tracker.wanted else 1)


def weighed(beam: Beam, selection: Selection) -> Selection:
    """Let particles draw from candidates that the beam chose, each as likely as the model says."""
    drawn = Selection(considered=selection.considered)
    chosen = [*selection.running, *selection.ending]
    for row, hypothesis in enumerate(beam.hypotheses):
        own = [candidate for candidate in chosen if candidate.row == row]
        if not own:
            continue
        parent = particle_of(beam, row)
        prices = [max(candidate.logprob - hypothesis.logprob, _LEAST) for candidate in own]
        weight = parent.weight + log_sum(prices)
        counts = systematic(prices, parent.count, beam.random)
        for candidate, count in zip(own, counts, strict=True):
            if count:
                candidate.memory = replace(parent, count=count, weight=weight)
                (drawn.ending if candidate.ends else drawn.running).append(candidate)
            else:
                candidate.fate = "not drawn"
    return drawn
