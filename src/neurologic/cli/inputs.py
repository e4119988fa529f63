"""The inputs of `generate`, one per prompt of the command line or line of a file, and their results.

Reading an input finds whatever is wrong with it without asking the model, and keeps that as its error.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from neurologic.cli.arguments import conjunction
from neurologic.cli.jsonl import InputLine, LineError, constraint_of_line
from neurologic.cli.messages import CommandError
from neurologic.errors import NeurologicError
from neurologic.generation.request import Request
from neurologic.generation.result import Result
from neurologic.integrations.glossary import Glossary, Use
from neurologic.logic import Formula

if TYPE_CHECKING:
    from neurologic.generation.constrained_model import ConstrainedModel

Prompt = str | Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class PromptInput:
    """A prompt with its formula, or the reason why it cannot be used.

    index   its place among the inputs, from 0
    name    its name in messages, "" for the only prompt
    fields  the fields of its input line, which its output line keeps
    plain   its prompt without the required phrases, if the line has one
    uses    the terms of a glossary that the prompt has; None without a glossary
    """

    index: int
    name: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    prompt: Prompt = ""
    formula: Formula | None = None
    raw: bool = False
    plain: Prompt | None = None
    error: NeurologicError | None = None
    uses: tuple[Use, ...] | None = None

    @property
    def request(self) -> Request:
        """The request for its text."""
        return Request(self.prompt, self.formula, self.raw, id=self.index, plain_prompt=self.plain)


def require_prompts(arguments: argparse.Namespace) -> None:
    """Raise `CommandError` for prompts of the command line, and options for them, that make no sense."""
    if not all(map(is_text, arguments.prompts)):
        raise CommandError("a prompt is not text in this terminal's encoding")
    if arguments.raw and arguments.system is not None:
        raise CommandError("--raw sends the prompt alone, so it takes no --system")


@dataclass(frozen=True)
class InputReader:
    """Makes inputs of prompts and lines; its fields are what the command line says about all of them."""

    formula: Formula | None
    raw: bool
    system: str | None
    glossary: Glossary | None = None

    def prompts(self, prompts: Sequence[str]) -> Iterator[PromptInput]:
        """Yield an input per prompt of the command line, all with the same formula, each with its terms."""
        for index, prompt in enumerate(prompts):
            name = f"prompt {index + 1}" if len(prompts) > 1 else ""
            yield self._read(index, name, {"prompt": prompt})

    def lines(self, lines: Iterable[InputLine]) -> Iterator[PromptInput]:
        """Yield an input per line, each with its own formula and terms and the common formula."""
        for index, line in enumerate(lines):
            if line.error is None:
                yield self._read(index, line.name, line.fields)
            else:
                yield PromptInput(index, line.name, line.fields or {"line": line.number}, error=line.error)

    def _read(self, index: int, name: str, fields: Mapping[str, Any]) -> PromptInput:
        try:
            raw = _raw(fields, self.raw)
            prompt = _prompt(fields, self.system)
            plain = _plain_prompt(fields, self.system)
            whole = conjunction([constraint_of_line(fields), self.formula])
        except NeurologicError as error:
            return PromptInput(index, name, fields, error=error)
        given = PromptInput(index, name, fields, prompt, whole, raw, plain)
        if self.glossary is None:
            return given
        uses = self.glossary.uses(_source(prompt))
        return replace(given, formula=conjunction([whole, *(use.formula for use in uses)]), uses=uses)


def results_of(
    lm: ConstrainedModel | None, inputs: Iterable[PromptInput], **options: Any
) -> Iterator[tuple[PromptInput, Result]]:
    """Yield every input with its result, in the order of the inputs, as soon as it is done.

    inputs   read some batches ahead of their results, not all at once
    options  those of `lm.stream`

    Inputs that have an error need no model. An unexpected error ends everything: it is a bug, or the machine
    is out of memory, and no input is to blame.
    """
    results: Iterator[Result] = iter(())
    if lm is not None:
        ahead, inputs = itertools.tee(inputs)
        requests = (given.request for given in ahead if given.error is None)
        results = lm.stream(requests, ordered=True, on_error="return", **options)
    for given in inputs:
        result = next(results) if given.error is None else Result("", 0.0, error=given.error)
        if result.error is not None and not isinstance(result.error, NeurologicError):
            raise result.error
        yield given, result
    next(results, None)  # if an error ended the inputs, `stream` raises it now


def _source(prompt: Prompt) -> str:
    """Return the text to find terms in: the prompt, or the last message of a conversation."""
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
            raise LineError('"prompt" holds half a surrogate pair, which is not text')
        return prompt if system is None else [_message("system", system), _message("user", prompt)]
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise LineError('"messages" must be a list of objects, as in [{"role": "user", "content": "…"}]')
    if not all(is_text(value) for message in messages for value in message.values()):
        raise LineError('"messages" hold half a surrogate pair, which is not text')
    if system is not None and (not messages or messages[0].get("role") != "system"):
        return [_message("system", system), *messages]
    return messages


def _plain_prompt(fields: Mapping[str, Any], system: str | None) -> Prompt | None:
    plain = fields.get("plain_prompt")
    if plain is None:
        return None
    if not isinstance(plain, str) or not is_text(plain):
        raise LineError('"plain_prompt" must be a text: the prompt without the required phrases')
    return _prompt({"prompt": plain}, system)


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def is_text(value: Any) -> bool:
    """Return False for a string that no UTF-8 file could hold; JSON's escapes can write such strings."""
    return not isinstance(value, str) or not any("\ud800" <= character <= "\udfff" for character in value)
