"""What a model is asked: by an instruction, by examples, by the start of a sentence, or as it was trained.

Examples in a prompt are supervision, if only of eight sentences: figures with them are not zero-shot. The
examples here are sentences of our own, about sets that are neither in train nor in dev.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurologic.decoders.registry import decoder_named
from neurologic.experiments.tasks.base import Prompt
from neurologic.logic import Expressivity

Messages = list[dict[str, str]]

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

# A language model that has read nothing at all hardly knows what to do with one word.
LEAD_IN = "Here is one sentence about an everyday scene.\n\n"
OPENING = "A"

# How texts are written unless the caller says otherwise: the paper's 32 tokens and 3-gram blocking, and a
# length penalty that was chosen on sets of train (docs/settings.md). At 1, long tails make up for bad starts.
SETTINGS: dict[str, Any] = {"max_new_tokens": 32, "no_repeat_ngram_size": 3, "length_penalty": 0.2}

FEW_SHOT, ZERO_SHOT, AS_OPENING, SUPERVISED = "few-shot", "zero-shot", "opening", "supervised"

PROMPTS: Mapping[str, str] = {
    FEW_SHOT: "an instruct model sees eight examples as chat turns, then the concepts",
    ZERO_SHOT: "an instruct model sees the instruction and the concepts",
    AS_OPENING: "a plain language model goes on with --lead-in and --opening, without the concepts",
    SUPERVISED: '"a b c =", as models of "neurologic train commongen" are trained',
}

# An instruct model likes to go on about its sentence in a further paragraph; a language model that was never
# trained on single sentences does not end after one at all. After examples, no 2-gram twice keeps a small
# model from "A bedroom is a floor is a suite." (docs/settings.md).
_OF_PROMPT: Mapping[str, Mapping[str, Any]] = {
    FEW_SHOT: {"stop_strings": ("\n",), "no_repeat_ngram_size": 2},
    ZERO_SHOT: {"stop_strings": ("\n",)},
    AS_OPENING: {"stop_strings": (".", "\n")},
}

# The prompts that list the concepts, so that a model may be tempted to write the list.
LISTING = (FEW_SHOT, ZERO_SHOT)

# Hugging Face's n-gram blocking, which decoders without constraints have, counts the prompt's n-grams too.
# Where it holds sentences, the text could not even begin as one of them does, with "A" or "The".
_OF_PLAIN_DECODERS: Mapping[str, Mapping[str, Any]] = {FEW_SHOT: {"no_repeat_ngram_size": 0}}


def settings(kind: str, decoder: str) -> dict[str, Any]:
    """How a decoder writes after a kind of prompt, unless the caller says otherwise."""
    plain = decoder_named(decoder).expresses is Expressivity.NOTHING
    return {
        **SETTINGS,
        **_OF_PROMPT.get(kind, {}),
        **(_OF_PLAIN_DECODERS.get(kind, {}) if plain else {}),
    }


def prompt_of(concepts: Sequence[str], kind: str, lead_in: str = LEAD_IN, opening: str = OPENING) -> Prompt:
    """The prompt of a concept set; one that is a text is to be sent as it is."""
    if kind == FEW_SHOT:
        return conversation(concepts)
    if kind == ZERO_SHOT:
        return instruction(concepts)
    return lead_in + opening if kind == AS_OPENING else supervised(concepts)


def conversation(concepts: Sequence[str]) -> Messages:
    """Examples as turns, then the words to use now."""
    messages = []
    for words, sentence in EXAMPLES:
        messages.append({"role": "user", "content": INSTRUCTION.format(words)})
        messages.append({"role": "assistant", "content": sentence})
    return messages + instruction(concepts)


def instruction(concepts: Sequence[str]) -> Messages:
    """The words to use, without an example."""
    return [{"role": "user", "content": INSTRUCTION.format(", ".join(concepts))}]


def supervised(concepts: Sequence[str]) -> str:
    """What a supervised model reads before it writes the sentence.

    >>> supervised(["field", "look", "stand"])
    'field look stand ='
    """
    return f"{' '.join(concepts)} ="
