"""Answers: results as choices of OpenAI's API, each with its verdict.

A stop string is cut off, as clients expect, unless the formula needs it; the verdict is on the text that is
sent.
"""

from __future__ import annotations

import codecs
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from neurologic.generation.result import Result
from neurologic.logic import ClauseReport, Phrase, WishReport
from neurologic.logic.formula import Formula
from neurologic.serve.api_errors import api_error
from neurologic.serve.desk import Desk
from neurologic.serve.orders import Order

_LEAST_LOGPROB = -9999.0  # JSON has no infinity
_TRUNCATED = ("length", "time")


@dataclass(frozen=True)
class Choice:
    """A text to send.

    index    its place among the texts of an answer
    reports  the verdict on the text as it is sent
    wishes   which wishes of the formula it has
    extras   what the order asks for beside it: highlights, a picture
    """

    index: int
    text: str
    result: Result
    reports: tuple[ClauseReport, ...]
    wishes: tuple[WishReport, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def satisfied(self) -> bool:
        return all(report.satisfied for report in self.reports)

    @property
    def finish_reason(self) -> str:
        return "length" if self.result.ending in _TRUNCATED else "stop"

    @property
    def verdict(self) -> dict[str, Any]:
        """The value of `neurologic` in a choice."""
        return {
            "satisfied": self.satisfied,
            "unmet": [report.text for report in self.reports if not report.satisfied],
            "clauses": [report.to_json() for report in self.reports],
            **({"wishes": [wish.to_json() for wish in self.wishes]} if self.wishes else {}),
            "forced": self.result.forced,
            "score": self.result.score,
            "ending": self.result.ending,
            "marks": [{"kind": mark.kind, "excerpt": mark.excerpt} for mark in self.result.marks],
            "warnings": list(self.result.warnings),
            **self.extras,
        }


@dataclass(frozen=True)
class Answer:
    """The fields that all parts of an answer share."""

    order: Order
    model: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created: int = field(default_factory=lambda: int(time.time()))

    def head(self, *, chunk: bool = False) -> dict[str, Any]:
        """Return id, kind, time and model."""
        if self.order.kind == "text":
            identity = {"id": f"cmpl-{self.id}", "object": "text_completion"}
        else:
            suffix = ".chunk" if chunk else ""
            identity = {"id": f"chatcmpl-{self.id}", "object": f"chat.completion{suffix}"}
        return {**identity, "created": self.created, "model": self.model}

    def whole(self, choices: Sequence[Choice], desk: Desk) -> dict[str, Any]:
        """Return the answer in one piece."""
        return {
            **self.head(),
            "choices": [self._choice(choice, desk) for choice in choices],
            "usage": usage(choices, self.order.n),
        }

    def _choice(self, choice: Choice, desk: Desk) -> dict[str, Any]:
        written: dict[str, Any] = {"text": choice.text}
        if self.order.kind == "chat":
            written = {"message": {"role": "assistant", "content": choice.text, "refusal": None}}
        return {
            "index": choice.index,
            **written,
            "logprobs": self.logprobs(choice, desk),
            "finish_reason": choice.finish_reason,
            "neurologic": choice.verdict,
        }

    def logprobs(self, choice: Choice, desk: Desk) -> dict[str, Any] | None:
        """Return the log-likelihood of every token of a text, if the order asks for them."""
        if not self.order.logprobs:
            return None
        tokens = list(_tokens(choice.result, desk))
        if self.order.kind == "chat":
            content = [
                {
                    "token": piece.decode(errors="replace"),
                    "logprob": logprob,
                    "bytes": list(piece),
                    "top_logprobs": [],
                }
                for piece, logprob in tokens
            ]
            return {"content": content, "refusal": None}
        texts = [piece.decode(errors="replace") for piece, _ in tokens]
        # A character may have several tokens, so count whole characters.
        whole = codecs.getincrementaldecoder("utf-8")(errors="ignore")
        ends = accumulate((len(whole.decode(piece)) for piece, _ in tokens), initial=0)
        offsets = list(ends)[:-1]
        logprobs = [logprob for _, logprob in tokens]
        return {
            "tokens": texts,
            "token_logprobs": logprobs,
            "top_logprobs": None,
            "text_offset": offsets,
        }


async def choices_of(order: Order, number: int, result: Result, desk: Desk) -> list[Choice]:
    """Return the choices of a prompt, best first; raise `ApiError` if there is no text."""
    if result.error is not None:
        raise api_error(result.error) from result.error
    desk.note_seconds(result.seconds)
    choices = []
    for place, found in enumerate((result, *result.others)):
        text, reports, wishes = await _without_stop(order, result, found, desk)
        extras: dict[str, Any] = {}
        if order.highlights:
            extras["highlights"] = await desk.highlights(text, reports, found.before)
        if order.picture and found.trace:  # one search finds all texts of a prompt
            extras["picture"] = await desk.drawn(found)
        if order.echo:
            text = f"{order.prompts[number]}{text}"
        choices.append(Choice(number * order.n + place, text, found, reports, wishes, extras))
    return choices


def usage(choices: Sequence[Choice], n: int) -> dict[str, int]:
    """Count the tokens of prompts and texts; the `n` texts of a prompt share it."""
    prompts = sum(choice.result.prompt_tokens for choice in choices if choice.index % n == 0)
    written = sum(len(choice.result.tokens) for choice in choices)
    return {"prompt_tokens": prompts, "completion_tokens": written, "total_tokens": prompts + written}


async def _without_stop(
    order: Order, best: Result, found: Result, desk: Desk
) -> tuple[str, tuple[ClauseReport, ...], tuple[WishReport, ...]]:
    """Return a text without the stop string that ended it, if it satisfies as much as before."""
    cut = found.text if found.ending != "stop" else cut_stop(found.text, order.stops)
    formula = None if best.request is None else best.request.constraint
    whole = found.text, found.clauses, found.wishes
    if cut == found.text or not isinstance(formula, Formula) or not (found.clauses or found.wishes):
        return cut, found.clauses, found.wishes
    if any(phrase.match == "tokens" for phrase in formula.phrases() if isinstance(phrase, Phrase)):
        return whole  # a text does not show its tokens
    reports, wishes = await desk.judge_again(formula, cut, found.before)
    if sum(report.satisfied for report in reports) < sum(report.satisfied for report in found.clauses):
        return whole
    return cut, reports, wishes


def cut_stop(text: str, stops: Sequence[str]) -> str:
    """Return a text without the last stop string and what follows it in the same token.

    >>> cut_stop("One. Two.\\n\\n", ["\\n"])
    'One. Two.'
    """
    start = max((text.rfind(stop) for stop in stops), default=-1)
    if start < 0:
        return text
    text = text[:start]
    while ending := next((stop for stop in stops if text.endswith(stop)), ""):
        text = text[: -len(ending)]  # one token may hold the string several times
    return text


def _tokens(result: Result, desk: Desk) -> Iterator[tuple[bytes, float]]:
    """Yield the bytes of every token and its log-likelihood; the token that ends a text has no bytes."""
    for token, logprob in zip(result.tokens, result.logprobs, strict=False):
        if token not in desk.end_ids:
            yield desk.pieces[token] or b"", max(logprob, _LEAST_LOGPROB)
