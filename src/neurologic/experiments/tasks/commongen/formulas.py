"""What a sentence must contain: every concept of its set, in one of its forms.

Which forms those are can be chosen: those of the concept's part of speech where the data has it, those of
every part of speech, or those that the authors of NeuroLogic Decoding published for the dev split. The latter
are `SPLIT.clauses.jsonl`, a list of clauses a line, each a list of phrases; the line of the same number in
`SPLIT.clauses.concepts.txt` names its concept set. Some of their forms are missing or odd.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import neurologic as nl
from neurologic.errors import DataError, FormulaError
from neurologic.experiments.tasks.commongen.concept_sets import ConceptSet, tagged
from neurologic.experiments.tasks.files import text_lines
from neurologic.logic import Formula, from_json

PART_OF_SPEECH, EVERY_FORM, OFFICIAL = "part-of-speech", "every", "official"

LISTS: Mapping[str, str] = {
    "forbidden": "two concepts must not follow each other as they do in the prompt's list",
    "allowed": "only the concepts are asked for, as in the paper",
}

FORMS: Mapping[str, str] = {
    PART_OF_SPEECH: "inflected forms of its part of speech, of every one where the data does not say",
    EVERY_FORM: "inflected forms of every part of speech",
    OFFICIAL: "the forms in SPLIT.clauses.jsonl, which the paper's authors published for dev",
}


def formula(concepts: Sequence[str], parts_of_speech: Sequence[str | None] = ()) -> Formula:
    """Every concept in one of its forms.

    >>> print(formula(["dog", "catch"]), "and", formula(["dog", "catch"], ["noun", None]))
    inflect(dog) & inflect(catch) and inflect(dog, noun) & inflect(catch)
    """
    tags = parts_of_speech or [None] * len(concepts)
    return nl.all_of(*(nl.inflect(concept, tag) for concept, tag in zip(concepts, tags, strict=True)))


def without_list(concepts: Sequence[str]) -> Formula:
    """No two concepts side by side as a prompt lists them: a list is no sentence.

    >>> print(without_list(["kid", "room", "dance"]))
    !"kid, room" & !"room, dance"
    """
    return nl.none_of(*(f"{one}, {following}" for one, following in pairwise(concepts)))


def formulas(data: str | Path, split: str, sets: Sequence[ConceptSet], forms: str) -> list[Formula]:
    """The formula of each concept set, by one of `FORMS`."""
    if forms == OFFICIAL:
        return _official(Path(data), split, sets)
    tagged_too = forms == PART_OF_SPEECH
    return [formula(one.concepts, one.parts_of_speech if tagged_too else ()) for one in sets]


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
        found, tags = tagged(words.split("#"))
        one = ConceptSet(found, parts_of_speech=tags)
        by_words[tuple(sorted(one.concepts))].append((one, _clauses(line, f"{path}, line {number}")))
    return [_of_set(one, by_words.get(tuple(sorted(one.concepts)), []), path) for one in sets]


def _of_set(one: ConceptSet, candidates: Sequence[tuple[ConceptSet, Formula]], path: Path) -> Formula:
    """The formula of the same words; where two sets have them, the parts of speech decide."""
    if not candidates:
        raise DataError(f"{path} has no clauses for the concepts {' '.join(one.concepts)}")
    wanted = sorted(map(str, one.parts_of_speech))
    agreeing = [formula for other, formula in candidates if sorted(map(str, other.parts_of_speech)) == wanted]
    return agreeing[0] if agreeing else candidates[0][1]


def _clauses(line: str, where: str) -> Formula:
    try:
        found: Any = json.loads(line)
        made = from_json(found) if isinstance(found, list) else None
    except FormulaError as error:
        raise DataError(f"{where}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON: {error}") from error
    if made is None:
        raise DataError(f"{where}: expected a list of clauses, each a list of phrases, found {line[:60]}")
    return made
