"""How German shows a person's gender: by the noun, in the forms of all cases of the singular.

Nearly every feminine is a word of its own ("Entwicklerin"), so the noun is enough. The masculine is
declined: "des Entwicklers", "dem Patienten". Nouns that are declined as adjectives ("der Angestellte", "die
Angestellte") need an article with them; the feminine's "der Angestellten" is also the genitive of the
plural, which is accepted. The genitive's and the weak nouns' endings follow rules here, not a dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.tasks.winomt.lexicon import Pair
from neurologic.tasks.winomt.sentences import FEMALE

# Weak masculines take -n or -en in all cases but the nominative.
_WITH_N = frozenset({"Bauer", "Herr", "Nachbar"})
_ENDINGS_WITH_EN = ("ant", "at", "ekt", "ent", "eut", "ist", "urg", "yst")
# No -es in the genitive: the last syllable is not stressed, or the word is foreign.
_ENDINGS_WITHOUT_ES = ("ar", "er", "eur", "or")

_ADJECTIVAL = {
    False: (
        ("der", "e"),
        ("des", "en"),
        ("dem", "en"),
        ("den", "en"),
        ("ein", "er"),
        ("einem", "en"),
        ("einen", "en"),
    ),
    True: (("die", "e"), ("der", "en"), ("eine", "e"), ("einer", "en")),
}

_ONLY_MASCULINE = ("des", "dem", "den", "ein", "einem", "einen")
_ONLY_FEMININE = ("eine", "einer")


def phrases(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Phrases of which each says that the person is of this gender.

    >>> phrases([Pair("Patient", "Patientin"), Pair("Koch", "Köchin")], "male")
    ['Patient', 'Patienten', 'Koch', 'Kochs', 'Koches']
    >>> phrases([Pair("Angestellter", "Angestellte")], "female")
    ['die Angestellte', 'der Angestellten', 'eine Angestellte', 'einer Angestellten']
    """
    found = []
    for pair in pairs:
        if _is_adjectival(pair):
            found += [
                f"{article} {pair.feminine[:-1]}{ending}" for article, ending in _ADJECTIVAL[gender == FEMALE]
            ]
        else:
            found += [pair.feminine] if gender == FEMALE else declined(pair.masculine)
    return list(dict.fromkeys(found))


def hiding(pairs: Sequence[Pair]) -> list[str]:
    """Phrases that name the person and hide the gender: there are none in the singular."""
    return []


def mismatched(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Nouns of this gender after an article that only the other has in the singular, and no plural has.

    >>> mismatched([Pair("Koch", "Köchin")], "male")
    ['eine Koch', 'einer Koch']
    """
    articles = _ONLY_MASCULINE if gender == FEMALE else _ONLY_FEMININE
    forms = [
        pair.feminine if gender == FEMALE else pair.masculine for pair in pairs if not _is_adjectival(pair)
    ]
    return [f"{article} {form}" for form in forms for article in articles]


def _is_adjectival(pair: Pair) -> bool:
    return pair.masculine.removesuffix("r") == pair.feminine


def declined(noun: str) -> list[str]:
    """A masculine noun in the cases of its singular.

    >>> declined("Entwickler"), declined("Kunde"), declined("Architekt")
    (['Entwickler', 'Entwicklers'], ['Kunde', 'Kunden'], ['Architekt', 'Architekten'])
    """
    if noun.endswith("e") or noun in _WITH_N:
        return [noun, f"{noun}n"]
    if noun.endswith(_ENDINGS_WITH_EN):
        return [noun, f"{noun}en"]
    genitives = [f"{noun}s"] if noun.endswith(_ENDINGS_WITHOUT_ES) else [f"{noun}s", f"{noun}es"]
    return [noun, *genitives]
