"""Read CommonGen's concept sets with their reference sentences.

A folder has one of three layouts; the first that fits counts:

- CommonGen's own: `commongen.SPLIT.src_alpha.txt` and `commongen.SPLIT.tgt.txt`, aligned line by line, one
  line per reference, so that a set repeats; without the second file there are no references;
- `commongen.SPLIT.jsonl` alone, with lines like `{"concept_set": "dog_N#run_V", "scene": [sentences]}`;
- the Hugging Face hub's `common_gen`: rows of `concept_set_idx`, `concepts`, `target` (see `hub_rows`).

With the first layout, `commongen.SPLIT.jsonl` gives the parts of speech. The same words in another order
are another set, as they are another input to a model. Sets keep the order of their first lines.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from neurologic.errors import DataError, FormulaError
from neurologic.experiments.tasks.commongen import hub_rows
from neurologic.experiments.tasks.files import json_lines, no_such_split, split_names, text_lines
from neurologic.logic.inflection import part_of_speech

ConceptRow: TypeAlias = tuple[Sequence[str], Sequence[str]]  # the concepts of a line, and its references
Tags: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True)
class ConceptSet:
    """An input of CommonGen.

    concepts         the words to use, in their base form, in the order of the data
    parts_of_speech  "noun", "verb" … for each concept, or None if the data does not say
    references       sentences that people wrote with them; none if the data withholds them
    """

    concepts: tuple[str, ...]
    parts_of_speech: Tags
    references: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Return the concepts in alphabetical order: equal for sets that differ in order or tags alone."""
        return tuple(sorted(self.concepts))


def read_sets(data: str | Path, split: str) -> list[ConceptSet]:
    """Return the distinct concept sets of a split, each with all of its references."""
    folder = Path(data)
    for name in split_names(split):
        aligned = folder / f"commongen.{name}.src_alpha.txt"
        described = folder / f"commongen.{name}.jsonl"
        if aligned.exists():
            sets = _distinct(_aligned_rows(aligned, folder / f"commongen.{name}.tgt.txt"))
            return _with_parts_of_speech(sets, _distinct(_described_rows(described)))
        if described.exists():
            return _distinct(_described_rows(described))
    rows = hub_rows.rows(data, split)
    if rows is None:
        own = {path.name.split(".")[1] for path in folder.glob("commongen.*.src_alpha.txt")}
        raise no_such_split(folder / f"commongen.{split}.src_alpha.txt", own | hub_rows.splits(folder))
    return _distinct(rows)


def read_concepts(data: str | Path, split: str) -> list[tuple[str, ...]]:
    """Return the concepts of each set of a split."""
    return [concept_set.concepts for concept_set in read_sets(data, split)]


def concepts_by_line(data: str | Path, split: str) -> list[tuple[str, ...]]:
    """Return the concepts of every line of CommonGen's own file, with repetitions; empty in other layouts.

    CommonGen's script reads outputs line by line beside this file, so outputs repeat as sets do.
    """
    for name in split_names(split):
        path = Path(data) / f"commongen.{name}.src_alpha.txt"
        if path.exists():
            return [tagged(line.split())[0] for line in text_lines(path) if line.strip()]
    return []


def tagged(concepts: Iterable[str]) -> tuple[tuple[str, ...], Tags]:
    """Return words and parts of speech of concepts such as "dog_N".

    >>> tagged(["dog_N", "run"])
    (('dog', 'run'), ('noun', None))
    """
    pairs = [_word_and_tag(concept) for concept in concepts]
    return tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs)


def _word_and_tag(concept: str) -> tuple[str, str | None]:
    word, _, tag = concept.rpartition("_")
    if word:
        try:
            return word, part_of_speech(tag)
        except FormulaError:
            pass  # the underscore belongs to the word
    return concept, None


def _distinct(rows: Iterable[ConceptRow]) -> list[ConceptSet]:
    """Return one set for all rows with the same concepts."""
    references: dict[tuple[tuple[str, ...], Tags], list[str]] = defaultdict(list)
    for concepts, sentences in rows:
        if concepts:
            references[tagged(concepts)].extend(sentence for sentence in sentences if sentence.strip())
    return [ConceptSet(*concepts, tuple(sentences)) for concepts, sentences in references.items()]


def _aligned_rows(concepts: Path, sentences: Path) -> Iterator[ConceptRow]:
    inputs = text_lines(concepts)
    if not sentences.exists():
        yield from ((line.split(), ()) for line in inputs)
        return
    outputs = text_lines(sentences)
    if len(inputs) != len(outputs):
        raise DataError(
            f"{concepts.name} has {len(inputs)} lines and {sentences.name} {len(outputs)}: "
            "they must have one line each per reference"
        )
    yield from ((line.split(), [sentence]) for line, sentence in zip(inputs, outputs, strict=True))


def _described_rows(path: Path) -> Iterator[ConceptRow]:
    """Yield the rows of a file of JSON lines; none if there is no such file."""
    for number, line in json_lines(path) if path.exists() else ():
        concepts, sentences = line.get("concept_set"), line.get("scene", [])
        if not isinstance(concepts, str) or not isinstance(sentences, list):
            raise DataError(
                f'{path}, line {number}: expected {{"concept_set": "dog_N#run_V", "scene": [sentences]}}, '
                f"found {json.dumps(line)[:80]}"
            )
        yield concepts.split("#"), [str(sentence) for sentence in sentences]


def _with_parts_of_speech(sets: Iterable[ConceptSet], described: Iterable[ConceptSet]) -> list[ConceptSet]:
    """Return the sets with the parts of speech of the described ones of the same words.

    Two described sets may have the same words with different parts of speech (a hair style, to style hair):
    the set gets those of the one with which it shares most references.
    """
    by_words: dict[tuple[str, ...], list[ConceptSet]] = defaultdict(list)
    for concept_set in described:
        by_words[concept_set.words].append(concept_set)
    return [_tagged_like(concept_set, by_words.get(concept_set.words, [])) for concept_set in sets]


def _tagged_like(concept_set: ConceptSet, others: Sequence[ConceptSet]) -> ConceptSet:
    if not others or None not in concept_set.parts_of_speech:
        return concept_set
    references = set(concept_set.references)
    meant = max(others, key=lambda other: len(references.intersection(other.references)))
    tags: dict[str, list[str | None]] = defaultdict(list)  # a word may be there twice
    for word, tag in zip(meant.concepts, meant.parts_of_speech, strict=True):
        tags[word].append(tag)
    return replace(concept_set, parts_of_speech=tuple(tags[word].pop(0) for word in concept_set.concepts))
