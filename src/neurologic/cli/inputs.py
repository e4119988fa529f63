"""What `generate` is asked to write: one task per prompt or input line.

Everything that can be wrong with a task without asking the model is found here, and kept with the task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from neurologic.cli.arguments import conjunction
from neurologic.cli.jsonl import RESULT_FIELDS, InputLine, LineError, constraint_of_line
from neurologic.errors import NeurologicError
from neurologic.generation.result import Result
from neurologic.integrations.glossary import Glossary, Use
from neurologic.logic import Formula

Prompt = str | Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class PromptInput:
    """One text to write, or the reason why it cannot be.

    index   its place among the inputs, from 0
    name    how messages call it
    fields  what its output line starts from
    uses    the terms of a glossary that the prompt has; None without a glossary
    """

    index: int
    name: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    prompt: Prompt = ""
    formula: Formula | None = None
    raw: bool = False
    error: NeurologicError | None = None
    uses: tuple[Use, ...] | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a task: a result or an error."""

    task: PromptInput
    result: Result | NeurologicError

    @property
    def satisfied(self) -> bool:
        return isinstance(self.result, Result) and self.result.satisfied

    def to_json(self) -> dict[str, Any]:
        """The output line: the input's fields, and the result or the error."""
        if isinstance(self.result, NeurologicError):
            # The constraint stays as it was, for whoever mends the line.
            kept = {
                name: value
                for name, value in self.task.fields.items()
                if name not in RESULT_FIELDS or name == "clauses"
            }
            return {**kept, "error": str(self.result)}
        # An input line may be the output of an earlier run: nothing of that run may stay.
        fields = {name: value for name, value in self.task.fields.items() if name not in RESULT_FIELDS}
        fields |= self.result.to_dict()
        if self.task.uses is not None:
            fields["glossary"] = [use.to_json(self.result.text) for use in self.task.uses]
        return fields


def inputs_of_prompts(
    prompts: Sequence[str],
    formula: Formula | None,
    raw: bool,
    system: str | None,
    glossary: Glossary | None = None,
) -> list[PromptInput]:
    """One task per prompt of the command line, all under the same formula, each with its own terms."""
    several = len(prompts) > 1
    tasks = []
    for index, prompt in enumerate(prompts):
        name = f"prompt {index + 1}" if several else ""
        task = _task(index, name, {"prompt": prompt}, formula, raw, system)
        tasks.append(_with_terms(task, glossary))
    return tasks


def inputs_of_lines(
    lines: Sequence[InputLine],
    formula: Formula | None,
    raw: bool,
    system: str | None,
    glossary: Glossary | None = None,
) -> list[PromptInput]:
    """One task per line, each under its own constraint and terms and the command line's constraint."""
    tasks = []
    for index, line in enumerate(lines):
        if line.error is not None:
            tasks.append(
                PromptInput(index, line.name, line.fields or {"line": line.number}, error=line.error)
            )
        else:
            task = _task(index, line.name, line.fields, formula, raw, system)
            tasks.append(_with_terms(task, glossary))
    return tasks


def _task(
    index: int, name: str, fields: Mapping[str, Any], formula: Formula | None, raw: bool, system: str | None
) -> PromptInput:
    try:
        raw = _raw(fields, raw)
        prompt = _prompt(fields, system)
        whole = conjunction([constraint_of_line(fields), formula])
    except NeurologicError as error:
        return PromptInput(index, name, fields, error=error)
    return PromptInput(index, name, fields, prompt, whole, raw)


def _with_terms(task: PromptInput, glossary: Glossary | None) -> PromptInput:
    """The task with what a glossary asks for because of its prompt."""
    if glossary is None or task.error is not None:
        return task
    uses = glossary.uses(_source(task.prompt))
    return replace(task, formula=conjunction([task.formula, *(use.formula for use in uses)]), uses=uses)


def _source(prompt: Prompt) -> str:
    """Where terms are looked for: in the prompt, or in the last message of a conversation."""
    if isinstance(prompt, str):
        return prompt
    content = prompt[-1].get("content") if prompt else None
    return content if isinstance(content, str) else ""


def _raw(fields: Mapping[str, Any], default: bool) -> bool:
    raw = fields.get("raw")
    if raw is not None and not isinstance(raw, bool):
        raise LineError('"raw" must be true or false')
    return default if raw is None else raw


def _prompt(fields: Mapping[str, Any], system: str | None) -> Prompt:
    prompt, messages = fields.get("prompt"), fields.get("messages")
    if (prompt is None) == (messages is None):
        raise LineError('give "prompt" or "messages"' + (", not both" if prompt is not None else ""))
    if prompt is not None:
        if not isinstance(prompt, str):
            raise LineError('"prompt" must be a string; a conversation goes into "messages"')
        if not is_text(prompt):
            raise LineError('"prompt" holds half a surrogate pair, which is no text')
        return prompt if system is None else [_message("system", system), _message("user", prompt)]
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise LineError('"messages" must be a list of objects, as in [{"role": "user", "content": "…"}]')
    if not all(is_text(value) for message in messages for value in message.values()):
        raise LineError('"messages" hold half a surrogate pair, which is no text')
    if system is not None and (not messages or messages[0].get("role") != "system"):
        return [_message("system", system), *messages]
    return messages


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def is_text(value: Any) -> bool:
    """False for a string that no UTF-8 file could hold (JSON's escapes can write such)."""
    return not isinstance(value, str) or not any("\ud800" <= character <= "\udfff" for character in value)
