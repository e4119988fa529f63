"""What a translation must contain: a person's noun in the right gender, and not in the other.

    La développeuse s'est disputée avec le designer parce qu'elle n'aimait pas le design.
    ^^^^^^^^^^^^^^^
    ("la développeuse" | … | développeuse | "la promotrice" | …)
    & !développeur & !promoteur & !"le développeuse" & …

Only those are constrained whose gender is known. Another person of the sentence may share nouns with them
(a chef and a chief): such nouns are left out, where others remain, and else are not forbidden, since a text
that obeys must be able to name both. Where the gender is known to be neutral, either form will do. A person
without a row in the lexicon is not constrained.

`official` are the clauses that the authors of NeuroLogic Decoding published for the gold genders and
French, `fr_constraints.jsonl`. Typographic apostrophes in them, which some models cannot write, become
plain ones, and what they forbid inside of a phrase that they ask for is dropped. For 123 neutral persons
they ask for nothing and forbid the noun in both genders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import neurologic as nl
from neurologic.errors import DataError
from neurologic.experiments.tasks.files import json_lines
from neurologic.experiments.tasks.winomt import french, german
from neurologic.experiments.tasks.winomt.coreference import Places
from neurologic.experiments.tasks.winomt.lexicon import Lexicon, Pair, people
from neurologic.experiments.tasks.winomt.sentences import FEMALE, MALE, NEUTRAL, Sentence
from neurologic.logic import Formula, occurs

LANGUAGES: Mapping[str, str] = {"fr": "French", "de": "German"}
TABLE, OFFICIAL = "table", "official"

FORMS: Mapping[str, str] = {
    TABLE: "those of our table, and of professions.LANGUAGE in the data folder",
    OFFICIAL: "the paper's authors' fr_constraints.jsonl (French, gold genders)",
}

_GRAMMARS: Mapping[str, ModuleType] = {"fr": french, "de": german}
_OTHER = {MALE: FEMALE, FEMALE: MALE}


def formula(
    sentence: Sequence[str], genders: Places, lexicon: Lexicon, language: str = "fr"
) -> Formula | None:
    """The formula of a sentence, given as words, for those whose gender is known; None if that is nobody.

    >>> words = "The developer met the cook because she was hungry.".split()
    >>> nouns = {"developer": (Pair("développeur", "développeuse"),)}
    >>> [str(part) for part in formula(words, {1: "female"}, nouns).parts[1:3]]
    ['!développeur', '!"le développeurs"']
    """
    everybody = people(sentence, lexicon)
    parts = []
    for place, gender in genders.items():
        meant = [person for person in everybody if person.start <= place < person.end]
        if meant:
            noun = meant[0].noun
            others = [pair for person in everybody if person.noun != noun for pair in lexicon[person.noun]]
            parts.append(_of_person(lexicon[noun], _unshared(lexicon[noun], others), gender, language))
    return nl.all_of(*parts) if parts else None


def _unshared(pairs: Sequence[Pair], others: Sequence[Pair]) -> tuple[Pair, ...]:
    """Those pairs of which no form may mean somebody else."""
    taken = {form for pair in others for form in (pair.masculine, pair.feminine)}
    return tuple(pair for pair in pairs if pair.masculine not in taken and pair.feminine not in taken)


@lru_cache(maxsize=4096)  # few persons, many sentences
def _of_person(pairs: tuple[Pair, ...], own: tuple[Pair, ...], gender: str, language: str) -> Formula:
    """The formula of somebody with these pairs, of which `own` mean nobody else in the sentence."""
    grammar = _GRAMMARS[language]
    nouns = own or pairs
    if gender == NEUTRAL:
        forms = [
            *(phrase for one in (MALE, FEMALE) for phrase in grammar.phrases(nouns, one)),
            *(phrase for one in (MALE, FEMALE) for phrase in grammar.hiding(nouns, one)),
        ]
        return nl.any_of(*_distinct(forms))
    forbidden = [
        *grammar.phrases(own, _OTHER[gender]),
        *grammar.plurals(own, _OTHER[gender]),
        *grammar.hiding(own, gender),
        *grammar.mismatched(nouns, gender),
    ]
    return _stated([grammar.asked(nouns, gender)], forbidden)


def _stated(clauses: Sequence[Sequence[str]], forbidden: Sequence[str]) -> Formula:
    """One of each clause and nothing that is forbidden, but for what a phrase asked for holds itself."""
    wanted = [phrase for clause in clauses for phrase in clause]
    never = [phrase for phrase in _distinct(forbidden) if not any(occurs(phrase, one) for one in wanted)]
    # "le développeur" need not be said beside "développeur".
    least = [phrase for phrase in never if not any(occurs(one, phrase) for one in never if one != phrase)]
    return nl.all_of(
        *(nl.any_of(*_distinct(clause)) for clause in clauses), *(~nl.phrase(phrase) for phrase in least)
    )


def _distinct(phrases: Sequence[str]) -> list[str]:
    """Each once; phrases match in any case."""
    found: dict[str, str] = {}
    for phrase in phrases:
        found.setdefault(phrase.casefold(), phrase)
    return list(found.values())


# -- the authors' clauses -------------------------------------------------------------------------


def official(data: str | Path, sentences: Sequence[Sentence]) -> list[Formula | None]:
    """The published formula of each sentence."""
    path = Path(data) / "fr_constraints.jsonl"
    lines = list(json_lines(path))
    if len(lines) != len(sentences):
        raise DataError(f"{path} has {len(lines)} lines for {len(sentences)} sentences")
    return [_published(line, f"{path}, line {number}") for number, line in lines]


def _published(line: Mapping[str, Any], where: str) -> Formula | None:
    try:
        asked = [[_plain(phrase) for phrase in clause] for clause in line["positive"]]
        forbidden = [_plain(phrase) for clause in line["negative"] for phrase in clause]
    except (KeyError, TypeError, AttributeError):
        raise DataError(f'{where}: expected {{"positive": [[phrases]], "negative": [[phrases]]}}') from None
    clauses = [clause for clause in asked if clause]
    return _stated(clauses, forbidden) if clauses or forbidden else None


def _plain(phrase: str) -> str:
    return phrase.replace("’", "'")
