"""Fluency: mean log-probability per token under another model, the judge, which does not see the task.

The judge reads the text as its own answer to a neutral request ("Write a text."), in its chat template; a
model without one reads it as a text of its own. So the judge knows neither the required words nor the topic,
and what it dislikes is odd as such. A text's end does not count. The score is the mean over the texts, in
nats; a text without tokens has none. `kept_scores` keeps verdicts, so the judge reads a text once.

Limits: causal models of transformers only. Likely is not good: a repetition becomes likelier each time, so
this judge alone rewards loops, and a bland text beats a lively one. Use a judge that is larger than the model
that wrote the texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from neurologic.batches.model_identity import model_name
from neurologic.errors import PromptError
from neurologic.experiments.metrics.base import Corpus, Goal, Numbers
from neurologic.experiments.metrics.kept_scores import KeptScores, Verdict
from neurologic.experiments.metrics.optional_packages import UnavailableError

if TYPE_CHECKING:
    from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
    from neurologic.matching.vocabulary import TokenIds
    from neurologic.models.base import EncodedPrompt, TextModel

REQUEST = "Write a text."
MOST_TOKENS = 512  # of a text; what follows is not judged


@dataclass(frozen=True)
class Fluency:
    """Fluency with rows (nats per token, 1), (0, 0) for a text without tokens.

    judge  a hub id, a folder or a GGUF file; "" for none
    """

    judge: str = ""
    name: ClassVar[str] = "fluency"
    title: ClassVar[str] = "Fluency"
    goal: ClassVar[Goal] = Goal.HIGH
    digits: ClassVar[int] = 2
    unit: ClassVar[str] = "fluency in nats per token"

    def statistics(self, texts: Corpus) -> Numbers:
        if not self.judge:
            raise UnavailableError("there is no judge; name one with --judge-model")
        verdicts = KeptScores(f"fluency|{self.settings()}").of(texts.outputs, self._judged)
        return np.array([(verdict[0], 1.0) if verdict[1] else (0.0, 0.0) for verdict in verdicts])

    def value(self, totals: Numbers) -> float:
        return float(totals[0] / totals[1]) if totals[1] else 0.0

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return f"judge:{model_name(self.judge)}|request:{REQUEST}|tokens:{MOST_TOKENS}|end:uncounted"

    def require_judge(self) -> None:
        """Raise `ModelError` if the judge is not there, without loading it."""
        if self.judge:
            from neurologic.models.loading import locate

            locate(self.judge)

    def _judged(self, texts: Sequence[str]) -> Iterator[tuple[str, Verdict]]:
        from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
        from neurologic.models.causal import CausalModel
        from neurologic.models.loading import load

        model = load(self.judge)
        if not isinstance(model.adapter, CausalModel):
            raise UnavailableError(f"{self.judge} cannot judge; name a causal language model")
        scorer = CausalSentenceScorer(model.adapter, neutral_prompt(model))
        for text in texts:
            yield text, _verdict(scorer, tokens_of(model, text))


def neutral_prompt(model: TextModel) -> EncodedPrompt:
    """Return the request in the model's chat template, or the start of a text for a model without one."""
    try:
        return model.encode([{"role": "user", "content": REQUEST}])
    except PromptError:
        return model.encode("", raw=True)


def tokens_of(model: TextModel, text: str) -> TokenIds:
    """Return the tokens of a text that the judge reads."""
    # A line of JSON can bring in half a surrogate pair, which no tokenizer takes.
    whole = text.encode(errors="replace").decode()
    return tuple(model.tokenizer(whole, add_special_tokens=False)["input_ids"][:MOST_TOKENS])


def _verdict(scorer: CausalSentenceScorer, tokens: TokenIds) -> Verdict:
    """Return (nats per token, number of tokens)."""
    return (scorer.read(tokens).logprob / len(tokens), float(len(tokens))) if tokens else (0.0, 0.0)
