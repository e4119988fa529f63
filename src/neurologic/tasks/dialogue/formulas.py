"""What an answer must say: every fact of its act in one of its forms, and what makes the act what it is.

    inform(name=hotel kabuki; dogsallowed=yes)
    "hotel kabuki" & ("allows dogs" | "dogs are allowed" | …) & !"not" & !"no dogs" & … & !internet & …

Beyond the paper's formula, which is a conjunction of facts, there are negative clauses of two kinds: what is
told must not be denied as well, nor a no be affirmed; and nothing is said of slots that the act does not
have, nor of the request. The latter can be left out (`--unasked allowed`).

A slot without a value asks for it in a question; elsewhere it says nothing and is left out, as people did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import neurologic as nl
from neurologic.logic import Formula
from neurologic.tasks.dialogue import forms
from neurologic.tasks.dialogue.acts import DONT_CARE, NO, NONE, YES, Act, Fact
from neurologic.tasks.dialogue.slots import MEALS, NAMES, PRICE_RANGES, YES_OR_NO, names_of, parts_of

FORBIDDEN, ALLOWED = "forbidden", "allowed"

UNASKED: Mapping[str, str] = {
    FORBIDDEN: "slots that the act does not have are not spoken of: no dogs, no phone number",
    ALLOWED: "facts alone, as in the paper",
}

# What is not said where an act does not have the slot.
_UNASKED: Mapping[str, tuple[str, ...]] = {
    **{slot: NAMES[slot] for slot in YES_OR_NO},
    "pricerange": PRICE_RANGES,
    "goodformeal": MEALS,
    "phone": ("phone number", "phone", "telephone"),
    "address": ("address",),
    "postcode": ("postcode", "post code", "postal code", "zip code"),
}
_SAME_MATTER = {"pricerange": ("pricerange", "price"), "goodformeal": ("goodformeal", "food")}

_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "inform_count": forms.THERE_ARE,
    "inform_no_match": forms.NOTHING_FOUND,
    "inform_only_match": forms.ONLY_ONE,
    "goodbye": forms.GOODBYE,
    "bye": forms.GOODBYE,
    "?reqmore": forms.ANYTHING_MORE,
}

_TELLS = ("inform", "inform_count", "inform_only_match")

# Small models speak of what they were asked and of themselves: "I rephrased this sentence, so that …".
_ABOUT_THE_REQUEST = (
    *("rewrite", "rewrites", "rewriting", "rewritten", "rephrase", "rephrased", "rephrasing", "reworded"),
    *("sentence", "sentences", "context", "chatbot", "ai", "language model", "confusion", "i'm afraid"),
)
# They also answer questions that they were to ask.
_NO_QUESTION = ("i'm", "i don't", "i do not", "i can suggest", "i'd", "however", "recommend", "suggest")

# "Not allow" and "no" also stand in the forms of the opposite; these do not.
_AFFIRMED = ("allows", "accepts", "permits", "welcomes", "has", "offers", "provides", "takes")


def formula(act: Act, unasked: str = FORBIDDEN) -> Formula:
    """The formula of an act.

    >>> from neurologic.tasks.dialogue.acts import parse_act
    >>> wanted = formula(parse_act("inform_count(type=hotel;count='2';near=soma)", "hotel"))
    >>> [clause.text for clause in nl.to_clauses(wanted)][:3]
    ['hotel | hotels | place | places', '2 | two', 'soma']
    """
    said = list(_said(act))
    if act.kind in _OF_KIND:
        said.append(_any_of(_OF_KIND[act.kind]))
    if act.question:
        said += [nl.phrase("?", match="substring"), _any_of(forms.QUESTION)]
    said.extend(nl.none_of(word) for word in _denials(act))
    if unasked == FORBIDDEN:
        said.extend(map(nl.none_of, [*_unasked(act), *_written(_ABOUT_THE_REQUEST)]))
        said.extend(map(nl.none_of, _written(_NO_QUESTION) if act.question else ()))
    return nl.all_of(*said)


def _said(act: Act) -> Iterator[Formula]:
    for fact in act.facts:
        if fact.value is None:
            if act.question:
                yield _any_of(names_of(fact.slot))
        elif fact.value == DONT_CARE:
            if len(act.of_slot(fact.slot)) == 1:
                yield _any_of(names_of(fact.slot))
            yield _any_of(forms.of_carelessness(names_of(fact.slot)))
        elif fact.value == NONE:
            yield _any_of(names_of(fact.slot))
            yield _any_of(forms.NOT_KNOWN)
        elif fact.slot in YES_OR_NO and fact.value in (YES, NO):
            yield from _choice(act, fact)
        else:
            yield from _value(act, fact)


def _choice(act: Act, fact: Fact) -> Iterator[Formula]:
    """Yes or no; where both are to choose from, that it is spoken of."""
    if len(act.of_slot(fact.slot)) > 1:
        yield _any_of(names_of(fact.slot))
        return
    yield _any_of(forms.of_choice(fact.slot, str(fact.value)))
    if fact.value == YES:
        opposite = forms.of_choice(fact.slot, NO)
    else:
        affirmed = forms.of_choice(fact.slot, YES)
        opposite = tuple(form for form in affirmed if form.split()[0] in _AFFIRMED)
    yield from (nl.none_of(form) for form in _written(opposite))


def _value(act: Act, fact: Fact) -> Iterator[Formula]:
    """The value, all of them where it has several."""
    value = str(fact.value)
    parts = parts_of(fact.slot, value)
    if any(_part_of(one, other) for one in parts for other in parts):
        # "nob hill" in "lower nob hill or nob hill" would be there for the other's sake.
        yield _any_of((value, " or ".join(reversed(parts))))
        return
    others = [str(other.value) for other in act.facts if other != fact and not other.special]
    for part in parts:
        said = forms.of_value(fact.slot, part)
        hidden = any(_part_of(part, other) for other in others)
        yield _any_of(forms.around(fact.slot, said) if hidden else said)


def _denials(act: Act) -> list[str]:
    """What would deny the facts of an act that tells of places; a name may have such a word."""
    if act.kind not in _TELLS:
        return []
    denied = any(fact.value in (NO, NONE, DONT_CARE) for fact in act.facts) or act.kind == "inform_only_match"
    words = _written(forms.DENIAL_OF_OTHERS if denied else forms.DENIAL)
    values = [str(fact.value) for fact in act.facts if not fact.special]
    return [word for word in words if not any(nl.occurs(word, value) for value in values)]


def _part_of(value: str, other: str) -> bool:
    return value != other and nl.occurs(value, other)


def _unasked(act: Act) -> Iterator[str]:
    asked = {fact.slot for fact in act.facts}
    values = [str(fact.value) for fact in act.facts if not fact.special]
    for slot, words in _UNASKED.items():
        if asked.isdisjoint(_SAME_MATTER.get(slot, (slot,))):
            # A name may have such a word: "bed and breakfast".
            yield from (word for word in words if not any(nl.occurs(word, value) for value in values))


def _any_of(alternatives: Iterable[str]) -> Formula:
    return nl.any_of(*_written(alternatives))


def _written(alternatives: Iterable[str]) -> list[str]:
    """With both kinds of apostrophe; a model writes either."""
    return [
        form for each in dict.fromkeys(alternatives) for form in dict.fromkeys((each, each.replace("'", "’")))
    ]
