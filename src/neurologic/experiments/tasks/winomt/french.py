"""How French shows a person's gender: by the noun, or by the article before it.

"développeuse" shows it alone. "comptable" is both, and so needs an article: le, la, un, une, du, au, ce,
cette, or a possessive. Before a vowel le and la become l', and ce, son hide it too: there only un, une, cet
and cette show it, and "l'analyste" is forbidden where a gender is wanted. Some nouns are other words as
well (commis, garde, patient; participles such as invité, employée, enseignant): those have to come with an
article, or "elle a été invitée" would pass for a guest. Pronouns ("quelqu'un") and what has its article
("une personne") come without a further one.

Phrases match whole words in any case, so "la" + noun is found in "de la …", "à la …" and at the start of a
sentence. An adjective between article and noun is not foreseen. h counts as a vowel, which holds for all
nouns of our table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from neurologic.experiments.tasks.winomt.lexicon import BARE, Pair
from neurologic.experiments.tasks.winomt.sentences import FEMALE, MALE

Determiners: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]  # before a consonant, and before a vowel

# Those that show gender.
_SHOWING: dict[str, Determiners] = {
    MALE: (("le", "un", "du", "au", "ce", "son"), ("un", "cet")),
    FEMALE: (("la", "une", "cette", "sa"), ("une", "cette")),
}
# Those that hide it, after which a noun must show it by itself.
_HIDING: Determiners = (("leur", "notre", "votre"), ("l'", "l’", "d'", "d’", "son", "leur", "notre", "votre"))
# Those that cannot stand before a noun of this gender.
_WRONG: dict[str, Determiners] = {
    MALE: (("la", "une", "cet", "cette", "sa", "l' "), ("le", "la", "du", "au", "ce", "une", "cette", "sa")),
    FEMALE: (
        ("le", "un", "du", "au", "ce", "cet", "son", "l' "),
        ("le", "la", "du", "au", "ce", "un", "cet", "sa"),
    ),
}

# Participles, adjectives, verbs: "l'erreur commise", "la classe ouvrière", "ils résident".
_OTHER_WORDS = frozenset(
    {"adjoint", "adjointe", "commis", "commise", "expert", "experte", "garde", "jeune", "malade"}
    | {"ménager", "ménagère", "ouvrier", "ouvrière", "passager", "passagère", "patient", "patiente"}
    | {"policier", "policière", "résident", "résidente", "savant", "savante", "supérieur", "supérieure"}
)
_PARTICIPLES = ("é", "ée", "ant")
# After l' the noun alone tells, and of these the scorer's morphology (`reading`) does not know it:
# "l'avocate" is masculine to it, "l'assistant" neither. A test holds the list against it.
_UNREAD = frozenset(
    {"accompagnant", "accompagnateur", "administrateur", "agent", "agente", "agente d'entretien"}
    | {"agente de nettoyage", "agricultrice", "ambulancière", "assistant", "assistant juridique", "auditrice"}
    | {"autrice", "avocate", "employé de maison", "enquêtrice", "enseignant", "estimatrice", "examinatrice"}
    | {"expert", "expert-comptable", "experte", "experte-comptable", "habitant", "hôte", "instructrice"}
    | {"intendant", "intendante", "investigatrice", "invité", "officier", "officière", "ouvrier"}
    | {"ouvrière du bâtiment", "écrivain", "éducatrice"}
)
_VOWELS = "aàâeéèêëhiîïoôœuùûüy"


def phrases(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Phrases of which each says that the person is of this gender, the noun with an article and without.

    The noun alone would be enough for the meaning; but with the articles, a search is on its way at "la".

    >>> phrases([Pair("développeur", "développeuse"), Pair("analyste", "analyste")], FEMALE)[-4:]
    ['sa développeuse', 'développeuse', 'une analyste', 'cette analyste']
    """
    both = _both(pairs)
    found = []
    for pair in pairs:
        form = pair.form(gender)
        if pair.kind == BARE:
            found.append(form)
            continue
        found += _with(_SHOWING[gender], form)
        if form not in both:
            found += _with(_HIDING, form) if _is_another_word(form) else [form]
    return list(dict.fromkeys(found))


def asked(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Those of the phrases that leave no doubt, not even to the scorer.

    >>> asked([Pair("avocat", "avocate")], FEMALE), asked([Pair("avocat", "avocate")], MALE)
    (['une avocate', 'cette avocate'], ['un avocat', 'cet avocat', 'avocat'])
    """
    unread = {pair.form(gender) for pair in pairs} & _UNREAD
    doubtful = {phrase for form in unread for phrase in (form, *_with(_HIDING, form))}
    return [phrase for phrase in phrases(pairs, gender) if phrase not in doubtful]


def plurals(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Plurals after an article of the singular, by which a model gets around the singular.

    >>> plurals([Pair("boulanger", "boulangère"), Pair("comptable", "comptable")], MALE)[:3]
    ['le boulangers', 'un boulangers', 'du boulangers']
    """
    both = _both(pairs)
    forms = [pair.form(gender) for pair in pairs if pair.kind != BARE]
    several = [f"{form}s" for form in forms if form not in both and form[-1] not in "sxz"]
    return [phrase for form in several for phrase in _with(_SHOWING[gender], form)]


def hiding(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Phrases that name a person of this gender and hide it.

    >>> hiding([Pair("analyste", "analyste"), Pair("comptable", "comptable")], FEMALE)
    ["l'analyste", 'l’analyste']
    """
    forms = [*_both(pairs), *(pair.form(gender) for pair in pairs if pair.form(gender) in _UNREAD)]
    elided = [form for form in dict.fromkeys(forms) if _begins_with_vowel(form)]
    return [f"l{apostrophe}{form}" for form in elided for apostrophe in "'’"]


def mismatched(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Nouns of this gender after a determiner that cannot stand there: what comes of thinking of it too late.

    >>> mismatched([Pair("boulanger", "boulangère")], FEMALE)[:3]
    ['le boulangère', 'un boulangère', 'du boulangère']
    """
    both = _both(pairs)
    forms = [pair.form(gender) for pair in pairs if pair.kind != BARE]
    return [phrase for form in forms if form not in both for phrase in _with(_WRONG[gender], form)]


def _both(pairs: Sequence[Pair]) -> list[str]:
    """Forms that are masculine as well as feminine, be it in different pairs: chef, cheffe and chef, chef."""
    feminine = {pair.feminine for pair in pairs}
    return list(dict.fromkeys(pair.masculine for pair in pairs if pair.masculine in feminine))


def _is_another_word(form: str) -> bool:
    return form in _OTHER_WORDS or (" " not in form and form.endswith(_PARTICIPLES))


def _begins_with_vowel(form: str) -> bool:
    return form[0].lower() in _VOWELS and not form.isupper()


def _with(determiners: Determiners, form: str) -> list[str]:
    several = determiners[_begins_with_vowel(form)]
    return [word + form if word.endswith(("'", "’", " ")) else f"{word} {form}" for word in several]
