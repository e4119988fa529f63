"""Find the names in lines of ingredients: "2 cups chopped onions" → "onions".

The rules, in this order:

1. Drop text in brackets, and a head with a colon ("Garnish: …").
2. "juice of 1 lemon" is lemon juice.
3. Split the line at commas and dashes, and take its first part with a name ("skinless, boneless chicken
   breasts"). Drop the rest of the part from "such as", "for", "to taste", "plus", "cut", "in", "with" on.
4. "and" makes two ingredients ("salt and pepper"), "or" makes alternatives ("pancetta or bacon"), if there is
   a name on either side.
5. Drop numbers and measures at the start, words that only describe (the tables of `kitchen_words`,
   participles, adverbs), and the form at the end ("garlic cloves").

Of a longer line, only the first fifty words count. Names are as people write them, in lower case. This module
does not know whether a name is a food: see `ingredient_vocabulary`. A line with two things and no "and" gives
one name; brands stay in the name.
"""

from __future__ import annotations

import re

from neurologic.experiments.tasks.recipes.kitchen_words import KITCHEN, TABLES
from neurologic.experiments.tasks.recipes.word_forms import singular

_NAMING_BEFORE = {word: frozenset(nouns) for word, nouns in TABLES["naming_before"].items()}
_DESCRIBING_ENDS = tuple(KITCHEN["describing_ends"])
_DESCRIBING_STARTS = tuple(KITCHEN["describing_starts"])
_MOST_WORDS = 50
_RANGE = re.compile(r"([\d¼½¾⅐-⅞])(?:\s+|-)(?:to|or)\s+(?=[\d¼½¾⅐-⅞])")
_MARKS = re.compile(r"[®™*†\"“”]+")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_HEAD = re.compile(r"^[^\d:]*:\s*")
# People and FlavorGraph write "fat free" and "low fat" in one word or in two.
_PAIRS = (
    (re.compile(r"\b(fat|sugar|salt|gluten|dairy|sodium|cholesterol)[ -]free\b"), r"\1-free"),
    (re.compile(r"\b(low|reduced|full|non|part|no)[ -](fat|sodium|salt|sugar|skim|stick)\b"), r"\1-\2"),
    (re.compile(r"\bextra[ -](virgin|large|lean|sharp|firm)\b"), r"extra-\1"),
    (re.compile(r"\bhalf[ -](?:and|&|n)[ -]half\b"), "half-and-half"),
    (re.compile(r"\bfrench-fried\b"), "french fried"),
)  # fmt: skip
_OF = re.compile(r"\b(juice|zest|peel|rind)s?(?: and (?:juice|zest|peel|rind)s?)? (?:of|from) (.+)$")
_PARTS = re.compile(r"\s*[,;]\s*|\s+[-–—]+\s+")
_REST = re.compile(
    r"(?<![\w-])(?:such as|like|for|to|as needed|if|or more|or less|plus|cut|in|with|without|from|at|until"
    r"|per|preferably|available|depending)(?![\w-])(.*)"
)
_AND = re.compile(r"\s+(?:and|&)\s+")
_OR = re.compile(r"\s+(?:and/or|or)\s+|(?<=[a-z])/(?=[a-z])")
_TOGETHER = ("macaroni and cheese", "pork and beans", "sweet and sour", "bread and butter")
_WORD = re.compile(r"[^\W_](?:[\w.'/-]*[^\W_])?%?", re.UNICODE)
# "1", "1/2", "2-3", "14.5", "2%", "½", "1-inch", "6-ounce", "500g"
_UNITS = r"inch|ounce|oz|pound|lb|cm|g|kg|ml|quart|qt|cup|count|pint|percent"
_AMOUNT = re.compile(rf"[\d¼½¾⅐-⅞/.,-]+%?(?:-?(?:{_UNITS})e?s?(?:-[a-z]+)*)?")


def names_in(line: str) -> list[tuple[str, ...]]:
    """Return the ingredients of a line in their order, each with its alternatives.

    >>> names_in("1 (14 oz) can diced tomatoes, drained")
    [('tomatoes',)]
    >>> names_in("salt and ground black pepper to taste"), names_in("2 ounces pancetta or bacon, chopped")
    ([('salt',), ('black pepper',)], [('pancetta', 'bacon')])
    """
    text = _plain(line)
    if "equipment" in line.lower():
        return []
    if turned := _OF.search(text):
        whole = _alternatives(_cut(_PARTS.split(turned[2])[0]))
        return [tuple(f"{_singular(name)} {turned[1]}" for name in whole)] if whole else []
    first, *others = _named_parts(text) or [""]
    parts = [first] if any(pair in first for pair in _TOGETHER) else _AND.split(first)
    found = [names for part in parts if (names := _alternatives(part))]
    # "1 cup rice, millet, or quinoa": every part up to the last "or" is an alternative.
    last = max((place for place, part in enumerate(others) if part.startswith("or ")), default=-1)
    more = [name for part in others[: last + 1] for name in _alternatives(part.removeprefix("or "))]
    if found and more:
        found[-1] = tuple(dict.fromkeys([*found[-1], *more]))
    return found


def _singular(name: str) -> str:
    start, space, last = name.rpartition(" ")
    return start + space + singular(last)


def _plain(line: str) -> str:
    """Return a line in lower case, without brackets, marks and a head."""
    text = _MARKS.sub("", line.casefold().replace("⁄", "/").replace("’", "'"))
    while (shorter := _BRACKETS.sub(" ", text)) != text:
        text = shorter
    for pattern, joined in _PAIRS:
        text = pattern.sub(joined, text)
    return " ".join(_HEAD.sub("", _RANGE.sub(r"\1-", text)).split()[:_MOST_WORDS])


def _named_parts(text: str) -> list[str]:
    """Return the parts of a line from the first with a name on."""
    parts = [_cut(part) for part in _PARTS.split(text)]
    for place, part in enumerate(parts):
        if _alternatives(part):
            return parts[place:]
    return []


def _cut(part: str) -> str:
    """Drop the words about its use: "for garnish", "to taste", "cut into strips".

    If the name comes after such a word, drop the words before it: "1 cup plus 1 teaspoon salt".
    """
    while (rest := _REST.search(part)) and not _alternatives(part[: rest.start()]):
        part = rest[1]
    return part[: rest.start()].strip() if rest else part.strip()


def _alternatives(part: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for choice in _OR.split(part) if (name := _name(choice))))


def _name(part: str) -> str:
    """Return the name in a part of a line, "" if there is none."""
    words = _without_amount(_WORD.findall(part))
    kept = [word for word, after in zip(words, [*words, ""][1:], strict=True) if not _describes(word, after)]
    name = _without_form(kept)
    return " ".join(name) if _may_be_food(name) else ""


def _without_amount(words: list[str]) -> list[str]:
    """Drop the amount at the start. "cloves" with nothing after it stay: they are a spice, too."""
    start = 0
    while start < len(words) and _is_amount(words, start):
        start += 1
    return words[start:] if start < len(words) or not words or singular(words[-1]) != "clove" else words[-1:]


def _is_amount(words: list[str], place: int) -> bool:
    word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
    if _AMOUNT.fullmatch(word) or word in KITCHEN["numbers"] or word == "of":
        return True
    measure = singular(word.rstrip("."))
    if measure == "rib":
        return after in ("celery", "of")  # and not rib eye steak
    return measure in KITCHEN["measures"] or _describes(word, after)


def _describes(word: str, after: str) -> bool:
    """Tell whether a word only describes the food, given the word after it."""
    if word in _NAMING_BEFORE:
        return singular(after) not in _NAMING_BEFORE[word]
    if word in KITCHEN["descriptions"] or _AMOUNT.fullmatch(word):
        return True
    if word.endswith(_DESCRIBING_ENDS) or word.startswith(_DESCRIBING_STARTS):
        return True
    if word.endswith("ed") and len(word) > 4:
        return word not in KITCHEN["naming_participles"]
    return word.endswith("ly") and len(word) > 4 and word not in KITCHEN["naming_adverbs"]


def _without_form(words: list[str]) -> list[str]:
    while len(words) > 1:
        before, last = singular(words[-2]), singular(words[-1])
        name = f"{before} {last}"
        if name != "celery rib" and (last not in KITCHEN["forms"] or name in KITCHEN["form_names"]):
            break
        words = words[:-1]
    return words


def _may_be_food(words: list[str]) -> bool:
    if not words or singular(words[-1]) in KITCHEN["not_food"]:
        return False
    if not KITCHEN["never_food"].isdisjoint(words):
        return False
    return any(letter.isalpha() for word in words for letter in word)
