"""What a model is asked: to put an act's sentence into its own words; or what it was trained on.

Examples in a prompt are supervision, if only of a few sentences: figures with them are not zero-shot. The
examples here are of our own, about places that are not in the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurologic.decoders.registry import decoder_named
from neurologic.experiments.tasks.base import Prompt
from neurologic.experiments.tasks.dialogue.acts import Act, parse_act
from neurologic.experiments.tasks.dialogue.templates import sentence
from neurologic.logic import Expressivity

Messages = list[dict[str, str]]

ZERO_SHOT, FEW_SHOT, SUPERVISED = "zero-shot", "few-shot", "supervised"

PROMPTS: Mapping[str, str] = {
    ZERO_SHOT: "an instruct model sees an instruction and the facts, as a sentence by a template",
    FEW_SHOT: "an instruct model sees four examples as chat turns first",
    SUPERVISED: '"hotel inform(name=…; near=…) =", as models of "neurologic train dialogue" are trained',
}

TELL = "Rewrite this sentence: {}"
ASK = "Rewrite this question: {}"

EXAMPLES = (
    (
        "inform(name='harbor view lodge';near='lands end';hasinternet=yes;dogsallowed=no)",
        "Harbor View Lodge is near Lands End, it has internet, but it does not allow dogs.",
    ),
    ("?select(pricerange='moderate or pricey')", "Would you prefer a moderate or pricey hotel?"),
    (
        "inform_no_match(area='stern grove';acceptscreditcards=yes)",
        "I am sorry, there are no hotels in the Stern Grove area that accept credit cards.",
    ),
    (
        "inform(name='lotus inn';address='77 linden street';phone='4155550134')",
        "Lotus Inn is at 77 Linden Street, and its phone number is 4155550134.",
    ),
)

SETTINGS: dict[str, Any] = {"max_new_tokens": 64, "no_repeat_ngram_size": 4, "stop_strings": ("\n", "?")}

# Hugging Face's n-gram blocking, which decoders without constraints have, counts the prompt's n-grams too:
# no fact could be said as the prompt has it.
_OF_PLAIN_DECODERS: Mapping[str, Any] = {"no_repeat_ngram_size": 0}


def settings(decoder: str) -> dict[str, Any]:
    """How a decoder writes, unless the caller says otherwise."""
    plain = decoder_named(decoder).expresses is Expressivity.NOTHING
    return {**SETTINGS, **(_OF_PLAIN_DECODERS if plain else {})}


def prompt_of(act: Act, kind: str) -> Prompt:
    """The prompt of an act; one that is a text is to be sent as it is."""
    if kind == SUPERVISED:
        return supervised(act)
    return conversation(act) if kind == FEW_SHOT else instruction(act)


def instruction(act: Act) -> Messages:
    """The sentence to be said, without an example."""
    wanted = ASK if act.question else TELL
    return [{"role": "user", "content": wanted.format(sentence(act))}]


def conversation(act: Act) -> Messages:
    """Four examples as turns, then the sentence to be said now."""
    turns: Messages = []
    for text, answer in EXAMPLES:
        turns += [*instruction(parse_act(text, "hotel")), {"role": "assistant", "content": answer}]
    return turns + instruction(act)


def supervised(act: Act) -> str:
    """What a supervised model reads before it writes the answer.

    >>> supervised(parse_act("inform(name='hotel kabuki';dogsallowed='yes')", "hotel"))
    'hotel inform(name=hotel kabuki; dogsallowed=yes) ='
    """
    return f"{act.domain} {act} ="
