"""Recipes and their splits from files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from neurologic.errors import DataError
from neurologic.experiments.tasks.recipes.recipe_files import Recipe, of_markdown, read_recipes, split_of

TOAST = Recipe("Cheese Toast", ("2 slices bread", "1 slice cheese"), ("Toast the bread.", "Add the cheese."))


def as_line(recipe: Recipe) -> str:
    return json.dumps(
        {
            "title": recipe.title,
            "ingredients": list(recipe.ingredients),
            "directions": list(recipe.directions),
        }
    )


def titled(number: int) -> Recipe:
    return Recipe(f"Dish {number}", ("salt",), (f"Cook dish {number}.",))


def test_json_lines_are_read_packed_or_not(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "recipes.jsonl").write_text(as_line(TOAST) + "\n\n", encoding="utf-8")
    (tmp_path / "packed").mkdir()
    with gzip.open(tmp_path / "packed" / "recipes.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(as_line(TOAST) + "\n")
    assert read_recipes(tmp_path / "plain", "all") == read_recipes(tmp_path / "packed", "all") == [TOAST]
    assert read_recipes(tmp_path / "plain" / "recipes.jsonl", "all") == [TOAST]
    assert TOAST.text == "Toast the bread. Add the cheese."


def test_a_packed_file_may_come_from_another_system(tmp_path: Path) -> None:
    path = tmp_path / "recipes.jsonl.gz"
    path.write_bytes(gzip.compress(f"\ufeff{as_line(TOAST)}\r\n{as_line(titled(1))}\r\n".encode()))
    assert read_recipes(path, "all") == [TOAST, titled(1)]


@pytest.mark.parametrize("harm", [lambda content: content[:-12], lambda content: content[20:]])
def test_a_packed_file_that_is_damaged_is_named(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "recipes.jsonl.gz"
    path.write_bytes(harm(gzip.compress(as_line(TOAST).encode())))
    with pytest.raises(DataError, match=r"cannot (read|unpack) .*recipes\.jsonl\.gz"):
        read_recipes(path, "all")


def test_the_title_decides_the_split(tmp_path: Path) -> None:
    recipes = [titled(number) for number in range(1000)]
    (tmp_path / "some.jsonl").write_text("\n".join(map(as_line, recipes)), encoding="utf-8")
    train, dev = read_recipes(tmp_path, "train"), read_recipes(tmp_path, "dev")
    assert sorted([*train, *dev], key=recipes.index) == recipes
    assert 50 < len(dev) < 150
    assert {split_of(recipe.title) for recipe in dev} == {"dev"}
    # Another order of the file, and other recipes beside them, change nothing.
    (tmp_path / "some.jsonl").write_text("\n".join(map(as_line, recipes[500::-1])), encoding="utf-8")
    assert set(read_recipes(tmp_path, "dev")) == set(dev) & set(recipes[:501])


def test_a_file_named_after_the_split_is_the_split(tmp_path: Path) -> None:
    for name in ("dev", "train"):
        (tmp_path / f"{name}.jsonl").write_text(as_line(titled(len(name))), encoding="utf-8")
    assert read_recipes(tmp_path, "dev") == [titled(3)]


@pytest.mark.parametrize(
    ("names", "missing", "there"),
    [
        (["train.jsonl"], "dev", "train, all"),
        (["dev.jsonl", "test.jsonl"], "train", "dev, test, all"),
        (["Train-1.jsonl", "train_2.jsonl", "more.jsonl"], "dev", "train, all"),
        (["train.jsonl", "val.jsonl"], "dev", "train, val, all"),
    ],
)
def test_named_splits_are_not_mixed(names: list[str], missing: str, there: str, tmp_path: Path) -> None:
    """What is in a file of one split never becomes a part of another."""
    for number, name in enumerate(names):
        lines = [as_line(titled(100 * number + one)) for one in range(100)]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    for data in (tmp_path, tmp_path / names[0]) if len(names) == 1 else (tmp_path,):
        with pytest.raises(DataError, match=f"there is no split '{missing}' of .*; choose one of {there}$"):
            read_recipes(data, missing)
    assert len(read_recipes(tmp_path, "all")) == 100 * len(names)


def test_a_page_is_not_named_after_a_split(tmp_path: Path) -> None:
    for name in ("train-cake", "toast"):
        page = f"title: {name}\n## Ingredients\n- salt\n## Directions\n1. Cook.\n"
        (tmp_path / f"{name}.md").write_text(page, encoding="utf-8")
    found = [recipe.title for split in ("train", "dev") for recipe in read_recipes(tmp_path, split)]
    assert sorted(found) == ["toast", "train-cake"]


def test_a_recipe_that_comes_twice_is_one(tmp_path: Path) -> None:
    (tmp_path / "some.jsonl").write_text(f"{as_line(TOAST)}\n{as_line(TOAST)}", encoding="utf-8")
    assert read_recipes(tmp_path, "all") == [TOAST]


def test_markdown_has_a_title_and_two_lists() -> None:
    page = """
    |---
    |title: "Cheese Toast"
    |tags: ['quick']
    |---
    |Nice and quick.
    |- 🍳 Cook time: 5 min
    |
    |## Ingredients
    |- 2 slices [bread](/bread)
    |### For the top
    |* 1 slice *good* cheese
    |## Directions
    |1. Toast the bread.
    |2. Add the cheese.
    |## Notes
    |- Eat it hot.
    """
    lines = [line.strip().removeprefix("|") for line in page.strip().splitlines()]
    recipe = Recipe(TOAST.title, ("2 slices bread", "1 slice good cheese"), TOAST.directions)
    assert of_markdown(lines) == recipe
    assert of_markdown([line for line in lines if "title" not in line]) is None
    assert of_markdown([line for line in lines if not line.startswith(("1.", "2."))]) is None


def test_errors_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(f'{as_line(TOAST)}\n{{"title": "No lists"}}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"some\.jsonl, line 2: expected"):
        read_recipes(tmp_path, "all")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"some\.jsonl, line 1: not JSON"):
        read_recipes(tmp_path, "all")
    path.write_text(as_line(TOAST), encoding="utf-8")
    with pytest.raises(DataError, match="choose one of train, dev, all"):
        read_recipes(tmp_path, "test")
    with pytest.raises(DataError, match="there is no"):
        read_recipes(tmp_path / "nowhere", "dev")
    path.unlink()
    with pytest.raises(DataError, match="has no recipes"):
        read_recipes(tmp_path, "dev")


def test_splits_of_the_real_data(real_data: Path) -> None:
    train, dev = read_recipes(real_data, "train"), read_recipes(real_data, "dev")
    assert (len(train), len(dev)) == (3605, 395)
    assert not {recipe.title for recipe in train} & {recipe.title for recipe in dev}
