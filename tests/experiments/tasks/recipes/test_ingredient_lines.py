"""Lines of ingredients to names. The lines are written for these tests."""

from __future__ import annotations

import pytest

from neurologic.experiments.tasks.recipes.ingredient_lines import names_in

ONE_NAME = {
    # amounts and measures
    "2 cups chopped onions": "onions",
    "1 (14 oz) can diced tomatoes, drained": "tomatoes",
    "½ teaspoon salt": "salt",
    "1 1/2 pounds lean ground beef": "ground beef",
    "3-4 tbsp. soy sauce": "soy sauce",
    "500g plain flour": "flour",
    "a pinch of saffron": "saffron",
    "one 28-ounce can crushed tomatoes": "tomatoes",
    "2 dozen clams": "clams",
    "half a lemon": "lemon",
    "1 heaping tablespoon peanut butter": "peanut butter",
    "1 (2 to 3 pound) whole chicken": "chicken",
    "4 (6-ounce) salmon fillets": "salmon fillets",
    "2% milk": "milk",
    "1 c. sugar": "sugar",
    "1 stick butter": "butter",
    "1 rib celery": "celery",
    "1 rib eye steak": "rib eye steak",
    "2 slices of bacon": "bacon",
    # what is said of a food
    "6 large eggs, beaten": "eggs",
    "freshly ground black pepper": "black pepper",
    "1 teaspoon ground cinnamon": "cinnamon",
    "fresh basil leaves, for garnish": "basil",
    "skinless, boneless chicken breast halves": "chicken breast",
    "1 cup reduced-fat sour cream": "sour cream",
    "1 cup fat free yogurt": "yogurt",
    "1/4 cup extra virgin olive oil": "olive oil",
    "2 cups whole milk": "milk",
    "2 cups whole wheat flour": "whole wheat flour",
    "1 cup all-purpose flour": "all-purpose flour",
    "1 (5 ounce) can evaporated milk": "evaporated milk",
    "8 ounces smoked salmon": "smoked salmon",
    "1 cup boiling water": "water",
    "2 mangos - peeled, seeded, and diced": "mangos",
    "1 large red bell pepper": "red bell pepper",
    "3 tablespoons finely chopped flat-leaf parsley": "flat-leaf parsley",
    "jelly": "jelly",
    "1 cup flaxseed": "flaxseed",
    "1 red onion": "red onion",
    "1 lily bulb": "lily",
    "2 thick-cut pork chops": "pork chops",
    # forms at the end
    "3 garlic cloves, minced": "garlic",
    "3 cloves garlic": "garlic",
    "1/4 teaspoon ground cloves": "cloves",
    "10 whole cloves": "cloves",
    "2 celery stalks": "celery",
    "2 bay leaves": "bay leaves",
    "4 cups white bread cubes": "white bread",
    "2 broccoli heads": "broccoli",
    "baby back ribs": "back ribs",
    "1 can French-fried onion rings": "french fried onion rings",
    "onion rings": "onion rings",
    "pineapple rings": "pineapple",
    "1 teaspoon ground coriander": "coriander",
    "1 bunch fresh coriander": "fresh coriander",
    "coriander leaves": "coriander leaves",
    # what stands around the name
    "salt to taste": "salt",
    "1 cup oats such as rolled ones": "oats",
    "Garnish: lime wedges": "lime",
    "oil for frying": "oil",
    "2 chipotle chiles in adobo": "chipotle chiles",
    "1 tablespoon plus 1/2 teaspoon salt": "salt",
    "4 cups cooked cut green beans": "green beans",
    "2 3 1/4-to 3 1/2-pound chickens": "chickens",
    "8 rosemary sprigs plus 2 tablespoons chopped": "rosemary",
    "1 bone-in ham": "ham",
    "juice of 1/2 lemon": "lemon juice",
    "grated zest of 2 oranges": "orange zest",
    "1 (10.75 ounce) can cream of mushroom soup": "cream of mushroom soup",
    "1/2 cup half and half": "half-and-half",
    "1 box macaroni and cheese": "macaroni and cheese",
    "1 jalapeño": "jalapeño",
    "Nutty® peanut butter": "nutty peanut butter",  # a brand is a word like others
}


@pytest.mark.parametrize(("line", "name"), ONE_NAME.items())
def test_a_line_becomes_a_name(line: str, name: str) -> None:
    assert names_in(line) == [(name,)]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("salt and pepper to taste", [("salt",), ("pepper",)]),
        ("salt and ground black pepper", [("salt",), ("black pepper",)]),
        ("peeled and diced carrots", [("carrots",)]),
        ("2 tablespoons butter or margarine", [("butter", "margarine")]),
        ("2 ounces pancetta or 3 slices bacon, chopped", [("pancetta", "bacon")]),
        ("1 cup brown rice, millet, or quinoa", [("brown rice", "millet", "quinoa")]),
        ("cilantro/parsley, chopped", [("cilantro", "parsley")]),
        ("1 cup walnuts, or to taste", [("walnuts",)]),
    ],
)
def test_and_makes_two_ingredients_and_or_makes_alternatives(line: str, names: list[tuple[str, ...]]) -> None:
    assert names_in(line) == names


@pytest.mark.parametrize(
    "line",
    ["", "1/2", "2 cups", "8 wooden skewers", "aluminum foil", "(optional)", "Special equipment: a juicer"],
)
def test_a_line_without_food_has_no_name(line: str) -> None:
    assert names_in(line) == []


def test_a_line_that_never_ends_is_cut() -> None:
    ((name,),) = names_in("butter " * 20_000)
    assert len(name.split()) == 50


def test_an_amount_may_have_any_form() -> None:
    for amount in ("2", "1/2", "1 1/2", "½", "1½", "2-3", "2 to 3", "14.5", "two", "about 2", "a few"):
        assert names_in(f"{amount} onions") == [("onions",)], amount
