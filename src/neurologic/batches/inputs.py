"""The inputs of `generate`, one per prompt of the command line or line of a file, and their results.

Reading an input finds whatever is wrong with it without asking the model, and keeps that as its error.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from neurologic.batches.lines import InputLine, LineError, conjunction, constraint_of_line, refused
from neurologic.batches.row_ledger import KeptRow
from neurologic.errors import NeurologicError
from neurologic.generation.request import Request
from neurologic.generation.result import Result
from neurologic.integrations.glossary import Glossary, Use
from neurologic.logic import Formula

if TYPE_CHECKING:
    from neurologic.generation.constrained_model import ConstrainedModel

Prompt = str | Sequence[Mapping[str, str]]

# So many inputs are one stream of requests. The model waits for the last of them, which costs less than a
# thousandth of the time; without an end, a million inputs that need no model would wait in memory together.
_AT_MOST = 10_000


@dataclass(frozen=True)
class PromptInput:
    """A prompt with its formula, or the reason why it cannot be used.

    index   its place among the inputs, from 0
    name    its name in messages, "" for the only prompt
    fields  the fields of its input line, which its output line keeps
    plain   its prompt without the required phrases, if the line has one
    uses    the terms of a glossary that the prompt has; None without a glossary
    line    the line or row that it comes from
    kept    its lines in the output, if an earlier process wrote them
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
    line: InputLine | None = None
    kept: KeptRow | None = None

    @property
    def runs(self) -> bool:
        """Whether its result needs the model."""
        return self.error is None and self.kept is None and not self.blank

    @property
    def blank(self) -> bool:
        """Whether it is a blank line, which only keeps its place."""
        return self.line is not None and self.line.blank

    @property
    def request(self) -> Request:
        """The request for its text."""
        return Request(self.prompt, self.formula, self.raw, id=self.index, plain_prompt=self.plain)


@dataclass(frozen=True)
class InputReader:
    """Makes inputs of prompts and lines; its fields are what the command line says about all of them.

    strict  whether a line with misspelt keys, or keys that it has twice, is an error
    """

    formula: Formula | None
    raw: bool
    system: str | None
    glossary: Glossary | None = None
    strict: bool = False

    def prompts(self, prompts: Sequence[str]) -> Iterator[PromptInput]:
        """Yield an input per prompt of the command line, all with the same formula, each with its terms."""
        return self.lines(prompt_lines(prompts))

    def lines(self, lines: Iterable[InputLine]) -> Iterator[PromptInput]:
        """Yield an input per line, each with its own formula and terms and the common formula."""
        for line in lines:
            yield self.line(line)

    def line(self, line: InputLine) -> PromptInput:
        """Return the input of a line."""
        if line.blank:
            return PromptInput(line.place, line.name, line.fields, line=line)
        if self.strict:
            line = refused(line)
        if line.error is not None:
            fields = line.fields or {"line": line.number}
            return PromptInput(line.place, line.name, fields, error=line.error, line=line)
        return replace(self._read(line.place, line.name, line.fields), line=line)

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


def prompt_lines(prompts: Sequence[str]) -> Iterator[InputLine]:
    """Yield the prompts of a command line as lines."""
    for place, prompt in enumerate(prompts):
        label = f"prompt {place + 1}" if len(prompts) > 1 else ""
        data = prompt.encode(errors="surrogateescape")
        yield InputLine(place + 1, {"prompt": prompt}, place=place, data=data, label=label)


def results_of(
    lm: ConstrainedModel | None, inputs: Iterable[PromptInput], **options: Any
) -> Iterator[tuple[PromptInput, Result]]:
    """Yield every input with its result, in the order of the inputs, as soon as it is done.

    inputs   read some batches ahead of their results, not all at once
    options  those of `lm.stream`

    Inputs that are blank, have an error or were written before need no model. An unexpected error ends
    everything: it is a bug, or the machine is out of memory, and no input is to blame.
    """
    inputs = iter(inputs)
    for first in inputs:
        yield from _results_of_some(
            lm, itertools.chain([first], itertools.islice(inputs, _AT_MOST - 1)), options
        )


def _results_of_some(
    lm: ConstrainedModel | None, inputs: Iterable[PromptInput], options: Mapping[str, Any]
) -> Iterator[tuple[PromptInput, Result]]:
    """Yield some inputs with their results; all that need no model and lie between others are in memory."""
    results: Iterator[Result] = iter(())
    if lm is not None:
        ahead, inputs = itertools.tee(inputs)
        requests = (given.request for given in ahead if given.runs)
        results = lm.stream(requests, ordered=True, on_error="return", **options)
    for given in inputs:
        result = next(results) if given.runs else Result("", 0.0, error=given.error)
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
