"""The known ingredients: FlavorGraph's names and categories (Park et al., 2021).

They are in the data folder or the one above: `flavorgraph_nodes.csv` has names (`node_type` ingredient) like
`green_bell_pepper`, `flavorgraph_ingr2category_616.csv` a category for some of them.

The rules for lines of ingredients clean the names, so that "diced tomato" and "garlic clove" are not
ingredients besides tomatoes and garlic, and drop things that nobody eats. The categories are coarse and
sometimes wrong; `generic_names` interprets them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from neurologic.errors import DataError
from neurologic.experiments.tasks.recipes.ingredient_lines import names_in
from neurologic.experiments.tasks.recipes.kitchen_words import OTHER_ENDS, PREPARATIONS
from neurologic.experiments.tasks.recipes.word_forms import Key, forms_of, key_of
from neurologic.logic import Formula, Phrase
from neurologic.logic.formula import Not

NAMES = "flavorgraph_nodes.csv"
CATEGORIES = "flavorgraph_ingr2category_616.csv"
_VAGUE = PREPARATIONS | OTHER_ENDS


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The known ingredients of a folder; compared by identity.

    names       names as written, by key (see `word_forms`)
    categories  FlavorGraph's categories, by key
    """

    names: Mapping[Key, str]
    categories: Mapping[Key, str]

    def food_in(self, name: str) -> str | None:
        """Return the longest known food in a name, of equally long ones the last; None if there is none.

        A name may have unknown words too: "hungarian paprika" is paprika, "almond accents" are almonds. A
        word for a preparation counts only if there is nothing else: "milk powder" is milk.
        """
        words = name.split()
        runs = [" ".join(words[start:end]) for end in range(len(words), 0, -1) for start in range(end)]
        return max((run for run in runs if key_of(run) in self.names), key=_weight, default=None)

    def foods_in(self, alternatives: Sequence[str]) -> list[str]:
        """Return the known foods of alternatives, in their order.

        "vegetable or chicken broth" says the broth once: an alternative with fewer words than the next one
        takes the end of that, if this makes a known name. "butter or olive oil" is not butter oil.
        """
        whole: list[str] = []
        for name in reversed(alternatives):
            whole.append(self._ended(name, whole[-1]) if whole else name)
        return [food for name in reversed(whole) if (food := self.food_in(name)) is not None]

    def _ended(self, name: str, after: str) -> str:
        """Return a name with the longest end of the next alternative that makes it a known one."""
        own, words = name.split(), after.split()
        if len(own) >= len(words) or key_of(own[0]) == key_of(words[0]):
            return name
        ended = (" ".join([*own, *words[start:]]) for start in range(1, len(words)))
        return next((longer for longer in ended if key_of(longer) in self.names), name)

    @cached_property
    def inside(self) -> Mapping[Key, tuple[Key, ...]]:
        """Return for each name the shorter names inside it: ("pepper",) in ("black", "pepper")."""
        return {
            key: tuple(part for part in parts_of(key) if part != key and part in self.names)
            for key in self.names
        }

    @cached_property
    def with_word(self) -> Mapping[str, tuple[Key, ...]]:
        """Return for each word the names that have it, in their order."""
        found: dict[str, list[Key]] = {}
        for key in self.names:
            for word in dict.fromkeys(key):
                found.setdefault(word, []).append(key)
        return {word: tuple(keys) for word, keys in found.items()}

    @cached_property
    def negations(self) -> Mapping[Key, tuple[Formula, ...]]:
        """Return for each name the formulas that forbid its forms; all recipes share these objects."""
        return {key: tuple(Not(Phrase(form)) for form in forms_of(name)) for key, name in self.names.items()}


def _weight(name: str) -> tuple[bool, int]:
    """Rank names: more words weigh more, a part or a preparation alone weighs least."""
    key = key_of(name)
    return len(key) > 1 or key[0] not in _VAGUE, len(name.split())


def parts_of(key: Key) -> Iterator[Key]:
    """Yield all runs of words in a name, itself among them."""
    for width in range(1, len(key) + 1):
        for start in range(len(key) - width + 1):
            yield key[start : start + width]


def read_vocabulary(data: str | Path) -> Vocabulary:
    """Return the vocabulary beside the data."""
    path = Path(data)
    folders = [path, path.parent] if path.is_dir() else [path.parent, path.parent.parent]
    for folder in folders:
        if (folder / NAMES).is_file():
            return _read(folder.resolve())
    raise DataError(
        f"there is no {NAMES} in {folders[0]} or above it: the formulas of recipes need FlavorGraph's names "
        f"of ingredients ({NAMES}, {CATEGORIES})"
    )


@lru_cache(maxsize=4)
def _read(folder: Path) -> Vocabulary:
    names: dict[Key, str] = {}
    for row in _rows(folder / NAMES, ("name", "node_type")):
        if row["node_type"] == "ingredient":
            for name in _cleaned(row["name"]):
                names.setdefault(key_of(name), name)
    categories: dict[Key, str] = {}
    if (folder / CATEGORIES).is_file():
        for row in _rows(folder / CATEGORIES, ("ingredient", "category")):
            for name in _cleaned(row["ingredient"]):
                categories.setdefault(key_of(name), row["category"])
    return Vocabulary(names, categories)


def _cleaned(name: str) -> Iterator[str]:
    """Yield the names in one of FlavorGraph's: "salt_and_pepper" has two."""
    for alternatives in names_in(name.replace("_", " ")):
        yield from (food for food in alternatives if any(len(word) > 2 for word in key_of(food)))


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise DataError(f"{path} has no column {missing[0]}")
            yield from ({name: row[name] or "" for name in columns} for row in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot read {path}: {error}") from error
