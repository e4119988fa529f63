"""What every task gives to `neurologic eval`: inputs with prompts and formulas, others' outputs, and scores.

A task reads its own data, knows its own metrics, and has settings for decoders. It knows nothing of models,
of files that a run writes, or of the page that shows it: those are the same for all tasks, in
`neurologic.experiments.runs`. To add a task, write a class that fulfils `Task` and name it in
`neurologic.experiments.tasks.TASKS`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from neurologic.errors import DataError
from neurologic.experiments.tasks.files import text_lines
from neurologic.logic import Formula

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score
    from neurologic.experiments.training import Pair

Prompt: TypeAlias = str | Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Item:
    """One input of a task.

    id          tells it from all others of its split; the same whatever part of the split is looked at
    title       what a reader knows it by
    prompt      a text, or the messages of a conversation
    formula     what its text must obey; None for nothing
    references  texts that people wrote for it
    raw         whether the prompt goes to the model as it is, without a chat template
    opening     the part of the prompt with which the output begins: a text that the model continues
    fields      what lines about it say beside its id, and what the task's metrics need
    """

    id: str
    title: str
    prompt: Prompt
    formula: Formula | None = None
    references: tuple[str, ...] = ()
    raw: bool = False
    opening: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


def place_of(item: Item) -> int:
    """Where an item with an id such as "dev-17" stands in its split, from 0.

    >>> place_of(Item("dev-17", "", ""))
    16
    """
    return int(item.id.rpartition("-")[2]) - 1


def without_references(items: Sequence[Item]) -> str:
    """Why outputs cannot be compared with what people wrote; "" where they can.

    A score of those items that have references would look like one of all.
    """
    missing = [item.title for item in items if not item.references]
    if not missing:
        return ""
    return "the data has no references" if len(missing) == len(items) else f"{missing[0]} has no references"


@dataclass(frozen=True)
class Option:
    """Something that a task lets its user choose; on the command line `--NAME VALUE`.

    choices  the values that it may have, each with its meaning, the default first
    text     without choices, where any text will do: the default
    """

    name: str
    meaning: str
    choices: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    @property
    def default(self) -> str:
        return next(iter(self.choices), self.text)


Options: TypeAlias = Mapping[str, str]

# What metrics against references take, with the extra that brings it.
PACKAGES: Mapping[str, str] = dict.fromkeys(("pycocoevalcap", "sacrebleu", "spacy"), "metrics")


class Task(Protocol):
    """One experiment of the paper.

    name      as on the command line: "commongen"
    title     as in papers: "CommonGen"
    summary   a line on what is asked
    data      what `--data` names, for its help text
    packages  what its metrics import or read, each with the extra that brings it
    options   what its user may choose beside model and decoder
    examples  command lines for its help page
    """

    name: str
    title: str
    summary: str
    data: str
    packages: Mapping[str, str]
    options: tuple[Option, ...]
    examples: str

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        """How a decoder writes unless the caller says otherwise; it gets those settings that it heeds."""
        ...

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        """All inputs of a split in their order, each once."""
        ...

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """The texts of a file that another program wrote for all inputs, or for those that are given."""
        ...

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        """Scores of outputs, one for each item; the first is the one by which the worst are found."""
        ...


@runtime_checkable
class Trainable(Protocol):
    """A task that `neurologic train` can train a model for."""

    name: str

    def pairs(self, data: str | Path, split: str) -> list[Pair]:
        """What a supervised model reads and writes: every reference of every input is a pair."""
        ...


def options_of(task: Task, given: Mapping[str, str | None]) -> dict[str, str]:
    """All options of a task: those given, the defaults of the others."""
    chosen = {}
    for option in task.options:
        value = given.get(option.name)
        chosen[option.name] = option.default if value is None else value
        if option.choices and chosen[option.name] not in option.choices:
            raise DataError(
                f"{option.name} {chosen[option.name]!r}: choose one of {', '.join(option.choices)}"
            )
    return chosen


def require_packages(task: Task) -> None:
    """Say what is missing before texts are written for hours that nothing here can score."""
    missing = {name: extra for name, extra in task.packages.items() if importlib.util.find_spec(name) is None}
    if missing:
        extras = ",".join(dict.fromkeys(missing.values()))
        raise DataError(
            f"the metrics of {task.name} need {', '.join(missing)}: pip install 'neurologic[{extras}]'"
        )


def lines_of_outputs(path: Path, counts: Mapping[int, str]) -> list[str]:
    """The outputs of a file, one a line; `counts` are the numbers of them that make sense, with the reason.

    An output may be blank. Blank lines at the end, beyond such a number, are not outputs.
    """
    lines = text_lines(path)
    found = len(lines)
    while len(lines) not in counts and lines and not lines[-1].strip():
        lines.pop()
    if len(lines) not in counts:
        wanted = ", or ".join(f"{number} ({what})" for number, what in counts.items())
        raise DataError(f"{path} has {found} {'line' if found == 1 else 'lines'}; expected {wanted}")
    return lines
