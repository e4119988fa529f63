"""One term of a glossary, and its forms.

A form is a word or a phrase. It matches whole words in any case, unless a word of it has a capital inside
(US, iPhone, GmbH): then upper and lower case count. Double quotes around it do not count, and both kinds of
apostrophe match (d'or, d’or). The formula text of a single phrase works too: `May[case=exact]`,
`locatair[match=substring]`, `inflect(cancel, verb)`.

Only English inflects; write out the forms of other languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from neurologic.errors import FormulaError, NeurologicError
from neurologic.logic import Formula, Inflect, Phrase, inflections, parse
from neurologic.logic.characters import word_runs
from neurologic.logic.quoting import quoted

_INFLECTED = re.compile(r"inflect\(.*\)(\[[^\]]*\])?")
_WITH_OPTIONS = re.compile(r"(?P<text>.*\S)\s*(?P<options>\[\s*(case|match|times|number)\s*=[^\]]*\])")
_QUOTED = re.compile(r'"(?P<text>[^"]+)"')
_OTHER_SEPARATOR = re.compile(r";|,\s")

_STRAIGHT, _CURLY = "'", "’"


class GlossaryError(NeurologicError, ValueError):
    """A glossary that cannot be read, or that requires and forbids the same form."""


@dataclass(frozen=True)
class Term:
    """A term of the source language with the forms that its translation may and must not have.

    source     the term as it appears in the source
    allowed    forms of which the translation needs one; none means that it needs nothing
    forbidden  forms that the translation must not have
    lines      the lines of the term in its file, from 1

    >>> Term("tenant", allowed=("preneur", "preneuse"), forbidden=("locataire",)).forbidden
    ('locataire',)
    """

    source: str
    allowed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("allowed", "forbidden"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise GlossaryError(f'{name} forms come as a list, as in {name}=("{given}",)')
            object.__setattr__(self, name, tuple(given))
        if not self.allowed and not self.forbidden:
            raise GlossaryError(f"the term {quoted(self.source)} has neither allowed nor forbidden forms")
        source_phrases(self.source, inflect=False)
        phrases_of((*self.allowed, *self.forbidden))

    @property
    def wanted(self) -> tuple[Phrase, ...]:
        """The phrases of which the translation needs one."""
        return phrases_of(self.allowed)

    @property
    def unwanted(self) -> tuple[Phrase, ...]:
        """The phrases that it must not have."""
        return phrases_of(self.forbidden)

    @property
    def place(self) -> str:
        """The term's name in messages."""
        if not self.lines:
            return f"the term {quoted(self.source)}"
        *others, last = map(str, self.lines)
        numbers = f"lines {', '.join(others)} and {last}" if others else f"line {last}"
        return f"{numbers} ({self.source})"


def phrases_of(forms: tuple[str, ...]) -> tuple[Phrase, ...]:
    """Return the phrases that forms of a target language stand for.

    >>> print(*phrases_of(("preneur", "US", "l'or", "inflect(lease, noun)")))
    preneur US[case=exact] l'or lease leases
    """
    read = (phrase for form in forms for phrase in _phrases(form))
    return tuple(dict.fromkeys(spelling for phrase in read for spelling in _spellings(phrase)))


def source_phrases(source: str, *, inflect: bool) -> list[tuple[Phrase, bool]]:
    """Return the phrases that stand for a term in a source, and whether the glossary lists each as such.

    A plain word inflects, as a noun if it can be one: terms mostly are nouns, and "matching" has nothing to
    do with the match that somebody won.

    >>> [phrase.text for phrase, _ in source_phrases("match", inflect=True)]
    ['match', 'matches']
    """
    listed = _phrases(source)
    if any(phrase.match != "word" or phrase.times > 1 for phrase in listed):
        raise GlossaryError(
            f"the source term {source} takes no match or times: terms are found as whole words"
        )
    found = [(replace(phrase, text=straightened(phrase.text)), True) for phrase in listed]
    if inflect and not _is_formula(source):
        ((phrase, _),) = found
        # After an article the last word inflects as a noun if it can be one.
        article = "the "
        others = [form.removeprefix(article) for form in inflections(article + phrase.text, "any")]
        found += [(replace(phrase, text=form), False) for form in others if form != phrase.text]
    return found


def straightened(text: str) -> str:
    """Return a text with straight apostrophes only."""
    return text.replace(_CURLY, _STRAIGHT)


def _is_formula(form: str) -> bool:
    return bool(_INFLECTED.fullmatch(form) or _WITH_OPTIONS.fullmatch(form))


def _phrases(form: str) -> tuple[Phrase, ...]:
    """Return the phrases of one form; raise `GlossaryError` if it has none."""
    try:
        formula = _formula(form)
    except FormulaError as error:
        raise GlossaryError(f"{form}: {error}") from error
    if isinstance(formula, Inflect):
        return formula.forms
    if not isinstance(formula, Phrase):
        raise GlossaryError(f"{form}: a form is one phrase, or one inflect(…)")
    if formula.match == "tokens":
        raise GlossaryError(f"{form}: terms are looked for in the text; match is word or substring")
    return (formula,)


def _formula(form: str) -> Formula:
    if _INFLECTED.fullmatch(form):
        return parse(form)
    options = _WITH_OPTIONS.fullmatch(form)
    if options is None:
        return _plain_phrase(form)
    return parse(quoted(_plain_phrase(options["text"]).text) + options["options"])


def _plain_phrase(form: str) -> Phrase:
    in_quotes = _QUOTED.fullmatch(form)
    if in_quotes is None and _OTHER_SEPARATOR.search(form):
        raise GlossaryError(f'{form}: forms are separated by |; if this is one form, write "{form}"')
    text = form if in_quotes is None else in_quotes["text"]
    return Phrase(text, case="exact" if _has_inner_capital(text) else "fold")


def _has_inner_capital(text: str) -> bool:
    return any(character.isupper() for word in word_runs(text) for character in word[1:])


def _spellings(phrase: Phrase) -> tuple[Phrase, ...]:
    """Return the phrase with either kind of apostrophe: files have one kind, models write the other.

    Both kinds are one character already where case does not count.
    """
    straight = straightened(phrase.text)
    if _STRAIGHT not in straight or phrase.case == "fold":
        return (phrase,)
    return replace(phrase, text=straight), replace(phrase, text=straight.replace(_STRAIGHT, _CURLY))
