"""A page to grade texts on without knowing who wrote them, and the key that tells.

The page shows every input with the texts of all systems in a random order that hides the system: a text's id
is a hash of input and text, the ids give the order, and equal texts appear once. The inputs come in such an
order too, so that the first few are a fair sample of all. The page holds no name of a system; the key is a
file of its own beside it. As an id depends on nothing else, grades stay valid when further systems or inputs
join. `grades` reads them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neurologic.experiments.runs.evaluation import Evaluation
from neurologic.experiments.runs.report import render
from neurologic.experiments.tasks.base import Item
from neurologic.logic import to_clauses

PAGE = "side_by_side.html"
KEY = "side_by_side_key.json"

GRADES = {
    1: "unusable",
    2: "bad: much to repair",
    3: "passable with repairs",
    4: "good, a small flaw",
    5: "as a careful person would have written it",
}


@dataclass(frozen=True)
class BlindText:
    """A text without its writer."""

    id: str
    text: str


@dataclass(frozen=True)
class BlindInput:
    """An input with its texts in the order of their ids.

    required, forbidden  the clauses of its formula that ask for words, and the others
    """

    id: str
    prompt: str
    required: tuple[str, ...]
    forbidden: tuple[str, ...]
    texts: tuple[BlindText, ...]


def side_by_side_page(evaluation: Evaluation) -> str:
    """Return the page of an evaluation."""
    inputs = blind_inputs(evaluation)
    return render(
        "side_by_side.html",
        title=f"{evaluation.task.title}: texts to grade",
        inputs=inputs,
        count=sum(len(each.texts) for each in inputs),
        grades=GRADES,
    )


def blind_inputs(evaluation: Evaluation) -> list[BlindInput]:
    """Return the inputs that have a text, in the order of the hashes of their ids."""
    found = []
    for place, item in enumerate(evaluation.items):
        written = {
            text_id(item.id, output): output
            for system in evaluation.systems
            if (output := system.predictions[place].output).strip()
        }
        if written:
            texts = tuple(BlindText(key, written[key]) for key in sorted(written))
            asking = evaluation.systems[0].asking[place]
            clauses = [] if item.formula is None else [clause.text for clause in to_clauses(item.formula)]
            found.append(
                BlindInput(
                    text_id(item.id, ""),
                    _shown_prompt(item),
                    tuple(clause for clause in clauses if clause in asking),
                    tuple(clause for clause in clauses if clause not in asking),
                    texts,
                )
            )
    return sorted(found, key=lambda each: each.id)


def key_document(evaluation: Evaluation) -> dict[str, Any]:
    """Return the systems in their order, and for each input the id of every system's text."""
    return {
        "task": evaluation.task.name,
        "systems": [system.name for system in evaluation.systems],
        "inputs": {
            item.id: {
                system.name: text_id(item.id, system.predictions[place].output)
                for system in evaluation.systems
                if system.predictions[place].output.strip()
            }
            for place, item in enumerate(evaluation.items)
        },
    }


def text_id(item: str, text: str) -> str:
    """Return twelve digits that tell nothing of the system that wrote a text."""
    return hashlib.sha256(json.dumps([item, text]).encode()).hexdigest()[:12]


def _shown_prompt(item: Item) -> str:
    if isinstance(item.prompt, str):
        return item.prompt
    last: Mapping[str, str] = item.prompt[-1] if item.prompt else {}
    return last.get("content", "")
