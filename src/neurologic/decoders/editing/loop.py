"""The editing loop: start from the keywords, let an editor improve them, return the best sentences seen.

Inputs are edited one after the other, so a sentence never depends on its neighbours in a batch. Only causal
models can be asked what they think of any sentence after a prompt; logits processors and stopping criteria
act on texts that grow from left to right and have no meaning here.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Sequence
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


def edit(
    model: LanguageModel,
    inputs: Sequence[SearchInput],
    editor: Editor,
    settings: SearchSettings,
) -> list[SearchOutput]:
    """The best sentences that an editor finds for each input; `calls` counts sentences evaluated."""
    adapter = _causal(model, editor)
    if settings.max_new_tokens < 2:
        raise BudgetError("a sentence needs at least 2 tokens, the end token being one; raise max_new_tokens")
    started = time.monotonic()
    outputs: list[SearchOutput] = []
    for number, one in enumerate(inputs):
        seconds = None
        if settings.max_time is not None:  # what time is left is shared out evenly
            seconds = (settings.max_time - (time.monotonic() - started)) / (len(inputs) - number)
        outputs.append(_edit_one(adapter, one, editor, settings, seconds))
    return outputs


@torch.inference_mode(False)  # a caller's own would forbid gradients
def _edit_one(
    adapter: CausalModel,
    one: SearchInput,
    editor: Editor,
    settings: SearchSettings,
    seconds: float | None,
) -> SearchOutput:
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    scorer = CausalSentenceScorer(adapter, one.prompt)
    keywords = Keywords(one.constraint, one.prompt.before, settings.max_new_tokens)
    best = FinishedTexts(replace(settings, num_beams=settings.num_return_sequences))
    steps = 0
    for sentence, is_step in _walk(editor, scorer, keywords, random.Random(one.seed)):
        best.add(_finished(sentence, keywords, settings))
        steps += is_step
        if steps >= settings.edit_steps or time.monotonic() > deadline:
            break
    return SearchOutput(best.best(), calls=scorer.calls)


def _walk(
    editor: Editor, scorer: CausalSentenceScorer, keywords: Keywords, chance: random.Random
) -> Iterator[tuple[Sentence, bool]]:
    """Every sentence that is come by, and whether an edit step led to it; a start is none."""
    for start in starting_sentences(scorer, keywords, chance):
        yield start, False
        kept = keywords.keeping(keywords.present(start.tokens) or 0)
        for sentence in editor.edits(start, scorer, kept, chance):
            yield sentence, True


def _finished(sentence: Sentence, keywords: Keywords, settings: SearchSettings) -> Finished:
    constraint = keywords.constraint
    present = keywords.present(sentence.tokens) or 0
    return Finished(
        tokens=(*sentence.tokens, sentence.end),
        text=constraint.vocabulary.decode(sentence.tokens),
        logprob=sentence.logprob,
        score=normalised(sentence.logprob, sentence.length, settings.length_penalty),
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
