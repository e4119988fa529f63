"""French: the noun shows a person's gender, or the determiner before it does.

"développeuse" shows it alone. "comptable" is both, so it needs a determiner: le, la, un, une, du, au, ce,
cette, or a possessive. Before a vowel le and la become l', and ce and son hide the gender too: there only un,
une, cet and cette show it, and formulas for a gender forbid "l'analyste". Some nouns are other words as well
(commis, garde, patient; participles such as invité, employée, enseignant): they need a determiner, or "elle a
été invitée" would pass for a guest. Pronouns ("quelqu'un") and nouns that include their determiner ("une
personne") take no further one.

Phrases match whole words in any case, so "la" + noun also matches in "de la …", "à la …" and at the start of
a sentence. Limits: an adjective between determiner and noun breaks the match; h counts as a vowel, which is
right for all nouns of our table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from neurologic.experiments.data_files import word_tables
from neurologic.experiments.tasks.winomt.lexicon import BARE, NounPair
from neurologic.experiments.tasks.winomt.sentences import FEMALE, MALE

Determiners: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]  # before a consonant, and before a vowel

# Determiners that show gender.
_SHOWING: dict[str, Determiners] = {
    MALE: (("le", "un", "du", "au", "ce", "son"), ("un", "cet")),
    FEMALE: (("la", "une", "cette", "sa"), ("une", "cette")),
}
# Determiners that hide it: after them, the noun alone must show it.
_HIDING: Determiners = (("leur", "notre", "votre"), ("l'", "l’", "d'", "d’", "son", "leur", "notre", "votre"))
# Determiners that cannot come before a noun of this gender.
_WRONG: dict[str, Determiners] = {
    MALE: (("la", "une", "cet", "cette", "sa", "l' "), ("le", "la", "du", "au", "ce", "une", "cette", "sa")),
    FEMALE: (
        ("le", "un", "du", "au", "ce", "cet", "son", "l' "),
        ("le", "la", "du", "au", "ce", "un", "cet", "sa"),
    ),
}

_TABLES = word_tables(__package__, "words.fr.toml")
_PARTICIPLES = ("é", "ée", "ant")
_VOWELS = "aàâeéèêëhiîïoôœuùûüy"


def phrases(pairs: Sequence[NounPair], gender: str) -> list[str]:
    """Return phrases that each tell the person's gender, the noun with a determiner and without.

    The noun alone would do for the meaning; with the determiners, a search makes progress at "la".

    >>> phrases([NounPair("développeur", "développeuse"), NounPair("analyste", "analyste")], FEMALE)[-4:]
    ['sa développeuse', 'développeuse', 'une analyste', 'cette analyste']
    """
    both = _both(pairs)
    found = []
    for pair in pairs:
        form = pair.form(gender)
        if pair.kind == BARE:
            found.append(form)
            continue
        found += _after(_SHOWING[gender], [form])
        if form not in both:
            found += _after(_HIDING, [form]) if _is_another_word(form) else [form]
    return list(dict.fromkeys(found))


def required(pairs: Sequence[NounPair], gender: str) -> list[str]:
    """Return those of the phrases that leave no doubt, not even to the scorer.

    >>> required([NounPair("avocat", "avocate")], FEMALE), required([NounPair("avocat", "avocate")], MALE)
    (['une avocate', 'cette avocate'], ['un avocat', 'cet avocat', 'avocat'])
    """
    misread = {pair.form(gender) for pair in pairs}.intersection(_TABLES["misread"])
    doubtful = misread.union(_after(_HIDING, misread))
    return [phrase for phrase in phrases(pairs, gender) if phrase not in doubtful]


def evasive(own: Sequence[NounPair], pairs: Sequence[NounPair], gender: str, other: str) -> list[str]:
    """Return phrases by which a model would evade the gender; `own` are the pairs that mean nobody else.

    Plurals of the other gender after a determiner of the singular, forms that hide the gender, and nouns
    after a determiner of the other gender.
    """
    return [*_plurals(own, other), *hidden(own, gender), *_mismatched(pairs, gender)]


def hidden(pairs: Sequence[NounPair], gender: str) -> list[str]:
    """Return phrases that name a person of this gender and hide it.

    >>> hidden([NounPair("analyste", "analyste"), NounPair("comptable", "comptable")], FEMALE)
    ["l'analyste", 'l’analyste']
    """
    forms = [*_both(pairs), *(pair.form(gender) for pair in pairs if pair.form(gender) in _TABLES["misread"])]
    elided = [form for form in dict.fromkeys(forms) if _begins_with_vowel(form)]
    return [f"l{apostrophe}{form}" for form in elided for apostrophe in "'’"]


def _plurals(pairs: Sequence[NounPair], gender: str) -> list[str]:
    """Return plurals after a determiner of the singular.

    >>> _plurals([NounPair("boulanger", "boulangère"), NounPair("comptable", "comptable")], MALE)[:3]
    ['le boulangers', 'un boulangers', 'du boulangers']
    """
    plurals = [f"{form}s" for form in _gendered_forms(pairs, gender) if form[-1] not in "sxz"]
    return _after(_SHOWING[gender], plurals)


def _mismatched(pairs: Sequence[NounPair], gender: str) -> list[str]:
    """Return nouns of this gender after a determiner of the other, which a model writes before the noun.

    >>> _mismatched([NounPair("boulanger", "boulangère")], FEMALE)[:3]
    ['le boulangère', 'un boulangère', 'du boulangère']
    """
    return _after(_WRONG[gender], _gendered_forms(pairs, gender))


def _gendered_forms(pairs: Sequence[NounPair], gender: str) -> list[str]:
    both = _both(pairs)
    forms = [pair.form(gender) for pair in pairs if pair.kind != BARE]
    return [form for form in forms if form not in both]


def _both(pairs: Sequence[NounPair]) -> list[str]:
    """Return forms that are masculine and feminine, be it in different pairs: chef/cheffe and chef/chef."""
    feminine = {pair.feminine for pair in pairs}
    return list(dict.fromkeys(pair.masculine for pair in pairs if pair.masculine in feminine))


def _is_another_word(form: str) -> bool:
    return form in _TABLES["other_words"] or (" " not in form and form.endswith(_PARTICIPLES))


def _begins_with_vowel(form: str) -> bool:
    return form[0].lower() in _VOWELS and not form.isupper()


def _after(determiners: Determiners, forms: Iterable[str]) -> list[str]:
    """Return each form after each of the determiners that fit its first letter."""
    return [
        word + form if word.endswith(("'", "’", " ")) else f"{word} {form}"
        for form in forms
        for word in determiners[_begins_with_vowel(form)]
    ]
