"""The protocol of a task, and what all tasks share: items, options, chat prompts.

A task reads its own data, knows its own metrics, and has settings for decoders. It knows nothing of models or
of the files and pages that a run writes: `neurologic.experiments.runs` does that for every task alike. To
add a task, write a class that fulfils `Task` and name it in `neurologic.experiments.tasks.TASKS`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from neurologic.decoders.registry import decoder_named
from neurologic.errors import DataError, install_line
from neurologic.logic import Expressivity, Formula

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score
    from neurologic.experiments.training import Pair

Messages: TypeAlias = list[dict[str, str]]
Prompt: TypeAlias = str | Sequence[Mapping[str, str]]
Options: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Item:
    """One input of a task.

    id          unique in its split, and the same whatever part of the split a run takes
    title       its name for readers
    prompt      a text, or the messages of a conversation
    formula     the constraint on its text; None for none
    references  texts that people wrote for it
    raw         whether the prompt goes to the model as it is, without a chat template
    opening     the part of the prompt with which the output begins: a text that the model continues
    fields      what output files say about it besides its id, and what the task's metrics need
    settings    search settings of its own; those of the run come before them
    part        the part of the inputs that it belongs to: tables score several parts one by one
    twin        a second prompt for decoders that read two (`Request.plain_prompt`)
    """

    id: str
    title: str
    prompt: Prompt
    formula: Formula | None = None
    references: tuple[str, ...] = ()
    raw: bool = False
    opening: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    part: str = ""
    twin: Prompt | None = None


@dataclass(frozen=True)
class WrittenText:
    """A text as a run has it; `cut_off` says whether it ended at its limit, None if that is not known."""

    text: str
    cut_off: bool | None = None


@dataclass(frozen=True)
class Option:
    """A choice that a task leaves to its user; on the command line `--NAME VALUE`.

    choices        its values with their meanings, the default first
    text           the default of an option without choices, which takes any text
    decides_texts  whether the text for an input depends on it; if not, it chooses inputs (its default: all of
                   them) or judges, and may change from one command to the next on the same run
    """

    name: str
    meaning: str
    choices: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    decides_texts: bool = True

    @property
    def default(self) -> str:
        return next(iter(self.choices), self.text)


class Task(Protocol):
    """One experiment of the paper.

    name      as on the command line: "commongen"
    title     as in papers: "CommonGen"
    summary   one line on what the model has to write
    data      the help text of `--data`; "" for a task whose data is part of the package
    packages  packages that its metrics import or read, each with the extra that installs it
    options   choices besides model and decoder
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
        """Return the default settings of a decoder; the caller drops those that it does not know."""
        ...

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        """Return all inputs of a split in their order, each once."""
        ...

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """Read the texts that another program wrote for all inputs, or for these items."""
        ...

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        """Score one output per item; reports sort the items by the first score."""
        ...


@runtime_checkable
class Trainable(Protocol):
    """A task that `neurologic train` can train a model for."""

    name: str

    def pairs(self, data: str | Path, split: str) -> list[Pair]:
        """Return a pair of prompt and text for every reference of every input."""
        ...


@runtime_checkable
class OpenEnded(Protocol):
    """A task without references: its texts are judged as they stand, and graded by people on a page."""

    def require_judges(self, options: Options) -> None:
        """Raise `NeurologicError` if a judge that the options name is not there, before texts are written."""
        ...

    def judge(self, texts: Sequence[WrittenText], items: Sequence[Item], options: Options) -> list[Score]:
        """Score one text per item, as `Task.measure` does, with all that a run knows of it."""
        ...


def options_of(task: Task, given: Mapping[str, str | None]) -> dict[str, str]:
    """Return all options of a task, with defaults for those that are not given."""
    chosen = {}
    for option in task.options:
        value = given.get(option.name)
        chosen[option.name] = option.default if value is None else value
        if option.choices and chosen[option.name] not in option.choices:
            raise DataError(
                f"{option.name} {chosen[option.name]!r}: choose one of {', '.join(option.choices)}"
            )
    return chosen


def all_items(task: Task, data: str | Path, split: str, options: Options) -> list[Item]:
    """Return the inputs of a split whatever the options choose among them."""
    choosing = {option.name: option.default for option in task.options if not option.decides_texts}
    return task.items(data, split, {**options, **choosing})


def require_packages(task: Task) -> None:
    """Raise `DataError` if the task's metrics lack a package, before a run spends hours on texts."""
    missing = {name: extra for name, extra in task.packages.items() if importlib.util.find_spec(name) is None}
    if missing:
        extras = dict.fromkeys(missing.values())
        raise DataError(f"the metrics of {task.name} need {', '.join(missing)}: {install_line(*extras)}")


# -- prompts and settings -------------------------------------------------------------------------


def chat(request: str, examples: Iterable[tuple[str, str]] = ()) -> Messages:
    """Return a conversation of example turns (request, answer) that ends with the request."""
    turns: Messages = []
    for asked, answer in examples:
        turns += [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]
    return [*turns, {"role": "user", "content": request}]


def ignores_formulas(decoder: str) -> bool:
    """Tell whether a decoder has no constraints, like beam search and sampling."""
    return decoder_named(decoder).expresses is Expressivity.NOTHING
