"""A glossary: for a source, the formula that its translation must obey.

For every term of the source, the formula requires one of its allowed forms, once, even if the term is
repeated, and forbids its forbidden forms. A forbidden form inside an allowed form of a term of the same
source is allowed when the longer allowed form is present ("pression" with "pression artérielle"), so that
terms never contradict one another; the formula then does not forbid it elsewhere in the translation.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from neurologic.integrations.glossary.glossary_file import read_terms, unusable
from neurologic.integrations.glossary.term import GlossaryError, Term, source_phrases
from neurologic.integrations.glossary.term_finder import SourceForm, TermFinder
from neurologic.logic import Formula, Phrase, all_of, any_of, certainly_contains, check, occurs, to_clauses
from neurologic.logic.spans import spans


@dataclass(frozen=True)
class Use:
    """A term that a source has.

    found    the words of the source that stand for the term
    formula  the constraint on the translation
    """

    term: Term
    found: tuple[str, ...]
    formula: Formula

    def used(self, translation: str) -> tuple[str, ...]:
        """Return the allowed forms that the translation has, as they stand there."""
        found = (phrase for phrase in self.term.wanted if occurs(phrase, translation))
        places = (spans(phrase, translation)[0] for phrase in found)
        return tuple(dict.fromkeys(translation[start:end] for start, end in places))

    def kept(self, translation: str) -> bool:
        """Return whether the translation obeys the term."""
        return all(report.satisfied for report in check(to_clauses(self.formula), translation))

    def to_json(self, translation: str | None = None) -> dict[str, Any]:
        """Return the term for an output line, with the verdict if there is a translation."""
        fields = {"term": self.term.source, "lines": list(self.term.lines), "found": list(self.found)}
        if translation is None:
            return fields
        return {**fields, "used": list(self.used(translation)), "satisfied": self.kept(translation)}


class Glossary:
    """Terms with the forms that their translations may and must not have; terms listed twice merge.

    inflect  whether English inflected forms stand for terms as well

    >>> glossary = Glossary([Term("tenant", ("preneur", "preneurs"), ("locataire",))])
    >>> print(glossary.formula("All tenants must pay."), glossary.formula("Nothing."))
    (preneur | preneurs) & !locataire None
    """

    def __init__(self, terms: Iterable[Term], *, inflect: bool = True) -> None:
        self.terms = _merged(terms)
        if clashes := [clash for term in self.terms for clash in _clashes(term)]:
            raise GlossaryError("\n".join(clashes))
        self._finder = TermFinder(
            SourceForm(phrase, number, listed)
            for number, term in enumerate(self.terms)
            for phrase, listed in source_phrases(term.source, inflect=inflect)
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, inflect: bool = True) -> Self:
        """Read the glossary of a file (see `glossary_file`); `GlossaryError` names bad lines."""
        terms = read_terms(path)
        try:
            return cls(terms, inflect=inflect)
        except GlossaryError as error:
            raise unusable(path, *str(error).splitlines()) from error

    def uses(self, source: str) -> tuple[Use, ...]:
        """Return the terms that a source has, in its order."""
        words: dict[int, list[str]] = {}
        for found in self._finder.find(source):
            words.setdefault(found.form.term, []).append(found.text)
        terms = [self.terms[number] for number in words]
        wanted = tuple(dict.fromkeys(phrase for term in terms for phrase in term.wanted))
        return tuple(
            Use(term, tuple(dict.fromkeys(found)), _formula(term, wanted))
            for term, found in zip(terms, words.values(), strict=True)
        )

    def formula(self, source: str) -> Formula | None:
        """Return the formula for the translation of a source; None if the source has no term."""
        uses = self.uses(source)
        return all_of(*(use.formula for use in uses)) if uses else None


def _formula(term: Term, wanted: tuple[Phrase, ...]) -> Formula:
    """Return the formula of a term, given the phrases `wanted` by all terms of the source."""
    required = [any_of(*term.wanted)] if term.wanted else []
    forbidden = [
        any_of(~phrase, *(outer for outer in wanted if certainly_contains(outer, phrase)))
        for phrase in term.unwanted
    ]
    return all_of(*required, *forbidden)


def _merged(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Merge terms with the same source words."""
    merged: dict[Any, Term] = {}
    for term in terms:
        key = tuple(phrase.key for phrase, _ in source_phrases(term.source, inflect=False))
        known = merged.get(key)
        if known is not None:
            term = Term(
                known.source,
                tuple(dict.fromkeys(known.allowed + term.allowed)),
                tuple(dict.fromkeys(known.forbidden + term.forbidden)),
                tuple(dict.fromkeys(known.lines + term.lines)),
            )
        merged[key] = term
    return tuple(merged.values())


def _clashes(term: Term) -> Iterator[str]:
    allowed = {phrase.key for phrase in term.wanted}
    for phrase in term.unwanted:
        if phrase.key in allowed:
            yield f"{term.place}: {phrase} is allowed and also forbidden; drop one"
