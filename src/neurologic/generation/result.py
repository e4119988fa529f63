"""Results: the text, its score, and a verdict per clause."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from neurologic.errors import NeurologicError
from neurologic.generation.request import Request
from neurologic.logic import ClauseReport, WishReport, marking, parse, to_clauses
from neurologic.marks import Mark
from neurologic.picture import Picture
from neurologic.search.hypothesis import Ending

# The fields of a text that a trace keeps.
_TRACED = ("text", "tokens", "score", "satisfied", "unmet", "forced")


@dataclass(frozen=True)
class Result:
    """A generated text with its verdict.

    score     length-normalised log-likelihood after the user's own prompt
    search_score
              the same as the search ranks texts by it: with a hint, after both prompts
    clauses   one report per clause, judged on the text
    wishes    one report per wish of the formula (`prefer`), judged on the text
    forced    how many tokens the payment plan forced (see `neurologic.feasibility`)
    ending    why the text is over: "end" token, "stop" string, the last "sentence" before the length limit,
              "length" limit or "time" limit
    tokens    the generated token ids, end token included
    logprobs  for every token its log-likelihood after the user's own prompt; empty if the decoder edits
    prompt_tokens
              how many tokens the user's own prompt has
    before    the two characters directly before the text, where it continues a raw prompt
    marks     the faults that the text shows, such as repetition or a cut-off end (see `neurologic.marks`)
    reduced   the rule that reduced the formula to what the decoder can express, "" if none did
    calls     model calls: texts that the model read one token further, for all texts of this request; for
              editing decoders the sentences that it judged
    reused    roll-out steps that needed no model call, for a decoder that looks ahead
    others    further results if `num_return_sequences` > 1, best first
    warnings  reasons to expect that the text breaks its formula; usually empty
    error     why there is no text; `text` is "" then
    request   the request that this result answers
    seconds   time from the first step of the search to the verdict
    trace     the records of the search, if `trace=True` asked for them; see `picture`
    """

    text: str
    score: float
    clauses: tuple[ClauseReport, ...] = ()
    wishes: tuple[WishReport, ...] = ()
    forced: int = 0
    ending: Ending = "end"
    tokens: tuple[int, ...] = field(default=(), repr=False)
    logprob: float = 0.0
    logprobs: tuple[float, ...] = field(default=(), repr=False)
    prompt_tokens: int = field(default=0, repr=False)
    search_score: float = 0.0
    before: str = ""
    reduced: str = ""
    marks: tuple[Mark, ...] = ()
    calls: int = 0
    reused: int = 0
    others: tuple[Result, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()
    error: Exception | None = field(default=None, compare=False)
    request: Request | None = field(default=None, repr=False, compare=False)
    seconds: float = field(default=0.0, repr=False, compare=False)
    trace: tuple[dict[str, Any], ...] = field(default=(), repr=False, compare=False)

    @property
    def satisfied(self) -> bool:
        """Whether there is a text and every clause holds on it."""
        return self.error is None and all(clause.satisfied for clause in self.clauses)

    @property
    def unmet(self) -> tuple[str, ...]:
        """The clauses that do not hold, as the user wrote them."""
        return tuple(clause.text for clause in self.clauses if not clause.satisfied)

    @property
    def marks_line(self) -> str:
        """The marks on one line, for people."""
        return f"marks: {', '.join(map(str, self.marks))}"

    def __str__(self) -> str:
        """Return the text and its verdict, for people."""
        if self.error is not None:
            return f"error: {self.error}"
        rows = [f"{_mark(clause)} {clause.text}" + _by(clause) for clause in self.clauses]
        rows += map(str, self.wishes)
        return "\n".join([self.text, *rows, *([self.marks_line] if self.marks else [])])

    def _repr_html_(self) -> str:
        """Return the text with its required words marked, and the clauses as a table, for notebooks."""
        if self.error is not None:
            return f"<p><b>error:</b> {html.escape(str(self.error))}</p>"
        rows = "".join(
            f"<tr><td>{_mark(clause)}</td><td>{clause.state.name}</td>"
            f"<td>{html.escape(clause.text)}</td><td>{html.escape(clause.reason)}</td></tr>"
            for clause in self.clauses
        )
        heading = "<tr><th></th><th>state</th><th>clause</th><th>by</th></tr>"
        table = f"<table>{heading}{rows}</table>" if rows else ""
        marks = f"<p><small>{html.escape(self.marks_line)}</small></p>" if self.marks else ""
        wishes = "".join(f"<p><small>{html.escape(str(wish))}</small></p>" for wish in self.wishes)
        return f"<p>{self._marked()}</p>{table}{wishes}{marks}"

    def _marked(self) -> str:
        """Return the text as HTML, with the required phrases found in it marked."""
        return "".join(
            f"<mark>{html.escape(part.text)}</mark>"
            if part.mark is marking.Mark.FOUND
            else html.escape(part.text)
            for part in _parts(self.text, self.clauses, self.before)
        )

    def picture(self) -> Picture:
        """Return the picture of the search that found this text; a notebook shows it.

        It needs `generate(…, trace=True)`.
        """
        if not self.trace:
            raise NeurologicError("there is no trace of this search; write generate(…, trace=True)")
        return Picture.of(self.trace)

    def for_trace(self) -> dict[str, Any]:
        """Return the fields that a trace keeps of a result: what was asked for, and all texts."""
        asked = {} if self.request is None else {"prompt": self.request.asked}
        texts = [{**text.to_dict(), "tokens": list(text.tokens)} for text in (self, *self.others)]
        return {**asked, "texts": [{name: text[name] for name in _TRACED} for text in texts]}

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that an output line of the command line adds to its input line."""
        if self.error is not None:
            return {"error": str(self.error)}
        fields = {
            "text": self.text,
            "score": self.score,
            "satisfied": self.satisfied,
            "unmet": list(self.unmet),
            "clauses": [clause.to_json() for clause in self.clauses],
            "forced": self.forced,
            "marks": [{"kind": mark.kind, "excerpt": mark.excerpt} for mark in self.marks],
        }
        optional = {"before": self.before, "reduced": self.reduced}
        fields |= {name: value for name, value in optional.items() if value}
        if self.wishes:
            fields["wishes"] = [wish.to_json() for wish in self.wishes]
        if self.others:
            fields["others"] = [other.to_dict() for other in self.others]
        return fields


def _mark(clause: ClauseReport) -> str:
    return "✓" if clause.satisfied else "✗"


def _by(clause: ClauseReport) -> str:
    return f" ({clause.reason})" if clause.reason else ""


def highlights(text: str, reports: Sequence[ClauseReport], before: str = "") -> list[tuple[int, int, bool]]:
    """Return where the phrases of judged clauses are in a text: from, to, and whether they are forbidden.

    >>> from neurologic.logic import check
    >>> highlights("A dog, a cat.", check("dog & !cat", "A dog, a cat."))
    [(2, 5, False), (9, 12, True)]
    """
    found: list[tuple[int, int, bool]] = []
    end = 0
    for part in _parts(text, reports, before):
        start, end = end, end + len(part.text)
        if part.mark is not marking.Mark.NONE:
            found.append((start, end, part.mark is marking.Mark.FORBIDDEN))
    return found


def _parts(text: str, reports: Sequence[ClauseReport], before: str) -> list[marking.Part]:
    clauses = [clause for report in reports for clause in to_clauses(parse(report.text))]
    return marking.marked(text, clauses, reports, before=before)
