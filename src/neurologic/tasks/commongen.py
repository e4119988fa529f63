"""CommonGen (Lin et al., Findings of EMNLP 2020): one sentence with all concepts of a set.

A model is asked by chat turns: four examples, then the concepts. The formula wants every concept in any
inflected form, of whatever part of speech. Reference sentences are not read here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import neurologic as nl
from neurologic.errors import DataError
from neurologic.logic import Formula

# How texts are written unless the caller says otherwise: the paper's 32 tokens and 3-gram blocking.
SETTINGS = {"max_new_tokens": 32, "no_repeat_ngram_size": 3}

INSTRUCTION = "Write one simple sentence that uses all of these words: {}."
EXAMPLES = (
    ("kitchen, bread, bake", "A woman is baking bread in the kitchen."),
    ("ride, hill, bike, wear, helmet", "A boy wearing a helmet rides his bike down a hill."),
    ("guitar, sit, play, stage", "The man sits on the stage and plays the guitar."),
    ("beach, run, dog, water", "Two dogs run through the water at the beach."),
)


def read_concepts(data: str | Path, split: str) -> list[tuple[str, ...]]:
    """The distinct concept sets of a split in their order, from `commongen.SPLIT.src_alpha.txt`.

    The file has a line per reference sentence, so that sets repeat.
    """
    path = Path(data) / f"commongen.{split}.src_alpha.txt"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise DataError(f"there is no {path}{_splits(Path(data))}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8: {error.reason} at byte {error.start + 1}") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    return list(dict.fromkeys(concepts for line in lines if (concepts := tuple(line.split()))))


def conversation(concepts: Sequence[str]) -> list[dict[str, str]]:
    """Four examples as turns, then the words to use now."""
    messages = []
    for words, sentence in EXAMPLES:
        messages.append({"role": "user", "content": INSTRUCTION.format(words)})
        messages.append({"role": "assistant", "content": sentence})
    messages.append({"role": "user", "content": INSTRUCTION.format(", ".join(concepts))})
    return messages


def formula(concepts: Sequence[str]) -> Formula:
    """Every concept in one of its forms.

    >>> print(formula(["dog", "catch"]))
    inflect(dog) & inflect(catch)
    """
    return nl.all_of(*map(nl.inflect, concepts))


def _splits(data: Path) -> str:
    """The splits that are there, for whoever mistyped one."""
    found = sorted(path.name.split(".")[1] for path in data.glob("commongen.*.src_alpha.txt"))
    return f"; the splits there are {', '.join(found)}" if found else ""
