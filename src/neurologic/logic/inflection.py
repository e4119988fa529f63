"""The inflected forms of English words, from lemminflect's dictionary and rules.

These rules decide which forms a word has:

- The dictionary knows the parts of speech of a word. Unless the caller names one, all of them count, except
  verbs that hardly anybody uses (`rare_verbs`): "run" gives run, runs, ran, running; "dog" gives dog, dogs.
  With "any" these count too, and "dogged" and "dogging" are forms of "dog".
- A word that is a lemma in some part of speech counts as that and nothing else: "building" is the noun,
  not a form of build, and "saw" is the tool, not "see". Only a word that is not a lemma at all stands for
  its lemma: "ran" gives the forms of run. If the caller asks for the verb, "building" is a form of build.
- A word that the dictionary lacks is a noun unless the caller says otherwise: frisbee, frisbees. Words
  without Latin letters, and function words such as "with", have only themselves.
- Of several words the last one inflects, as a noun if it can be one: ice cream, ice creams.

Languages other than English do not inflect here, and the context of a word plays no part.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.abc import MetaPathFinder
from typing import Any

from neurologic.errors import FormulaError, suggestion
from neurologic.logic.rare_verbs import RARE_VERBS

PARTS_OF_SPEECH = ("noun", "verb", "adjective", "adverb")
ANY = "any"  # every part of speech that the dictionary has for a word

_OTHER_NAMES = {
    "n": "noun", "nn": "noun", "nns": "noun", "propn": "noun",
    "v": "verb", "vb": "verb", "aux": "verb",
    "a": "adjective", "adj": "adjective", "jj": "adjective",
    "r": "adverb", "adv": "adverb", "rb": "adverb",
}  # fmt: skip

_UNIVERSAL_TAGS = {"noun": ("NOUN",), "verb": ("VERB", "AUX"), "adjective": ("ADJ",), "adverb": ("ADV",)}

# Closed-class words that the dictionary lacks; the rules for unknown words would make "withs" of them.
_FUNCTION_WORDS = {
    "a", "against", "although", "among", "an", "and", "at", "because", "but", "during", "every", "for",
    "from", "if", "into", "nor", "of", "onto", "than", "the", "toward", "towards", "unless", "until", "upon",
    "with",
}  # fmt: skip

_LATIN_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ɏ]+(?:[-’'][A-Za-zÀ-ÖØ-öø-ɏ]+)*")
_POSSESSIVE = re.compile(r"[’'][sS]$")


def part_of_speech(name: str) -> str:
    """Return the full name of a part of speech, given any usual name for it, or "any".

    >>> part_of_speech("ADJ"), part_of_speech("v")
    ('adjective', 'verb')
    """
    plain = name.strip().lower() if isinstance(name, str) else ""
    full = _OTHER_NAMES.get(plain, plain)
    choices = (*PARTS_OF_SPEECH, ANY)
    if full not in choices:
        close = suggestion(plain, choices) or f"; choose one of {', '.join(choices)}"
        raise FormulaError(f"{name!r} is not a part of speech{close}")
    return full


@lru_cache(maxsize=16384)
def inflections(word: str, pos: str | None = None) -> tuple[str, ...]:
    """Return the forms of `word`, itself first, by the rules at the top of this module.

    >>> inflections("run", "verb")
    ('run', 'ran', 'running', 'runs')
    >>> inflections("frisbee"), inflections("ice cream")
    (('frisbee', 'frisbees'), ('ice cream', 'ice creams'))
    >>> inflections("moon"), inflections("moon", "any")
    (('moon', 'moons'), ('moon', 'moons', 'mooned', 'mooning'))
    """
    full = None if pos is None else part_of_speech(pos)
    start, space, last = word.rpartition(" ")
    if space and full in (None, ANY) and _dictionary_lemmas(last, "NOUN"):
        full = "noun"
    return tuple(dict.fromkeys(start + space + form for form in _forms(last, full)))


def _forms(word: str, pos: str | None) -> Iterator[str]:
    yield word
    if not _LATIN_WORD.fullmatch(word) or _POSSESSIVE.search(word):
        return
    named = pos not in (None, ANY)
    tags = _UNIVERSAL_TAGS.get(pos or ANY, ("NOUN", "VERB", "AUX", "ADJ", "ADV"))
    known = {tag: lemmas for tag in tags if (lemmas := _dictionary_lemmas(word, tag))}
    itself = ((word,), (word.lower(),))
    known = {tag: lemmas for tag, lemmas in known.items() if lemmas in itself} or known
    if pos is None and len(known) > 1 and RARE_VERBS.issuperset(map(str.lower, known.get("VERB", ()))):
        known.pop("VERB", None)
    for tag, lemmas in known.items():
        forms = [form for lemma in lemmas for form in _dictionary_forms(lemma, tag)]
        # The dictionary lists "can" and "will" as nouns but has no plurals for them; pronouns, which it
        # lists as nouns too, must not get any.
        if not forms and (named or (tag == "NOUN" and "AUX" in known)):
            forms = _guessed_forms(word, tag)
        yield from (_cased_like(word, form) for form in forms)
    if not known and word.lower() not in _FUNCTION_WORDS:
        yield from (_cased_like(word, form) for form in _guessed_forms(word, tags[0]))


class _WithoutSpacy(MetaPathFinder):
    """Make `import spacy` fail."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "spacy":
            raise ImportError("not wanted here")


@lru_cache(maxsize=1)
def _dictionary() -> Any:
    """Import lemminflect when a formula needs it: the import takes 0.15 s, and most formulas do not.

    Where spaCy is installed (for the metrics), lemminflect imports it just to add methods to its tokens, and
    spaCy imports torch, which takes two more seconds.
    """
    if {"lemminflect", "spacy"} & sys.modules.keys():
        import lemminflect
    else:
        finder = _WithoutSpacy()
        sys.meta_path.insert(0, finder)
        try:
            import lemminflect
        finally:
            sys.meta_path.remove(finder)
    return lemminflect


def _dictionary_lemmas(word: str, tag: str) -> tuple[str, ...]:
    lemminflect = _dictionary()
    for spelling in dict.fromkeys((word, word.lower())):
        lemmas: tuple[str, ...] = lemminflect.getAllLemmas(spelling, upos=tag).get(tag, ())
        if lemmas:
            return (spelling,) if spelling in lemmas else tuple(lemmas)
    return ()


def _dictionary_forms(lemma: str, tag: str) -> list[str]:
    lemminflect = _dictionary()
    return [form for forms in lemminflect.getAllInflections(lemma, upos=tag).values() for form in forms]


def _guessed_forms(word: str, tag: str) -> list[str]:
    """Return the forms of a word that the dictionary lacks."""
    lemminflect = _dictionary()

    def forms_of(lemma: str) -> list[str]:
        return [form for forms in lemminflect.getAllInflectionsOOV(lemma, tag).values() for form in forms]

    plain = word.lower()
    if word == plain:  # names are never taken apart: "Paris" is not the plural of "Pari"
        for lemma in lemminflect.getAllLemmasOOV(plain, tag).get(tag, ()):
            forms = forms_of(lemma)
            if plain in forms:
                return [lemma, *forms]
    return forms_of(plain)


def _cased_like(word: str, form: str) -> str:
    """Give `form` the capitals of `word`: NASA, NASAs; Run, Ran."""
    if word.islower():
        return form
    same = 0
    while same < min(len(word), len(form)) and word[same].lower() == form[same].lower():
        same += 1
    cased = word[:same] + form[same:].lower()
    return cased[0].upper() + cased[1:] if word[0].isupper() else cased
