"""Word tables for reading lines of ingredients: measures, descriptions, forms. In English, made by hand.

Nouns are in the singular; `ingredient_lines` looks them up that way.
"""

from __future__ import annotations

from neurologic.experiments.tasks.word_lists import word_set

NUMBERS = word_set(
    "one two three four five six seven eight nine ten eleven twelve dozen half couple few several"
)

# Units of an amount.
MEASURES = word_set(
    """
    bag ball batch bottle box bulb bunch c can carton case centimeter clove cm container count cube cup
    dab dash dollop drizzle drop ear envelope fl fluid g gal gallon glass gm gram handful head inch jar
    jigger kg kilogram knob l lb leaf liter litre link loaf mg milliliter millilitre ml ounce oz pack
    package packet part piece pinch pint pkg pot pound pouch qt quart rack recipe rib scoop serving sheet
    shot slab sleeve slice splash sprig square stalk stem stick strip t tablespoon tablespoonful tb tbl
    tbs tbsp teaspoon thumb tin tray tsp tub tube wedge x
    """
)

# Words that describe a food and are not part of its name: size, state, quality. `ingredient_lines` recognises
# participles ("chopped"), adverbs ("finely") and words such as "low-fat" without a list.
DESCRIPTIONS = word_set(
    """
    a about additional an any approx baby best big bite-size boiling bone-in boneless coarse cold cool
    crisp crispy crusty dark day-old dry each extra extra-firm extra-large extra-sharp extra-virgin
    favorite fine firm fresh frozen generous good hard-boiled heaping heirloom homemade jumbo large lean
    leftover level light little long loose lukewarm medium medium-size mild mini miniature new nonfat old
    old-fashioned optional organic other plain plump premium pure quality quick quick-cooking raw real
    regular ripe scant seedless sharp skin-on skinless small soft some stale standard sturdy superfine
    tender the thick thin tiny total very virgin warm well young your
    """
)
DESCRIBING_ENDS = ("-free", "-sized", "-quality", "-style", "-cut", "-inch", "-added", "-bought", "-made")
DESCRIBING_STARTS = (
    "low-", "reduced-", "full-", "non-", "no-", "part-", "ready-", "pre-", "super-", "semi-firm",
)  # fmt: skip

# Participles that make it another food, and other words with the ending of a participle.
NAMING_PARTICIPLES = word_set(
    """
    aniseed candied condensed corned cured dillweed evaporated flaxseed fried linseed malted mixed pickled
    poppyseed powdered rapeseed refried seaweed smoked sun-dried sundried
    """
)
NAMING_ADVERBS = word_set("belly curly jelly")

# Descriptions that belong to the name before these words. "ground beef" is a food, "ground cinnamon" is
# cinnamon; "fresh basil" is basil, but fresh coriander is a herb and coriander a spice; "whole milk" is milk,
# but "whole wheat flour" is not wheat flour.
NAMING_BEFORE = {
    "ground": word_set(
        "beef bison buffalo chicken chuck ham lamb meat pork round sausage sirloin turkey veal venison"
    ),
    "fresh": word_set("coriander"),
    "whole": word_set("wheat grain"),
}

# Forms that a food comes in, at the end of its name and not part of it: "white bread cubes", "garlic cloves".
FORMS = word_set(
    """
    bit bulb bunch chunk clove cube floret half head leaf part piece pod portion quarter recipe ring
    section segment shaving slice sliver sprig stalk stem strip wedge
    """
)
# Here the form is part of the name.
FORM_NAMES = frozenset(
    {
        ("bay", "leaf"), ("curry", "leaf"), ("lime", "leaf"), ("grape", "leaf"), ("banana", "leaf"),
        ("bacon", "bit"), ("toffee", "bit"), ("onion", "ring"), ("york", "strip"), ("coriander", "leaf"),
    }
)  # fmt: skip

# Parts of a food, and what cooking makes of it: if lemons are given, lemon juice is not another food.
PARTS = word_set(
    """
    belly bit bone breast broth cap cheek chop chunk clove crumb cube cutlet dripping drumstick fat filet
    fillet flesh floret half head heart juice kernel leaf leg loin meat neck peel petal piece pulp puree rib
    rind ring roast section segment shank shell shoulder skin slice sprig stalk steak stem stick strip tail
    tender tenderloin thigh tip top wedge white wing yolk zest
    """
)

# Last words that make another food: celery seed is a different product from celery.
OTHER_ENDS = word_set("ball flower gravy green root sauce seed")
# Names with such a last word for a part of what one buys.
PART_NAMES = frozenset({("pomegranate", "seed"), ("beet", "green"), ("turnip", "green")})

# Last words that are not short names: nobody says "powder" for garlic powder.
PREPARATIONS = PARTS | word_set(
    "chip concentrate cracker essence extract flake flavoring granule mix paste powder spray stock syrup"
)

# The last word of a line about things that nobody eats; for `NEVER_FOOD`, any word of it.
NOT_FOOD = word_set(
    """
    ammonia bag basket bleach borax bottle charcoal cheesecloth cloth container cup cutter detergent doily
    equipment foil glitter glue grater jar kit lid liner machine maker mold mould pan parchment pen
    peroxide pin plank plate processor ribbon skewer soap steel string thermometer toothpick torch
    towel tray twine wax wrap
    """
)
NEVER_FOOD = word_set("aluminum paper plastic popsicle wooden ziploc")
