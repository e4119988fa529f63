"""Prompts of CommonGen: an instruction, examples, the start of a sentence, or the input of a trained model.

Examples in a prompt are supervision, if only by eight sentences: figures with them are not zero-shot. We
wrote the examples here ourselves, about sets that are neither in train nor in dev.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurologic.experiments.tasks.base import Messages, Prompt, chat, ignores_formulas

INSTRUCTION = "Write one simple sentence that uses all of these words: {}."
EXAMPLES = (
    ("kitchen, bread, bake", "A woman is baking bread in the kitchen."),
    ("ride, hill, bike, wear, helmet", "A boy wearing a helmet rides his bike down a hill."),
    ("guitar, sit, play, stage", "The man sits on the stage and plays the guitar."),
    ("stone, child, river, throw", "Two children throw stones into the river."),
    ("newspaper, bench, read", "An old man is reading a newspaper on a park bench."),
    ("finish, crowd, line, cheer, runner", "The crowd cheered as the runners crossed the finish line."),
    ("mirror, brush, girl, tooth", "A girl brushes her teeth in front of a mirror."),
    ("truck, vegetable, load, farmer", "The farmers loaded fresh vegetables into the back of a truck."),
)

# The same request without the concepts, for the twin of a few-shot prompt.
PLAIN_INSTRUCTION = "Write one simple sentence about an everyday scene."

# After a single word alone, a language model hardly knows what to write.
LEAD_IN = "Here is one sentence about an everyday scene.\n\n"
OPENING = "A"

# The paper's 32 tokens and 3-gram blocking, and a length penalty chosen on sets of train
# (docs/experiments/settings_search.md). At 1, long tails make up for bad starts.
SETTINGS: dict[str, Any] = {"max_new_tokens": 32, "no_repeat_ngram_size": 3, "length_penalty": 0.2}

FEW_SHOT, ZERO_SHOT, AS_OPENING, SUPERVISED = "few-shot", "zero-shot", "opening", "supervised"

PROMPTS: Mapping[str, str] = {
    FEW_SHOT: "an instruct model sees eight examples as chat turns, then the concepts",
    ZERO_SHOT: "an instruct model sees the instruction and the concepts",
    AS_OPENING: "a plain language model continues --lead-in and --opening and does not see the concepts",
    SUPERVISED: '"a b c =", as models of "neurologic train commongen" are trained',
}

# An instruct model likes to comment on its sentence in a further paragraph; a language model that was never
# trained on single sentences does not stop after one. After examples, blocking repeated 2-grams keeps a small
# model from "A bedroom is a floor is a suite." (docs/experiments/settings_search.md).
# Prompts that list the concepts tempt a model to copy the list; against that are `max_run` and the twins.
_LISTING: Mapping[str, Any] = {"stop_strings": ("\n",), "max_run": 2, "hint_urgency": 0.0}
_OF_PROMPT: Mapping[str, Mapping[str, Any]] = {
    FEW_SHOT: {**_LISTING, "no_repeat_ngram_size": 2, "hint_weight": 0.8},
    ZERO_SHOT: {**_LISTING, "hint_weight": 0.5},
    AS_OPENING: {"stop_strings": (".", "\n")},
}

# Decoders without constraints use Hugging Face's n-gram blocking, which counts the prompt's n-grams too.
# After example sentences, the text could not even begin as one of them does, with "A" or "The".
_WITHOUT_CONSTRAINTS: Mapping[str, Mapping[str, Any]] = {FEW_SHOT: {"no_repeat_ngram_size": 0}}


def settings(kind: str, decoder: str) -> dict[str, Any]:
    """Return the default settings of a decoder after a kind of prompt."""
    further = _WITHOUT_CONSTRAINTS.get(kind, {}) if ignores_formulas(decoder) else {}
    return {**SETTINGS, **_OF_PROMPT.get(kind, {}), **further}


def prompt_of(concepts: Sequence[str], kind: str, lead_in: str = LEAD_IN, opening: str = OPENING) -> Prompt:
    """Return the prompt of a concept set; a text goes to the model as it is."""
    if kind == FEW_SHOT:
        return conversation(concepts)
    if kind == ZERO_SHOT:
        return instruction(concepts)
    return lead_in + opening if kind == AS_OPENING else supervised(concepts)


def twin_of(concepts: Sequence[str], kind: str) -> Messages | None:
    """Return the second prompt of a concept set; see `neurologic.search.two_prompts`.

    After examples it asks for the same kind of sentence, but names no concept, so the sentence reads like the
    examples. Without examples it names the concepts in the opposite order: a copied list fits only one.
    """
    if kind == FEW_SHOT:
        return chat(PLAIN_INSTRUCTION, ((PLAIN_INSTRUCTION, sentence) for _, sentence in EXAMPLES))
    return instruction(concepts[::-1]) if kind == ZERO_SHOT else None


def conversation(concepts: Sequence[str]) -> Messages:
    """Return the examples as chat turns, then the request for these concepts."""
    examples = ((INSTRUCTION.format(words), sentence) for words, sentence in EXAMPLES)
    return chat(INSTRUCTION.format(", ".join(concepts)), examples)


def instruction(concepts: Sequence[str]) -> Messages:
    """Return the request for these concepts without an example."""
    return chat(INSTRUCTION.format(", ".join(concepts)))


def supervised(concepts: Sequence[str]) -> str:
    """Return the input of a model that `neurologic train commongen` trained.

    >>> supervised(["field", "look", "stand"])
    'field look stand ='
    """
    return f"{' '.join(concepts)} ="
