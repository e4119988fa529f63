"""A record of what happened in each step.

One record per step and input: the hypotheses that were extended, and the candidates that could have been
chosen (only the likeliest of those that rank alike, see `decoders.candidate_proposal`), each with its clause
states, group, score and fate. That is enough to draw the paper's Figure 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.hypothesis import Candidate

# Why a candidate was not selected, in the order in which a step decides.
FATES = {
    "not text": "the token would make the text invalid UTF-8, or not NFC",
    "S2": "pruned: a clause is irreversibly unsatisfied",
    "budget": "pruned: what it owes does not fit into the tokens left",
    "no way left": "pruned: no way to satisfy all clauses is known",
    "stop string too early": "pruned: a stop string while clauses are owed",
    "list": "pruned: too many required phrases in a row",
    "opening": "pruned: the text would begin by talking about the task",
    "alpha": "pruned: not among the top alpha by likelihood",
    "beta": "pruned: not among the top beta tiers of satisfied clauses",
    "same text": "merged with a likelier candidate of the same text and state",
    "not selected": "the beam was full",
    "not drawn": "sampling: no particle drew the token",
    "resampled": "sampling: texts with more weight took its particles",
    "selected": "selected",
    "finished": "selected: the text is finished",
}


class Trace:
    """Hands the record of each step to `write`, such as `list.append`."""

    def __init__(self, write: Callable[[dict[str, Any]], object]) -> None:
        self._write = write

    def step(self, label: object, beam: Beam, selection: Selection) -> None:
        """Record one step of the input that is called `label`."""
        record = {
            "input": label,
            "step": beam.length + 1,
            "rule": beam.rule.name.lower(),
            "clauses": [clause.text for clause in beam.constraint.clauses],
            "beam": [
                {
                    "text": hypothesis.text.decode(errors="replace"),
                    "logprob": hypothesis.logprob,
                    "states": _states(beam, hypothesis.state, hypothesis.found),
                }
                for hypothesis in beam.hypotheses
            ],
            "candidates": [_candidate(beam, candidate) for candidate in selection.considered],
        }
        self._write(record)


def _candidate(beam: Beam, candidate: Candidate) -> dict[str, Any]:
    hypothesis = beam.hypotheses[candidate.row]
    piece = b"" if candidate.ends else beam.text_after(hypothesis, candidate.token)[len(hypothesis.text) :]
    alive = candidate.fate != "not text"
    return {
        "row": candidate.row,
        "token": candidate.token,
        "piece": piece.decode(errors="replace"),
        "ends": candidate.ends,
        "logprob": candidate.logprob,
        "score": candidate.score or candidate.logprob,
        "satisfied": candidate.status.satisfied,
        "states": _states(beam, candidate.state, candidate.found) if alive else [],
        "group": [
            clause.text
            for number, clause in enumerate(beam.constraint.clauses)
            if candidate.status.irreversible >> number & 1
        ],
        "fate": candidate.fate,
        "why": FATES.get(candidate.fate, candidate.fate),
    }


def _states(beam: Beam, state: int, found: int) -> list[str]:
    matcher = beam.constraint.matcher
    states = beam.constraint.tracker.states(found, matcher.provisional(state), matcher.verdict(state))
    return [one.name for one in states]
