"""German: the noun shows a person's gender, in all cases of the singular.

Nearly every feminine is a word of its own ("Entwicklerin"), so the noun is enough. The masculine is
declined: "des Entwicklers", "dem Patienten". Nouns that are declined as adjectives ("der Angestellte", "die
Angestellte"; of "der Beamte", "die Beamtin" only the masculine) need an article. The feminine "der
Angestellten" is also the genitive plural; we accept it. Rules, not a dictionary, give the endings of
genitives and weak nouns.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.experiments.tasks.winomt.lexicon import ADJECTIVAL, NounPair
from neurologic.experiments.tasks.winomt.sentences import FEMALE, MALE

# Weak masculines take -n or -en in all cases but the nominative.
_WITH_N = frozenset({"Bauer", "Herr", "Nachbar"})
_ENDINGS_WITH_EN = ("ant", "at", "ekt", "ent", "eut", "ist", "urg", "yst")
# The genitive takes -s after an unstressed syllable and in foreign words, -es after an s sound, else either.
_ENDINGS_WITH_S = ("ar", "är", "er", "eur", "f", "or", "ör")
_ENDINGS_WITH_ES = ("s", "ß", "x", "z", "zt")

# The articles before a noun that is declined as an adjective, by its ending.
_ARTICLES: dict[str, dict[str, tuple[str, ...]]] = {
    MALE: {"e": ("der",), "er": ("ein",), "en": ("des", "dem", "den", "eines", "einem", "einen")},
    FEMALE: {"e": ("die", "eine"), "en": ("der", "einer")},
}

_ONLY_MASCULINE = ("des", "dem", "den", "ein", "eines", "einem", "einen")
_ONLY_FEMININE = ("eine", "einer")


def phrases(pairs: Sequence[NounPair], gender: str) -> list[str]:
    """Return phrases that each tell the person's gender.

    >>> phrases([NounPair("Patient", "Patientin"), NounPair("Koch", "Köchin")], "male")
    ['Patient', 'Patienten', 'Koch', 'Kochs', 'Koches']
    >>> phrases([NounPair("Angestellter", "Angestellte", ADJECTIVAL)], "female")
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


required = phrases  # all of them leave no doubt


def evasive(own: Sequence[NounPair], pairs: Sequence[NounPair], gender: str, other: str) -> list[str]:
    """Return nouns of this gender after an article that only the other has; no plural has it either.

    Most masculine plurals look like a case of the singular, so plurals stay allowed.

    >>> cook = [NounPair("Koch", "Köchin")]
    >>> evasive(cook, cook, "male", "female")
    ['eine Koch', 'einer Koch']
    """
    articles = _ONLY_MASCULINE if gender == FEMALE else _ONLY_FEMININE
    forms = [pair.form(gender) for pair in pairs if not _is_adjectival(pair, gender)]
    return [f"{article} {form}" for form in forms for article in articles]


def hidden(pairs: Sequence[NounPair], gender: str) -> list[str]:
    """Return no phrases: in the singular, German always shows the gender."""
    return []


def _is_adjectival(pair: NounPair, gender: str) -> bool:
    """Tell whether a form is declined as an adjective; of "Beamter/Beamtin" only the masculine is."""
    return pair.kind == ADJECTIVAL and not pair.form(gender).endswith("in")


def declined(noun: str) -> list[str]:
    """Return a masculine noun in the cases of its singular.

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
