"""Records of searches that never happened, of any size."""

from __future__ import annotations

import random
from typing import Any

CLAUSES = ["dog", "frisbee", "!cat"]
WORDS = ("a", "dog", "frisbee")


def made_up_trace(
    beams: int, steps: int, *, seed: int = 0, words: tuple[str, ...] = WORDS
) -> list[dict[str, Any]]:
    """Return the records of a search with so many beams and steps, and of its result."""
    chance = random.Random(seed)
    beam = [_hypothesis(None, None, "", 0.0, ["S1", "S1", "S3"])]
    records = []
    for step in range(1, steps + 1):
        candidates = [
            _candidate(row, token, chance, beam[row], words)
            for row in range(len(beam))
            for token in range(3 if len(beam) > 1 else beams + 2)
        ]
        order = sorted(range(len(candidates)), key=lambda place: -candidates[place]["logprob"])
        for place in order[:beams]:
            candidates[place]["fate"] = candidates[place]["why"] = "selected"
        records.append(_step(step, steps, beams, beam, candidates))
        beam = [
            _hypothesis(
                candidates[place]["row"],
                candidates[place]["token"],
                beam[candidates[place]["row"]]["text"] + candidates[place]["piece"],
                candidates[place]["logprob"],
                candidates[place]["states"],
                before=beam[candidates[place]["row"]],
            )
            for place in order[:beams]
        ]
    best = beam[0]
    result = {
        "text": best["text"],
        "tokens": best["tokens"],
        "score": -1.0,
        "satisfied": True,
        "unmet": [],
        "forced": 0,
    }
    records.append({"input": 0, "result": {"prompt": "Write.", "texts": [result]}})
    return records


def _step(step: int, steps: int, beams: int, beam: list[Any], candidates: list[Any]) -> dict[str, Any]:
    return {
        "input": 0,
        "step": step,
        "rule": "budget",
        "left": steps - step,
        "settings": {"num_beams": beams, "alpha": 50, "beta": 2, "lambda": 0.1},
        "clauses": CLAUSES,
        "beam": beam,
        "candidates": candidates,
    }


def _hypothesis(
    row: int | None, token: int | None, text: str, logprob: float, states: list[str], before: Any = None
) -> dict[str, Any]:
    tokens = [] if token is None else [*before["tokens"], token]
    return {
        "text": text,
        "logprob": logprob,
        "states": states,
        "row": row,
        "token": token,
        "tokens": tokens,
        "plan": 2,
        "forced": 0,
    }


def _candidate(
    row: int, token: int, chance: random.Random, before: Any, words: tuple[str, ...]
) -> dict[str, Any]:
    word = words[token % len(words)]
    states = ["S4" if word == clause else old for clause, old in zip(CLAUSES, before["states"], strict=True)]
    return {
        "row": row,
        "token": token,
        "piece": f" {word}",
        "ends": False,
        "logprob": before["logprob"] - chance.random(),
        "score": before["logprob"],
        "satisfied": 1,
        "states": states,
        "group": [clause for clause, state in zip(CLAUSES, states, strict=True) if state == "S4"],
        "inside": False,
        "closes": False,
        "forced": False,
        "fate": "not selected",
        "why": "the beam was full",
    }
