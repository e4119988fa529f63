"""How German shows a person's gender: by the noun, in the forms of all cases of the singular.

Nearly every feminine is a word of its own ("Entwicklerin"), so the noun is enough. The masculine is
declined: "des Entwicklers", "dem Patienten". Nouns that are declined as adjectives ("der Angestellte", "die
Angestellte"; of "der Beamte", "die Beamtin" only the masculine) need an article with them; the feminine's
"der Angestellten" is also the genitive of the plural, which is accepted. The genitive's and the weak nouns'
endings follow rules here, not a dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.experiments.tasks.winomt.lexicon import ADJECTIVAL, Pair
from neurologic.experiments.tasks.winomt.sentences import FEMALE, MALE

# Weak masculines take -n or -en in all cases but the nominative.
_WITH_N = frozenset({"Bauer", "Herr", "Nachbar"})
_ENDINGS_WITH_EN = ("ant", "at", "ekt", "ent", "eut", "ist", "urg", "yst")
# The genitive has -s alone where the last syllable is not stressed or the word is foreign, -es alone after a
# sound of s, and else either.
_ENDINGS_WITH_S = ("ar", "är", "er", "eur", "f", "or", "ör")
_ENDINGS_WITH_ES = ("s", "ß", "x", "z", "zt")

# Nouns that are declined as adjectives: the articles by the ending after them.
_ARTICLES: dict[str, dict[str, tuple[str, ...]]] = {
    MALE: {"e": ("der",), "er": ("ein",), "en": ("des", "dem", "den", "eines", "einem", "einen")},
    FEMALE: {"e": ("die", "eine"), "en": ("der", "einer")},
}

_ONLY_MASCULINE = ("des", "dem", "den", "ein", "eines", "einem", "einen")
_ONLY_FEMININE = ("eine", "einer")


def phrases(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Phrases of which each says that the person is of this gender.

    >>> phrases([Pair("Patient", "Patientin"), Pair("Koch", "Köchin")], "male")
    ['Patient', 'Patienten', 'Koch', 'Kochs', 'Koches']
    >>> phrases([Pair("Angestellter", "Angestellte", ADJECTIVAL)], "female")
    ['die Angestellte', 'eine Angestellte', 'der Angestellten', 'einer Angestellten']
    """
    found = []
    for pair in pairs:
        form = pair.form(gender)
        if _is_adjectival(pair, gender):
            stem = form.removesuffix("r").removesuffix("e")
            endings = _ARTICLES[gender].items()
            found += [f"{article} {stem}{ending}" for ending, articles in endings for article in articles]
        else:
            found += [form] if gender == FEMALE else declined(form)
    return list(dict.fromkeys(found))


asked = phrases  # all of them leave no doubt


def plurals(pairs: Sequence[Pair], gender: str) -> list[str]:
    """None: most masculine plurals are the singular or one of its cases."""
    return []


def hiding(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Phrases that name a person and hide the gender: there are none in the singular."""
    return []


def mismatched(pairs: Sequence[Pair], gender: str) -> list[str]:
    """Nouns of this gender after an article that only the other has in the singular, and no plural has.

    >>> mismatched([Pair("Koch", "Köchin")], "male")
    ['eine Koch', 'einer Koch']
    """
    articles = _ONLY_MASCULINE if gender == FEMALE else _ONLY_FEMININE
    forms = [pair.form(gender) for pair in pairs if not _is_adjectival(pair, gender)]
    return [f"{article} {form}" for form in forms for article in articles]


def _is_adjectival(pair: Pair, gender: str) -> bool:
    """Of "Beamter/Beamtin" only the masculine is."""
    return pair.kind == ADJECTIVAL and not pair.form(gender).endswith("in")


def declined(noun: str) -> list[str]:
    """A masculine noun in the cases of its singular.

    >>> declined("Entwickler"), declined("Kunde"), declined("Architekt")
    (['Entwickler', 'Entwicklers'], ['Kunde', 'Kunden'], ['Architekt', 'Architekten'])
    >>> declined("Koch"), declined("Arzt")
    (['Koch', 'Kochs', 'Koches'], ['Arzt', 'Arztes'])
    """
    if noun.endswith("e") or noun in _WITH_N:
        return [noun, f"{noun}n"]
    if noun.endswith(_ENDINGS_WITH_EN):
        return [noun, f"{noun}en"]
    if noun.endswith(_ENDINGS_WITH_S):
        return [noun, f"{noun}s"]
    return [noun, f"{noun}es"] if noun.endswith(_ENDINGS_WITH_ES) else [noun, f"{noun}s", f"{noun}es"]
