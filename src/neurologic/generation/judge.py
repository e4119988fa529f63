"""Judge texts: read them with the plain specification, and compare with what the search tracked."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Protocol

from neurologic.errors import VerificationError
from neurologic.generation.job import Job
from neurologic.generation.result import Result
from neurologic.logic import Phrase, check, judge_wishes, occurs
from neurologic.marks import find_marks
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import EncodedPrompt
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchOutput


class _Decodes(Protocol):
    """A model that turns tokens back into text."""

    def decode(self, tokens: TokenIds, prompt: EncodedPrompt | None = None) -> str: ...


def judge(model: _Decodes, job: Job, output: SearchOutput) -> Result:
    """Return the best text of a job with its verdict; `others` holds the rest.

    A search cannot see every fault of a text before it is finished. So, if asked to, take the best of the
    finished texts that show none.
    """
    judged = [_judge_text(model, job, text) for text in output.texts]
    if job.avoids_marks and any(result.marks for result in judged):
        judged += (_judge_text(model, job, text) for text in output.spare)
        judged.sort(key=lambda result: (len(result.unmet), len(result.marks)))
    best, *others = judged[: len(output.texts)]
    return replace(
        best,
        others=tuple(others),
        calls=output.calls,
        reused=output.reused,
        request=None if job.request is None else job.request.without_compiled(),
        warnings=job.warnings,
    )


def _judge_text(model: _Decodes, job: Job, text: Finished) -> Result:
    prompt, constraint = job.search_input.prompt, job.search_input.constraint
    written = model.decode(text.tokens, prompt)
    if job.is_text and not _is_whole(text.text):
        written = text.text.decode(errors="ignore")  # cut off inside a character by a time limit
    in_tokens = constraint.token_phrases(text.tokens) | job.whole.token_phrases(text.tokens)

    @cache  # formulas of thousands of forbidden phrases ask for each of them twice
    def occurred(phrase: Phrase) -> bool:
        if phrase.match == "tokens":
            return phrase in in_tokens
        return occurs(phrase, written, before=prompt.before)

    for number, phrase in enumerate(constraint.phrases):
        if occurred(phrase) != bool(text.present >> number & 1):
            raise VerificationError(
                f"neurologic is wrong about {phrase} in the text {written!r}. This is a bug; please "
                f"report it with the formula and the tokenizer ({constraint.vocabulary.name})"
            )
    shown = written if prompt.before else written.strip()
    return Result(
        text=shown,
        score=text.own_score,
        search_score=text.score,
        clauses=check(job.whole.clauses, written, prompt.before, occurred=occurred),
        wishes=judge_wishes(job.whole.wishes, written, before=prompt.before),
        forced=text.forced,
        ending=text.ending,
        tokens=text.tokens,
        logprob=text.own,
        logprobs=text.steps,
        prompt_tokens=len(prompt.ids),
        before=prompt.before[-2:],
        reduced=job.reduced,
        marks=find_marks(
            shown,
            job.whole.clauses,
            prompt="" if job.request is None else job.request.asked,
            before=prompt.before,
            truncated=text.ending in ("length", "time"),
        ),
    )


def _is_whole(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
