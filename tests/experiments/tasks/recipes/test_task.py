"""Recipes as a task: items, outputs of other programs, scores, pairs to train on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neurologic.errors import DataError
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import Trainable, options_of
from neurologic.logic import check

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


def test_an_instruct_model_sees_a_message(folder: Path) -> None:
    item = TASK.items(folder, "dev", {"prompt": "instruction"})[0]
    assert not item.raw
    (message,) = item.prompt
    assert "Fried Onions" in message["content"]  # type: ignore[index]
    assert "onions, olive oil" in message["content"]  # type: ignore[index]


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
        "neurologic.experiments.tasks.recipes.fooddata_names.food_names", lambda: frozenset({("bacon",)})
    )
    monkeypatch.setattr("neurologic.experiments.tasks.recipes.fooddata_names.version", lambda: "1")
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
