"""Everyday texts as a task of `neurologic eval`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.experiments.tasks.base import Item, Option, Options, WrittenText
from neurologic.experiments.tasks.everyday.task_file import REPORT, TUNE, EverydayTask, read_tasks
from neurologic.experiments.tasks.external_outputs import by_id, read_outputs
from neurologic.logic import parse

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score

NAMING, PLAIN, BOTH = "naming", "plain", "both"
PROMPTS: Mapping[str, str] = {
    BOTH: "both prompts of every task, each with a text of its own",
    NAMING: "the prompt that names the words, as people write it",
    PLAIN: "the prompt that says only what the text is about",
}
HALVES: Mapping[str, str] = {
    "all": "both halves",
    TUNE: "the half to choose settings on",
    REPORT: "the half to report figures on",
}
_PARTS = {NAMING: "prompts that name the words", PLAIN: "prompts that do not"}


class Everyday:
    """Product texts, e-mails, headlines, stories and more, as a person would ask for them."""

    name = "everyday"
    title = "Everyday texts"
    summary = "texts that people ask for every day, with words that they must and must not have"
    data = ""
    packages: Mapping[str, str] = {}
    options: tuple[Option, ...] = (
        Option("prompts", "what the model reads", PROMPTS, decides_texts=False),
        Option("half", "which tasks to take", HALVES, decides_texts=False),
        Option(
            "judge-model",
            "a model that scores fluency: a hub id, a folder or a GGUF file",
            decides_texts=False,
        ),
    )
    examples = """
  neurologic eval everyday --half report -o runs/everyday --decoders neurologic,beam
  neurologic eval everyday --half tune --prompts plain -o runs/lambda --vary lambda=0,0.25,0.5
  neurologic eval everyday --half report -o runs/everyday --decoders neurologic,beam --judge-model FILE.gguf
  neurologic eval everyday --half report --runs runs/old runs/new -o runs/compared
  neurologic eval everyday --grades grades.json -o runs/compared
"""

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        """Return nothing: the yardstick measures what a user gets without choosing anything."""
        return {}

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        half, prompts = options["half"], options["prompts"]
        return [
            _item(task, kind)
            for task in read_tasks()
            if half in ("all", task.half)
            for kind in ((NAMING, PLAIN) if prompts == BOTH else (prompts,))
        ]

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """Read one output a line, for every task under the kind of prompts that the items have."""
        return read_outputs(path, items, [by_id("one per chosen prompt", [item.id for item in items])])

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        """Score texts of which nothing is known but the text, without a judge model."""
        options = {option.name: option.default for option in self.options}
        return self.judge([WrittenText(output) for output in outputs], items, options)

    def require_judges(self, options: Options) -> None:
        from neurologic.experiments.metrics import Fluency

        Fluency(options["judge-model"]).require_judge()

    def judge(self, texts: Sequence[WrittenText], items: Sequence[Item], options: Options) -> list[Score]:
        """Score by failure-free texts and each mark, then by the judges."""
        from neurologic.experiments.metrics import Fluency, Unlinked, measure
        from neurologic.experiments.tasks.everyday.mark_metrics import mark_scores, marked_texts

        marked = marked_texts(texts, items)
        judges = (Unlinked(), Fluency(options["judge-model"]))
        return [*mark_scores(marked), *(measure(judge, marked) for judge in judges)]


def _item(task: EverydayTask, prompts: str) -> Item:
    prompt = task.naming if prompts == NAMING else task.plain
    return Item(
        id=f"{task.id}-{prompts}",
        title=prompt,
        prompt=prompt,
        formula=parse(task.formula),
        fields={
            "task": task.id,
            "kind": task.kind,
            "prompts": prompts,
            "prompt": prompt,
            "formula": task.formula,
        },
        settings={"max_new_tokens": task.max_new_tokens},
        part=_PARTS[prompts],
    )
