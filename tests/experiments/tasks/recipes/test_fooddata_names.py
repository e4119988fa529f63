"""Names of food from FoodData Central."""

from __future__ import annotations

import gzip
from importlib import metadata
from pathlib import Path

import pytest

from neurologic.experiments.metrics.optional_packages import UnavailableError
from neurologic.experiments.tasks.recipes import fooddata_names
from neurologic.experiments.tasks.recipes.word_forms import key_of

DESCRIPTIONS = """fdc_id,data_type,description,category
1,sr_legacy_food,"Cheese, cheddar",Dairy and Egg Products
2,sr_legacy_food,"Spices, basil, dried",Spices and Herbs
3,sr_legacy_food,"Oil, olive, salad or cooking",Fats and Oils
4,sr_legacy_food,"Onions, raw",Vegetables and Vegetable Products
5,sr_legacy_food,"ACME, Beef Stew",Meals
6,survey_fndds_food,Macaroni or noodles with cheese,Baby Foods
7,sr_legacy_food,"CRACKLE, crackers",Snacks
8,survey_fndds_food,Peanut butter,Nuts
"""


def test_a_package_without_the_file_is_named_as_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fooddata_names, "_MODULE", "importlib")  # a package that has no such file
    monkeypatch.setattr(metadata, "version", {"ingredient-parser-nlp": "1.0"}.__getitem__)
    with pytest.raises(UnavailableError, match=r"^ingredient-parser-nlp 1\.0 has no file en/data/fdc_"):
        fooddata_names.food_names()


def test_descriptions_become_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "foods.csv.gz"
    path.write_bytes(gzip.compress(DESCRIPTIONS.encode()))
    monkeypatch.setattr(fooddata_names, "_path", lambda: path)
    names = {" ".join(key) for key in fooddata_names.food_names()}
    assert names == {
        "cheese", "cheddar", "cheddar cheese", "spice", "basil", "basil spice", "oil", "olive oil", "onion",
        "peanut butter",
    }  # fmt: skip


def test_the_real_package_knows_common_food() -> None:
    try:
        names = fooddata_names.food_names()
    except UnavailableError as error:
        pytest.skip(str(error))
    common = (
        "onion", "garlic", "olive oil", "cheddar cheese", "basil", "salmon", "peanut butter", "brown sugar",
    )  # fmt: skip
    assert [name for name in common if key_of(name) not in names] == []
    assert len(names) > 2000
