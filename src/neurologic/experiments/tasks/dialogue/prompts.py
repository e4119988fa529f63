"""Prompts of dialogue: put an act's sentence into your own words, or the input of a trained model.

Examples in a prompt are supervision, if only by a few sentences: figures with them are not zero-shot. We
wrote the examples here ourselves, about places that are not in the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurologic.experiments.tasks.base import Messages, Prompt, chat, ignores_formulas
from neurologic.experiments.tasks.dialogue.act_sentences import sentence
from neurologic.experiments.tasks.dialogue.acts import Act, parse_act

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


def settings(decoder: str) -> dict[str, Any]:
    """Return the default settings of a decoder."""
    # Decoders without constraints use Hugging Face's n-gram blocking, which counts the prompt's n-grams too:
    # they could not say a fact as the prompt has it.
    return {**SETTINGS, **({"no_repeat_ngram_size": 0} if ignores_formulas(decoder) else {})}


def prompt_of(act: Act, kind: str) -> Prompt:
    """Return the prompt of an act; a text goes to the model as it is."""
    if kind == SUPERVISED:
        return supervised(act)
    return conversation(act) if kind == FEW_SHOT else instruction(act)


def instruction(act: Act) -> Messages:
    """Return the request for an act without an example."""
    return chat(_request(act))


def conversation(act: Act) -> Messages:
    """Return four examples as chat turns, then the request for an act."""
    return chat(_request(act), ((_request(parse_act(text, "hotel")), answer) for text, answer in EXAMPLES))


def _request(act: Act) -> str:
    return (ASK if act.question else TELL).format(sentence(act))


def supervised(act: Act) -> str:
    """Return the input of a model that `neurologic train dialogue` trained.

    >>> supervised(parse_act("inform(name='hotel kabuki';dogsallowed='yes')", "hotel"))
    'hotel inform(name=hotel kabuki; dogsallowed=yes) ='
    """
    return f"{act.domain} {act} ="
