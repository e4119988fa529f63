"""Recipes as a task: items, prompts, outputs of other programs, scores, pairs to train on."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path

import pytest

import paths
from neurologic.errors import DataError
from neurologic.experiments.metrics import UnavailableError
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import Trainable, options_of
from neurologic.experiments.tasks.recipes import prompts
from neurologic.experiments.tasks.recipes.everyday import BY_HAND, BY_RULE, FOODS, LEAST, SHARE
from neurologic.experiments.tasks.recipes.everyday import NAMES as EVERYDAY_NAMES
from neurologic.experiments.tasks.recipes.food_names import food_names
from neurologic.experiments.tasks.recipes.formulas import ingredients_of
from neurologic.experiments.tasks.recipes.recipe_files import read_recipes
from neurologic.experiments.tasks.recipes.vocabulary import read_vocabulary
from neurologic.experiments.tasks.recipes.word_forms import key_of
from neurologic.logic import check

DATA = paths.DATA / "recipes"
TASK = TASKS["recipes"]
OPTIONS = options_of(TASK, {})
NAMES = ("onion", "olive_oil", "oil", "bacon", "butter", "egg", "salt", "rice", "milk")
RECIPES = (
    ("Fried Onions", ["2 onions, sliced", "2 tablespoons olive oil"], ["Heat the oil.", "Fry the onions."]),
    ("Boiled Eggs", ["6 eggs", "salt to taste", "8 skewers"], ["Boil the eggs.", "Sprinkle with salt."]),
    ("Milk Rice", ["1 cup rice", "4 cups milk"], ["Simmer the rice in milk."]),
    ("Picnic", ["6 paper plates"], ["Go."]),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "\n".join(f"{number},{name},,ingredient,no" for number, name in enumerate(NAMES))
    (tmp_path / "flavorgraph_nodes.csv").write_text(f"node_id,name,id,node_type,is_hub\n{rows}\n")
    lines = [
        json.dumps({"title": title, "ingredients": ingredients, "directions": directions})
        for title, ingredients, directions in RECIPES
    ]
    (tmp_path / "dev.jsonl").write_text("\n".join(lines))
    return tmp_path


@pytest.fixture
def real_data() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"the recipes are not at {DATA}")
    return DATA


# -- items ----------------------------------------------------------------------------------------


def test_an_item_has_prompt_formula_and_reference(folder: Path) -> None:
    first, second, third = TASK.items(folder, "dev", OPTIONS)  # a recipe without food is none
    assert first.title == "Fried Onions"
    assert first.references == ("Heat the oil. Fry the onions.",)
    assert first.fields["ingredients"] == ["onions", "olive oil"]
    assert [item.id for item in (first, second, third)] == ["dev-1", "dev-2", "dev-3"]
    assert first.prompt == "Fried Onions\n\nIngredients: onions, olive oil.\n\nDirections:\n1."
    assert (first.raw, first.opening) == (True, "1.")
    assert all(report.satisfied for report in check(first.formula, first.references[0]))
    unmet = [report.text for report in check(first.formula, "Fry bacon in oil.") if not report.satisfied]
    assert unmet[0].startswith("onions | onion")
    assert unmet[1:] == ["!bacon"]


def test_a_trained_model_is_asked_as_it_was_trained(folder: Path) -> None:
    item = TASK.items(folder, "dev", {"prompt": "supervised"})[0]
    assert item.raw
    assert isinstance(TASK, Trainable)
    pairs = TASK.pairs(folder, "dev")
    assert (pairs[0].source, pairs[0].target) == (item.prompt, item.references[0])
    assert item.prompt == "Fried Onions: onions, olive oil ="
    assert len(pairs) == 3


def test_a_recipe_without_directions_is_nothing_to_train_on(folder: Path) -> None:
    empty = {"title": "Raw Onions", "ingredients": ["2 onions"], "directions": ["", " "]}
    with (folder / "dev.jsonl").open("a") as file:
        file.write("\n" + json.dumps(empty))
    assert [item.title for item in TASK.items(folder, "dev", OPTIONS)][-1] == "Raw Onions"
    assert isinstance(TASK, Trainable)
    assert len(TASK.pairs(folder, "dev")) == 3


def test_one_shot_shows_a_recipe_that_obeys_its_own_formula(real_data: Path) -> None:
    asked = prompts.prompt_of("Milk Rice", ["rice", "milk"], "one-shot")
    assert prompts.EXAMPLE_DIRECTIONS in asked
    assert asked.endswith(prompts.prompt_of("Milk Rice", ["rice", "milk"], "zero-shot"))
    vocabulary = read_vocabulary(real_data)
    from neurologic.experiments.tasks.recipes import formula

    ingredients = ingredients_of(prompts.EXAMPLE_INGREDIENTS, vocabulary)
    assert [one.name for one in ingredients] == list(prompts.EXAMPLE_INGREDIENTS)
    must = formula(ingredients, prompts.EXAMPLE_TITLE, vocabulary)
    assert [report.text for report in check(must, prompts.EXAMPLE_DIRECTIONS) if not report.satisfied] == []


def test_an_instruct_model_sees_a_message(folder: Path) -> None:
    item = TASK.items(folder, "dev", {"prompt": "instruction"})[0]
    assert not item.raw
    (message,) = item.prompt
    assert "Fried Onions" in message["content"]  # type: ignore[index]
    assert "onions, olive oil" in message["content"]  # type: ignore[index]


# -- outputs and scores ---------------------------------------------------------------------------


def test_outputs_are_read_for_all_recipes_or_the_chosen(folder: Path, tmp_path: Path) -> None:
    items = TASK.items(folder, "dev", OPTIONS)
    path = tmp_path / "outputs.txt"
    path.write_text("one\ntwo\nthree\n")
    assert TASK.outputs(path, folder, "dev", items) == ["one", "two", "three"]
    assert TASK.outputs(path, folder, "dev", items[1:]) == ["two", "three"]
    path.write_text("two\n")
    assert TASK.outputs(path, folder, "dev", items[1:2]) == ["two"]
    path.write_text("one\ntwo\n")
    with pytest.raises(DataError, match="has 2 lines; expected 3"):
        TASK.outputs(path, folder, "dev", items)


def test_outputs_are_counted_without_formulas(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = TASK.items(folder, "dev", OPTIONS)
    path = tmp_path / "outputs.txt"
    path.write_text("one\ntwo\nthree\n")
    monkeypatch.delattr("neurologic.experiments.tasks.recipes.task.formula")
    assert TASK.outputs(path, folder, "dev", items[1:]) == ["two", "three"]


def test_scores_have_the_contract_s_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("sacrebleu", "spacy", "pycocoevalcap"):
        pytest.importorskip(package)
    monkeypatch.setattr(
        "neurologic.experiments.tasks.recipes.food_names.food_names", lambda: frozenset({("bacon",)})
    )
    monkeypatch.setattr("neurologic.experiments.tasks.recipes.food_names.version", lambda: "1")
    monkeypatch.setenv("NEUROLOGIC_JAVA", str(folder / "no-java"))  # METEOR takes long to start
    items = TASK.items(folder, "dev", OPTIONS)
    scores = {score.name: score for score in TASK.measure([item.references[0] for item in items], items)}
    assert list(scores) == ["rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage", "extra"]
    assert scores["coverage"].value == 100.0
    assert scores["rouge_l"].value == pytest.approx(100.0)
    assert scores["extra"].value == 0.0
    others = {score.name: score for score in TASK.measure(["", "Add bacon.", "Fry the rice."], items)}
    assert others["coverage"].per_input == (0.0, 0.0, 50.0)
    assert others["extra"].per_input == (0.0, 50.0, 0.0)
    assert 0 < (others["rouge_l"].value or 0) < 100


# -- the real data --------------------------------------------------------------------------------


def test_splits_of_the_real_data(real_data: Path) -> None:
    train, dev = read_recipes(real_data, "train"), read_recipes(real_data, "dev")
    assert (len(train), len(dev)) == (3605, 395)
    assert not {recipe.title for recipe in train} & {recipe.title for recipe in dev}


def test_people_mention_what_they_list(real_data: Path) -> None:
    """Most ingredients of the recipes are named in their own directions: the names are those people say."""
    vocabulary = read_vocabulary(real_data)
    shares = []
    for recipe in read_recipes(real_data, "train")[:150]:
        ingredients = ingredients_of(recipe.ingredients, vocabulary)
        found = check(" & ".join(f"({_written(one.accepted)})" for one in ingredients), recipe.text)
        shares.append(sum(report.satisfied for report in found) / len(found))
    assert sum(shares) / len(shares) > 0.9


def _written(phrases: tuple[str, ...]) -> str:
    return " | ".join(f'"{phrase}"' for phrase in phrases)


def test_everyday_words_follow_their_rule(real_data: Path) -> None:
    vocabulary = read_vocabulary(real_data)
    names = set(vocabulary.names)
    with contextlib.suppress(UnavailableError):  # words that only `extra` knows follow the rule as well
        names |= food_names()
    words = {key[0] for key in names if len(key) == 1}
    said: Counter[str] = Counter()
    elsewhere: Counter[str] = Counter()
    for recipe in read_recipes(real_data, "train"):
        given = {word for line in (recipe.title, *recipe.ingredients) for word in key_of(line)}
        for word in set(key_of(recipe.text)) & words:
            said[word] += 1
            elsewhere[word] += word not in given
    by_rule = {word for word in said if elsewhere[word] >= max(LEAST, SHARE * said[word])}
    assert by_rule <= BY_RULE | FOODS
    assert (BY_RULE | FOODS) & words <= by_rule
    assert not BY_HAND & by_rule
    assert set(vocabulary.names) >= EVERYDAY_NAMES
