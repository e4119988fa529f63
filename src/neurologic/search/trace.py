"""A record of what happened in each step, and of what came out in the end.

One record per step and input: the hypotheses that were extended, and the candidates that could have been
chosen (only the likeliest of those that rank alike, see `decoders.candidate_proposal`), each with its clause
states, group, score and fate. That is enough to draw the paper's Figure 3: see `neurologic.picture`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neurologic.search.beam import Beam
from neurologic.search.decoder import Selection
from neurologic.search.hypothesis import Candidate, Hypothesis

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
    "dominated": "another one has satisfied the same clauses and more, and ranks before it",
    "not selected": "the beam was full",
    "not drawn": "sampling: no particle drew the token",
    "no room": "the text, or its sentence, may have no further word, and this leads away from an end",
    "resampled": "sampling: texts with more weight took its particles",
    "selected": "selected",
    "finished": "selected: the text is finished",
}

_SATISFIED = ("S3", "S4")


class Trace:
    """Hands the record of each step to `write`, such as `list.append`."""

    def __init__(self, write: Callable[[dict[str, Any]], object]) -> None:
        self._write = write

    def step(self, label: object, beam: Beam, selection: Selection) -> None:
        """Record one step of the input that is called `label`."""
        view = _View(beam)
        settings = beam.settings
        self._write(
            {
                "input": label,
                "step": beam.length + 1,
                "rule": beam.rule.name.lower(),
                "left": beam.left,
                "settings": {
                    "num_beams": settings.num_beams,
                    "alpha": settings.alpha,
                    "beta": settings.beta,
                    "lambda": settings.lambda_,
                },
                "clauses": [clause.text for clause in view.clauses],
                "beam": [view.hypothesis(hypothesis) for hypothesis in beam.hypotheses],
                "candidates": [view.candidate(candidate) for candidate in selection.considered],
            }
        )

    def end(self, label: object, result: dict[str, Any]) -> None:
        """Record what came out: the fields of the result."""
        self._write({"input": label, "result": result})


class Recording(Trace):
    """Keeps the records of one search, and tells whoever follows it about each."""

    def __init__(self, tell: Callable[[dict[str, Any]], object] | None = None) -> None:
        self.records: list[dict[str, Any]] = []
        self._tell = tell
        super().__init__(self._keep)

    def _keep(self, record: dict[str, Any]) -> None:
        self.records.append(record)
        if self._tell is not None:
            self._tell(record)


class _View:
    """What a record tells of one step; candidates in the same state share those of their clauses."""

    def __init__(self, beam: Beam) -> None:
        self._beam = beam
        self.clauses = beam.constraint.clauses
        self._known: dict[tuple[int, int], list[str]] = {}

    def hypothesis(self, hypothesis: Hypothesis) -> dict[str, Any]:
        return {
            "text": _text(hypothesis.text),
            "logprob": hypothesis.logprob,
            "states": self._states(hypothesis.state, hypothesis.found),
            "row": hypothesis.rows[-1] if hypothesis.rows else None,
            "token": hypothesis.tokens[-1] if hypothesis.tokens else None,
            "plan": self._beam.plan_length(hypothesis),
            "forced": hypothesis.forced,
        }

    def candidate(self, candidate: Candidate) -> dict[str, Any]:
        fate = candidate.fate
        states = self._states(candidate.state, candidate.found) if fate != "not text" else []
        return {
            "row": candidate.row,
            "token": candidate.token,
            "piece": self._piece(candidate),
            "ends": candidate.ends,
            "logprob": candidate.logprob,
            "score": candidate.score or candidate.logprob,
            "satisfied": sum(state in _SATISFIED for state in states),
            "states": states,
            "group": [
                clause.text
                for number, clause in enumerate(self.clauses)
                if candidate.status.irreversible >> number & 1
            ],
            "inside": candidate.inside,
            "closes": candidate.closes,
            "forced": self._beam.is_forced(candidate.row),
            "fate": fate,
            "why": FATES.get(fate, fate),
        }

    def _piece(self, candidate: Candidate) -> str:
        """Return the characters that a token adds; a part of a character counts once the rest is there."""
        if candidate.ends:
            return ""
        hypothesis = self._beam.hypotheses[candidate.row]
        return _text(self._beam.text_after(hypothesis, candidate.token))[len(_text(hypothesis.text)) :]

    def _states(self, state: int, found: int) -> list[str]:
        key = found, state
        if key not in self._known:
            constraint = self._beam.constraint
            matcher = constraint.matcher
            states = constraint.tracker.states(found, matcher.provisional(state), matcher.verdict(state))
            self._known[key] = [one.name for one in states]
        return self._known[key]


def _text(text: bytes) -> str:
    return text.decode(errors="ignore")
