"""CommonGen's concept sets with their reference sentences, from a folder of its files.

Three layouts are known, and the first that a folder has is read:

- CommonGen's own: `commongen.SPLIT.src_alpha.txt` and `commongen.SPLIT.tgt.txt`, aligned line by line, one
  line per reference, so that a set repeats; without the second file there are no references;
- `commongen.SPLIT.jsonl` alone, with lines like `{"concept_set": "dog_N#run_V", "scene": [sentences]}`;
- the hub's `common_gen`: rows of `concept_set_idx`, `concepts`, `target` (see `hub.py`).

Where the folder has a `commongen.SPLIT.jsonl` beside the first layout, the parts of speech are taken from it.
A set is what its line says, in that order: the same words in another order are another set, as they are
another input to a model. Sets come in the order of their first line.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from neurologic.errors import DataError, FormulaError
from neurologic.experiments.tasks.commongen import hub
from neurologic.experiments.tasks.files import json_lines, text_lines
from neurologic.logic.inflection import part_of_speech

Row: TypeAlias = tuple[Sequence[str], Sequence[str]]  # the concepts of a line, and the references there


@dataclass(frozen=True)
class ConceptSet:
    """An input of CommonGen.

    concepts         the words to use, in their base form, in the order of the data
    references       sentences that people wrote with them; none where the data keeps them back
    parts_of_speech  for each concept "noun", "verb" …, or None where the data does not say
    """

    concepts: tuple[str, ...]
    references: tuple[str, ...] = ()
    parts_of_speech: tuple[str | None, ...] = ()

    def __post_init__(self) -> None:
        if not self.parts_of_speech:
            object.__setattr__(self, "parts_of_speech", (None,) * len(self.concepts))
        if len(self.parts_of_speech) != len(self.concepts):
            raise ValueError(
                f"{len(self.concepts)} concepts, but {len(self.parts_of_speech)} parts of speech"
            )


def read_sets(data: str | Path, split: str) -> list[ConceptSet]:
    """The distinct concept sets of a split with all of their references."""
    folder = Path(data)
    for name in hub.split_names(split):
        aligned = folder / f"commongen.{name}.src_alpha.txt"
        described = folder / f"commongen.{name}.jsonl"
        if aligned.exists():
            sets = _distinct(_aligned_rows(aligned, folder / f"commongen.{name}.tgt.txt"))
            return _with_parts_of_speech(sets, _distinct(_described_rows(described)))
        if described.exists():
            return _distinct(_described_rows(described))
    rows = hub.rows(data, split)
    if rows is None:
        raise DataError(f"there is no {folder / f'commongen.{split}.src_alpha.txt'}{_splits(folder)}")
    return _distinct(rows)


def read_concepts(data: str | Path, split: str) -> list[tuple[str, ...]]:
    """The concepts alone of `read_sets`."""
    return [one.concepts for one in read_sets(data, split)]


def read_lines(data: str | Path, split: str) -> list[tuple[str, ...]] | None:
    """The concepts of every line of CommonGen's own file, with repetitions; None in other layouts.

    CommonGen's script reads outputs line by line beside this file, so that outputs repeat as sets do.
    """
    for name in hub.split_names(split):
        path = Path(data) / f"commongen.{name}.src_alpha.txt"
        if path.exists():
            return [tagged(line.split())[0] for line in text_lines(path) if line.strip()]
    return None


def _distinct(rows: Iterable[Row]) -> list[ConceptSet]:
    """One set for all rows with the same concepts."""
    references: dict[tuple[tuple[str, ...], tuple[str | None, ...]], list[str]] = {}
    for concepts, sentences in rows:
        if concepts:
            several = references.setdefault(tagged(concepts), [])
            several.extend(sentence for sentence in sentences if sentence.strip())
    return [
        ConceptSet(concepts, tuple(sentences), tags) for (concepts, tags), sentences in references.items()
    ]


def tagged(concepts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """Words and parts of speech of concepts such as "dog_N".

    >>> tagged(["dog_N", "run"])
    (('dog', 'run'), ('noun', None))
    """
    pairs = [_word_and_tag(concept) for concept in concepts]
    return tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs)


def _word_and_tag(concept: str) -> tuple[str, str | None]:
    word, separator, tag = concept.rpartition("_")
    if word and separator:
        try:
            return word, part_of_speech(tag)
        except FormulaError:
            pass  # an underscore of another kind
    return concept, None


def _aligned_rows(concepts: Path, sentences: Path) -> Iterator[Row]:
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


def _described_rows(path: Path) -> Iterator[Row]:
    """Rows of a file of JSON lines; none where there is no such file."""
    for number, line in json_lines(path) if path.exists() else ():
        concepts, sentences = line.get("concept_set"), line.get("scene", [])
        if not isinstance(concepts, str) or not isinstance(sentences, list):
            raise DataError(
                f'{path}, line {number}: expected {{"concept_set": "dog_N#run_V", "scene": [sentences]}}, '
                f"found {json.dumps(line)[:80]}"
            )
        yield concepts.split("#"), [str(sentence) for sentence in sentences]


def _with_parts_of_speech(sets: list[ConceptSet], described: list[ConceptSet]) -> list[ConceptSet]:
    """The sets with the parts of speech of those that are described; other sets stay as they are.

    Two described sets may have the same words with different parts of speech (a hair style, to style hair):
    the references tell which is meant.
    """
    by_words: dict[tuple[str, ...], list[ConceptSet]] = defaultdict(list)
    for one in described:
        by_words[tuple(sorted(one.concepts))].append(one)
    return [_tagged_like(one, by_words.get(tuple(sorted(one.concepts)), [])) for one in sets]


def _tagged_like(one: ConceptSet, others: Sequence[ConceptSet]) -> ConceptSet:
    """The set with the tags of the other one that it shares most references with; all have the same words."""
    if not others or None not in one.parts_of_speech:
        return one
    meant = max(others, key=lambda other: len(set(other.references) & set(one.references)))
    waiting: dict[str, list[str | None]] = defaultdict(list)
    for word, tag in zip(meant.concepts, meant.parts_of_speech, strict=True):
        waiting[word].append(tag)
    tags = tuple(waiting[word].pop(0) for word in one.concepts)
    return ConceptSet(one.concepts, one.references, tags)


def _splits(folder: Path) -> str:
    """The splits that are there, for whoever mistyped one."""
    found = {path.name.split(".")[1] for path in folder.glob("commongen.*.src_alpha.txt")}
    found |= set(hub.splits(folder))
    return f"; the splits there are {', '.join(sorted(found))}" if found else ""
