"""The names of the predicates in formula text and JSON, with the arguments that each of them takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from neurologic.logic import predicate_constructors as make
from neurologic.logic.formula import Formula

Kind = Literal["formula", "number", "place", "range", "unit", "expression", "weight"]


@dataclass(frozen=True, slots=True)
class Signature:
    """A predicate's arguments in order.

    make      what builds the predicate from them
    kinds     the kind of each argument; "weight" may be left out
    example   how to write it
    repeats   whether further arguments of the last kind may follow
    """

    make: Callable[..., Formula]
    kinds: tuple[Kind, ...]
    example: str
    repeats: bool = False


SIGNATURES: dict[str, Signature] = {
    "order": Signature(make.order, ("formula", "formula"), "order(price, warranty)", repeats=True),
    "near": Signature(make.near, ("number", "formula", "formula"), "near(5, price, warranty)"),
    "starts": Signature(make.starts, ("formula",), 'starts("Dear Ann")'),
    "ends": Signature(make.ends, ("formula",), 'ends("Bye!")'),
    "characters": Signature(make.characters, ("range",), "characters(..280)"),
    "words": Signature(make.words, ("range",), "words(10..20)"),
    "sentences": Signature(make.sentences, ("range",), "sentences(3)"),
    "lines": Signature(make.lines, ("range",), "lines(2..)"),
    "paragraphs": Signature(make.paragraphs, ("range",), "paragraphs(2)"),
    "fully": Signature(make.fully, ("expression",), "fully(/[0-9]+/)"),
    "every": Signature(make.every, ("unit", "formula"), "every(sentence, words(..20))"),
    "some": Signature(make.some, ("unit", "formula"), "some(sentence, price)"),
    "no": Signature(make.no, ("unit", "formula"), "no(word, characters(13..))"),
    "first": Signature(make.first, ("unit", "formula"), "first(sentence, price)"),
    "last": Signature(make.last, ("unit", "formula"), "last(word, bye)"),
    "nth": Signature(make.nth, ("place", "unit", "formula"), "nth(3, word, dog)"),
    "count": Signature(make.count, ("range", "unit", "formula"), "count(2.., sentence, price)"),
    "prefer": Signature(make.prefer, ("formula", "weight"), "prefer(price, 1.5)"),
}
