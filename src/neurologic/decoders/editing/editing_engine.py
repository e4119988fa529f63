"""The editing engine: start from the keywords, let an editor improve them, return the best sentences seen.

Inputs are edited one after the other, so a sentence never depends on its neighbours in a batch. Only causal
models can score an arbitrary sentence after a prompt; logits processors and stopping criteria
act on texts that grow from left to right and have no meaning here.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import torch

from neurologic.decoders.editing.editor import Editor
from neurologic.decoders.editing.sentence import Keywords, Sentence
from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
from neurologic.decoders.editing.start_sentences import starting_sentences
from neurologic.errors import BudgetError, ModelError
from neurologic.models.base import LanguageModel
from neurologic.models.causal import CausalModel
from neurologic.search.finished_texts import FinishedTexts, normalised
from neurologic.search.hypothesis import Finished
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings


class EditingEngine:
    """Edits inputs one after the other, with the methods of `neurologic.search.engine.Engine`."""

    def __init__(self, model: LanguageModel, editor: Editor) -> None:
        self._adapter = _causal(model, editor)
        self._editor = editor
        self.active: list[tuple[int, SearchInput]] = []

    @property
    def can_admit(self) -> bool:
        """Whether inputs may join now: always."""
        return True

    def admit(self, inputs: Sequence[tuple[int, SearchInput]]) -> None:
        """Take inputs to edit; each `step` edits one of them."""
        if any(given.settings.max_new_tokens < 2 for _, given in inputs):
            raise BudgetError(
                "a sentence needs at least 2 tokens, the end token being one; raise max_new_tokens"
            )
        self.active += inputs

    def drop(self, numbers: Collection[int]) -> None:
        """Drop inputs that are no longer wanted."""
        self.active = [(number, given) for number, given in self.active if number not in numbers]

    def step(self) -> list[tuple[int, SearchOutput]]:
        """Edit one input until its steps or its time are used up; return its best sentences."""
        if not self.active:
            return []
        number, given = self.active.pop(0)
        return [(number, _edit(self._adapter, given, self._editor))]


@torch.inference_mode(False)  # a caller's own would forbid gradients
def _edit(adapter: CausalModel, given: SearchInput, editor: Editor) -> SearchOutput:
    """Return the best sentences that an editor finds; `calls` counts the sentences evaluated."""
    settings = given.settings
    deadline = math.inf if settings.max_time is None else time.monotonic() + settings.max_time
    scorer = CausalSentenceScorer(adapter, given.prompt)
    keywords = Keywords(given.constraint, given.prompt.before, settings.max_new_tokens)
    best = FinishedTexts(replace(settings, num_beams=settings.num_return_sequences))
    steps = 0
    for sentence, is_step in _walk(editor, scorer, keywords, random.Random(given.seed)):
        best.add(_finished(sentence, keywords, settings))
        steps += is_step
        if steps >= settings.edit_steps or time.monotonic() > deadline:
            break
    return SearchOutput(best.best(), calls=scorer.calls)


def _walk(
    editor: Editor, scorer: CausalSentenceScorer, keywords: Keywords, chance: random.Random
) -> Iterator[tuple[Sentence, bool]]:
    """Yield every sentence on the way, and whether an edit step led to it; a start is not a step."""
    for start in starting_sentences(scorer, keywords, chance):
        yield start, False
        kept = keywords.keeping(keywords.present(start.tokens) or 0)
        for sentence in editor.edits(start, scorer, kept, chance):
            yield sentence, True


def _finished(sentence: Sentence, keywords: Keywords, settings: SearchSettings) -> Finished:
    constraint = keywords.constraint
    present = keywords.present(sentence.tokens) or 0
    score = normalised(sentence.logprob, sentence.length, settings.length_penalty)
    return Finished(
        tokens=(*sentence.tokens, sentence.end),
        text=constraint.vocabulary.decode(sentence.tokens),
        logprob=sentence.logprob,
        own=sentence.logprob,
        score=score,
        own_score=score,
        satisfied=constraint.tracker.at_end(present).satisfied,
        present=present,
        forced=0,
        ending="end",
    )


def _causal(model: LanguageModel, editor: Editor) -> CausalModel:
    adapter = getattr(model, "adapter", None)  # a model of the user's own has none
    if not isinstance(adapter, CausalModel):
        raise ModelError(
            f"{type(editor).__name__} edits texts of causal models of Hugging Face's, and this is not one "
            f"({type(getattr(model, 'model', model)).__name__}); use the decoder neurologic with it"
        )
    return adapter
