"""Draw random formulas, predicates and texts for the attack; all from one `random.Random`."""

from __future__ import annotations

import json
import random
import string
from typing import Any

from toys import toy_vocabulary

Case = dict[str, Any]

PHRASES = [
    "a",
    "b",
    "ab",
    "a b",
    "A",
    "s",
    "b a",
    "1",
    "1.5",
    "é",
    "e\u0301",
    "don't",
    "a-b",
    "ß",
    "猫",
    "A.",
    "b\u200da",
]
VOCABULARY = toy_vocabulary(
    "a", "b", "s", " ", ".", " a", " b", "ab", "A", "B", "1", "5", ",", "'", "-", "\n", "é", "e", "\u0301",
    *(bytes([byte]) for byte in "猫".encode()), "ß", "t", "d", "o", "n",
)  # fmt: skip
# Formulas that people have written; mutations of them are close to what others may write.
REAL = [
    'dog & (frisbee | "flying disc") & !cat',
    "inflect(catch, verb) -> at_least(2, red, green, blue)",
    '"C++"[case=exact] & !java[match=substring] & dog[times=2]',
    "exactly(1, a, b, c) <-> none(d, e)",
    "a[ids=1 2, match=tokens] | (b & !c)",
    "words(10..20) & order(price, warranty) & near(3, price, euros) & starts(However)",
    r"/\d{4}-\d\d-\d\d/ & every(sentence, words(..8)) & first(sentence, price) & !sentences(3)",
    'cream[unless="ice cream"] | nth(-2, word, fully(/[a-z]+/i)) | prefer(honey, 2) & lines(..3)',
]

UNITS = ("word", "sentence", "line", "paragraph")
EXPRESSIONS = (
    *("a", "ab?", "^a", "b$", "a.b", r"\d", "[^a]", "a{2,3}", "(ab|b)+", "a b", r"\s", "^$", "(a|ab)(b|bb)$"),
    *("[a-zé]+", "a|", r"\w+\W", "(a*)*", ".{3}"),
)
SEPARATORS = [
    *(" ", " ", ".", ". ", ", ", "x", "\n", "\n\n", "\r", "\r\n", "\u2028", "'", "-", "!", "…", "\u0301"),
    "\u200d",
]


def formula_text(chance: random.Random, depth: int = 3, predicates: float = 0.3) -> str:
    """Return formula text by the grammar; `predicates` is how often an operand is one."""
    if depth == 0 or chance.random() < 0.3:
        if chance.random() < predicates:
            return predicate_text(chance, min(depth, 1))
        options = [
            chance.choice(["match=substring", "case=exact", "times=2", "number=part", "match=word"])
            for _ in range(chance.choice([0, 0, 0, 1, 2]))
        ]
        return phrase_text(chance) + (f"[{', '.join(dict.fromkeys(options))}]" if options else "")
    parts = [formula_text(chance, depth - 1, predicates) for _ in range(chance.randint(1, 3))]
    match chance.randrange(6):
        case 0:
            return f"!({parts[0]})"
        case 1:
            name = chance.choice(["at_least", "at_most", "exactly"])
            return f"{name}({chance.randint(0, 3)}, {', '.join(parts)})"
        case 2:
            return f"({parts[0]}) {chance.choice(['->', '<->'])} ({parts[-1]})"
        case 3:
            return f"{chance.choice(['all', 'any', 'none'])}({', '.join(parts)})"
        case 4:
            return f"inflect({chance.choice(['dog', 'run', 'a'])})"
    return "(" + chance.choice([" & ", " | "]).join(parts) + ")"


def phrase_text(chance: random.Random) -> str:
    return json.dumps(chance.choice(PHRASES), ensure_ascii=False)


def predicate_text(chance: random.Random, depth: int) -> str:
    """Return the text of a predicate; `depth` is how deep quantifiers may nest."""
    unit, phrase, other = chance.choice(UNITS), phrase_text(chance), phrase_text(chance)
    kinds = ["order", "near", "edge", "length", "regex", "unless"] + ["unit", "place", "count", "wish"] * (
        depth > 0
    )
    inner = formula_text(chance, depth - 1, 0.4) if depth else ""
    match chance.choice(kinds):
        case "order":
            return f"order({phrase}, {other}{chance.choice(['', ', ' + phrase_text(chance), ' | a'])})"
        case "near":
            return f"near({chance.randint(0, 3)}, {phrase}, {other})"
        case "edge":
            return f"{chance.choice(['starts', 'ends'])}({phrase}{chance.choice(['', ' | ' + other])})"
        case "length":
            return f"{chance.choice(['character', *UNITS])}s({range_text(chance)})"
        case "regex":
            expression = f"/{chance.choice(EXPRESSIONS)}/{chance.choice(['', 'i'])}"
            return f"fully({expression})" if chance.random() < 0.3 else expression
        case "unless":
            return f"{phrase}[unless={other}]"
        case "unit":
            return f"{chance.choice(['every', 'some', 'no'])}({unit}, {inner})"
        case "place":
            place = chance.choice(["first(", "last(", "nth(2, ", "nth(-2, "])
            return f"{place}{unit}, {inner})"
        case "count":
            return f"count({range_text(chance)}, {unit}, {inner})"
    return f"prefer({inner}, {chance.choice(['1', '0.5', '3'])})"


def range_text(chance: random.Random) -> str:
    low = chance.randint(0, 4)
    return chance.choice([f"{low}", f"{low}..", f"..{low}", f"{low}..{low + chance.randint(0, 3)}"])


def mutated(chance: random.Random, text: str) -> str:
    """Return a text with some characters changed, repeated or lost."""
    pool = string.printable + "()[]\"'!&|<->=,\\é猫\u200b\ud800\x00\U0010ffff"
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(text) + 1)
        piece = "".join(chance.choice(pool) for _ in range(chance.randint(0, 3)))
        text = text[:place] + piece * chance.choice([1, 1, 1, 50]) + text[place + chance.randint(0, 3) :]
    return text


def random_text(chance: random.Random) -> str:
    return "".join(chance.choice([*PHRASES, *SEPARATORS]) for _ in range(chance.randint(0, 8)))
