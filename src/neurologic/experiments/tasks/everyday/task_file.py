"""Read the everyday tasks from `tasks.jsonl`, a JSON object per line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import json_lines

TASKS_FILE = Path(__file__).with_name("tasks.jsonl")

# The kinds of tasks, with what a person asks for.
KINDS = {
    "product": "a product text",
    "email": "an e-mail",
    "headline": "a headline",
    "story": "a story of 100 words",
    "faq": "the answer to a customer's question",
    "worn": "a paragraph without 30 worn phrases",
    "paraphrase": "a sentence in other words",
    "facts": "facts as sentences",
}
TUNE, REPORT = "tune", "report"


@dataclass(frozen=True)
class EverydayTask:
    """One text to write.

    half            "tune" or "report"
    naming          a prompt that names the words, as a person would
    plain           a prompt for the same text that does not name them
    formula         the words that the text must and must not have, as formula text
    max_new_tokens  the longest text
    """

    id: str
    kind: str
    half: str
    naming: str
    plain: str
    formula: str
    max_new_tokens: int


def read_tasks(path: Path = TASKS_FILE) -> list[EverydayTask]:
    """Return the tasks in the order of the file."""
    tasks = []
    for number, fields in json_lines(path):
        try:
            task = EverydayTask(**fields)
        except TypeError as error:
            raise DataError(f"{path}, line {number}: not an everyday task ({error})") from error
        if task.kind not in KINDS or task.half not in (TUNE, REPORT):
            raise DataError(f"{path}, line {number}: unknown kind {task.kind!r} or half {task.half!r}")
        tasks.append(task)
    return tasks
