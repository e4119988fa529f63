"""The formula of a translation: a person's noun occurs in the right gender, and not in the other.

    La développeuse s'est disputée avec le designer parce qu'elle n'aimait pas le design.
    ^^^^^^^^^^^^^^^
    ("la développeuse" | … | développeuse | "la promotrice" | …)
    & !développeur & !promoteur & !"le développeuse" & …

It constrains only persons of known gender who have a row in the lexicon. Another person of the sentence may
share nouns with them (a chef and a chief). The formula leaves such nouns out if others remain, and else does
not forbid them, since a text must be able to name both. For a neutral person either form will do.

`official` reads the clauses that the authors of NeuroLogic Decoding published for gold genders and French,
`fr_constraints.jsonl`. It makes typographic apostrophes plain, since some models cannot write them, and
drops forbidden phrases that occur in a required one. For 123 neutral persons the clauses require nothing and
forbid the noun in both genders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import neurologic as nl
from neurologic.errors import DataError
from neurologic.experiments.tasks.files import json_lines
from neurologic.experiments.tasks.winomt import french, german
from neurologic.experiments.tasks.winomt.coreference import GenderByPlace
from neurologic.experiments.tasks.winomt.lexicon import Lexicon, NounPair, people
from neurologic.experiments.tasks.winomt.sentences import FEMALE, MALE, NEUTRAL, Sentence
from neurologic.logic import Formula, occurs
from neurologic.logic.characters import folded

LANGUAGES: Mapping[str, str] = {"fr": "French", "de": "German"}

TABLE, OFFICIAL = "table", "official"
FORMS: Mapping[str, str] = {
    TABLE: "those of our table, and of professions.LANGUAGE in the data folder",
    OFFICIAL: "the paper's authors' fr_constraints.jsonl (French, gold genders)",
}


def formula(
    sentence: Sequence[str], genders: GenderByPlace, lexicon: Lexicon, language: str = "fr"
) -> Formula | None:
    """Return the formula for the words of a sentence; None if the gender of nobody is known.

    >>> words = "The developer met the cook because she was hungry.".split()
    >>> nouns = {"developer": (NounPair("développeur", "développeuse"),)}
    >>> [str(part) for part in formula(words, {1: "female"}, nouns).parts[1:3]]
    ['!développeur', '!"le développeurs"']
    """
    everybody = people(sentence, lexicon)
    parts = []
    for place, gender in genders.items():
        noun = next((person.noun for person in everybody if person.start <= place < person.end), None)
        if noun is not None:
            others = [pair for person in everybody if person.noun != noun for pair in lexicon[person.noun]]
            parts.append(_of_person(lexicon[noun], _unshared(lexicon[noun], others), gender, language))
    return nl.all_of(*parts) if parts else None


def _unshared(pairs: Sequence[NounPair], others: Iterable[NounPair]) -> tuple[NounPair, ...]:
    """Return the pairs without a form that may mean somebody else."""
    taken = {form for pair in others for form in (pair.masculine, pair.feminine)}
    return tuple(pair for pair in pairs if taken.isdisjoint((pair.masculine, pair.feminine)))


@lru_cache(maxsize=4096)  # few persons, many sentences
def _of_person(pairs: tuple[NounPair, ...], own: tuple[NounPair, ...], gender: str, language: str) -> Formula:
    """Return the formula of a person with these pairs, of which `own` mean nobody else in the sentence."""
    grammar = french if language == "fr" else german
    nouns = own or pairs
    if gender == NEUTRAL:
        forms = [
            *(phrase for either in (MALE, FEMALE) for phrase in grammar.phrases(nouns, either)),
            *(phrase for either in (MALE, FEMALE) for phrase in grammar.hidden(nouns, either)),
        ]
        return nl.any_of(*_distinct(forms))
    other = FEMALE if gender == MALE else MALE
    forbidden = [*grammar.phrases(own, other), *grammar.evasive(own, nouns, gender, other)]
    return _stated([grammar.required(nouns, gender)], forbidden)


def _stated(clauses: Sequence[Sequence[str]], forbidden: Iterable[str]) -> Formula:
    """Require one phrase of each clause and forbid phrases, except those inside a required one."""
    wanted = [phrase for clause in clauses for phrase in clause]
    never = [
        phrase for phrase in _distinct(forbidden) if not any(occurs(phrase, longer) for longer in wanted)
    ]
    # Without "développeur" there is no "le développeur".
    shortest = [
        phrase for phrase in never if not any(occurs(part, phrase) for part in never if part != phrase)
    ]
    return nl.all_of(
        *(nl.any_of(*_distinct(clause)) for clause in clauses), *(~nl.phrase(phrase) for phrase in shortest)
    )


def _distinct(phrases: Iterable[str]) -> list[str]:
    """Return each phrase once, whatever its case and apostrophes."""
    found: dict[str, str] = {}
    for phrase in phrases:
        found.setdefault(folded(phrase), phrase)
    return list(found.values())


def official(data: str | Path, sentences: Sequence[Sentence]) -> list[Formula | None]:
    """Return the published formula of each sentence."""
    path = Path(data) / "fr_constraints.jsonl"
    lines = list(json_lines(path))
    if len(lines) != len(sentences):
        raise DataError(f"{path} has {len(lines)} lines for {len(sentences)} sentences")
    return [_published(line, f"{path}, line {number}") for number, line in lines]


def _published(line: Mapping[str, Any], where: str) -> Formula | None:
    try:
        required = [[phrase.replace("’", "'") for phrase in clause] for clause in line["positive"]]
        forbidden = [phrase.replace("’", "'") for clause in line["negative"] for phrase in clause]
    except (KeyError, TypeError, AttributeError):
        raise DataError(f'{where}: expected {{"positive": [[phrases]], "negative": [[phrases]]}}') from None
    clauses = [clause for clause in required if clause]
    return _stated(clauses, forbidden) if clauses or forbidden else None
