"""A small vocabulary of food, and the real recipes."""

from __future__ import annotations

from pathlib import Path

import pytest

import paths
from neurologic.experiments.tasks.recipes.ingredient_vocabulary import Vocabulary, read_vocabulary

NAMES = """
    almond almond_flour apple bacon bay_leaf bell_pepper black_pepper brown_sugar butter carrot
    cheddar_cheese cheese chicken chicken_breast chicken_broth cinnamon cooky cream cream_cheese
    diced_tomato egg egg_white flour fresh_basil garlic garlic_clove garlic_powder green_onion lemon
    lemon_juice milk olive olive_oil oil onion paper_cup peanut_butter pepper peanut pork red_bell_pepper
    roll salmon salmon_fillet salt scallion shrimp spaghetti strawberry sugar thyme tomato tomato_sauce
    vanilla vanilla_extract vegetable vegetable_oil walnut water
    beet beet_green bread_crumb cake_mix celery celery_root celery_seed chicken_stock coriander
    crescent_roll fresh_coriander graham_cracker graham_cracker_crumb green_bell_pepper ice_water
    italian_seasoning kosher_salt mustard mustard_green onion_ring pomegranate pomegranate_seed puff_pastry
    salad_dressing sole_fillet vegetable_broth zucchini
"""


CATEGORIES = {
    "onion": "Plant/Vegetable",
    "carrot": "Plant/Vegetable",
    "basil": "Plant/Vegetable",
    "apple": "Fruit",
    "salmon": "Seafood",
    "shrimp": "Seafood",
    "pork": "Meat/Animal Product",
    "egg": "Meat/Animal Product",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("food")
    rows = [f"{number},{name},,ingredient,no_hub" for number, name in enumerate(NAMES.split())]
    rows.append("99,hexanal,6184,compound,food")
    (path / "flavorgraph_nodes.csv").write_text("\n".join(["node_id,name,id,node_type,is_hub", *rows]))
    pairs = [f"{name},{category}" for name, category in CATEGORIES.items()]
    (path / "flavorgraph_ingr2category_616.csv").write_text("\n".join(["ingredient,category", *pairs]))
    return path


@pytest.fixture(scope="module")
def vocabulary(folder: Path) -> Vocabulary:
    return read_vocabulary(folder)


DATA = paths.DATA / "recipes"


@pytest.fixture
def real_data() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"the recipes are not at {DATA}")
    return DATA
