"""The formula of a concept set: every concept occurs in one of its forms.

The user chooses the forms: those of the concept's part of speech if the data has it, those of every part of
speech, or those that the authors of NeuroLogic Decoding published for the dev split. The latter are in
`SPLIT.clauses.jsonl`, a list of clauses a line, each a list of phrases; the line of the same number in
`SPLIT.clauses.concepts.txt` names its concept set. Some of their forms are missing or odd.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import neurologic as nl
from neurologic.errors import DataError, FormulaError
from neurologic.experiments.tasks.commongen.concept_sets import ConceptSet, tagged
from neurologic.experiments.tasks.files import parse_json, text_lines
from neurologic.logic import Formula, from_json

PART_OF_SPEECH, EVERY_FORM, OFFICIAL = "part-of-speech", "every", "official"
FORMS: Mapping[str, str] = {
    PART_OF_SPEECH: "inflected forms of its part of speech; of every one if the data does not say",
    EVERY_FORM: "inflected forms of every part of speech",
    OFFICIAL: "the forms in SPLIT.clauses.jsonl, which the paper's authors published for dev",
}


def formula(concepts: Sequence[str], parts_of_speech: Sequence[str | None] = ()) -> Formula:
    """Require every concept in one of its forms.

    >>> print(formula(["dog", "catch"]), "and", formula(["dog", "catch"], ["noun", None]))
    inflect(dog, any) & inflect(catch, any) and inflect(dog, noun) & inflect(catch, any)
    """
    tags = parts_of_speech or [None] * len(concepts)
    return nl.all_of(
        *(nl.inflect(concept, tag or "any") for concept, tag in zip(concepts, tags, strict=True))
    )


def formulas(data: str | Path, split: str, sets: Sequence[ConceptSet], forms: str) -> list[Formula]:
    """Return the formula of each concept set, with one of `FORMS`."""
    if forms == OFFICIAL:
        return _official(Path(data), split, sets)
    if forms == EVERY_FORM:
        return [formula(concept_set.concepts) for concept_set in sets]
    return [formula(concept_set.concepts, concept_set.parts_of_speech) for concept_set in sets]


def _official(folder: Path, split: str, sets: Sequence[ConceptSet]) -> list[Formula]:
    path = folder / f"{split}.clauses.jsonl"
    lines = text_lines(path)
    concepts = text_lines(folder / f"{split}.clauses.concepts.txt")
    if len(lines) != len(concepts):
        raise DataError(
            f"{path} has {len(lines)} lines, and {split}.clauses.concepts.txt has {len(concepts)}"
        )
    by_words: dict[tuple[str, ...], list[tuple[ConceptSet, Formula]]] = defaultdict(list)
    for number, (line, words) in enumerate(zip(lines, concepts, strict=True), 1):
        concept_set = ConceptSet(*tagged(words.split("#")))
        by_words[concept_set.words].append((concept_set, _clauses(line, f"{path}, line {number}")))
    missing = [" ".join(concept_set.concepts) for concept_set in sets if concept_set.words not in by_words]
    if missing:
        raise DataError(f"{path} has no clauses for the concepts {missing[0]}")
    return [_of_set(concept_set, by_words[concept_set.words]) for concept_set in sets]


def _of_set(concept_set: ConceptSet, candidates: Sequence[tuple[ConceptSet, Formula]]) -> Formula:
    """Return the formula of the same parts of speech, or the first of those with the same words."""
    wanted = sorted(map(str, concept_set.parts_of_speech))
    agreeing = (made for other, made in candidates if sorted(map(str, other.parts_of_speech)) == wanted)
    return next(agreeing, candidates[0][1])


def _clauses(line: str, where: str) -> Formula:
    found = parse_json(line, where)
    try:
        made = from_json(found) if isinstance(found, list) else None
    except FormulaError as error:
        raise DataError(f"{where}: {error}") from error
    if made is None:
        raise DataError(f"{where}: expected a list of clauses, each a list of phrases, found {line[:60]}")
    return made
