"""Required phrases in a row: what counts as one, and what a search does about a long one."""

from __future__ import annotations

import re

import pytest
import torch

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search
from neurologic.search.enumerations import NO_PHRASE, PhraseRun
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
from toys import END, ToyModel, toy_vocabulary


def run(*texts: tuple[str, str]) -> PhraseRun:
    """The row after texts that grow, each ending with a phrase."""
    found = NO_PHRASE
    for text, phrase in texts:
        found = found.with_phrase(text.encode(), [phrase])
    return found


@pytest.mark.parametrize(
    ("text", "length", "clump"),
    [
        ("mug, lid", 2, 1),
        ("mug and lid", 2, 1),
        ("mug lid", 2, 2),
        ("mug-lid", 2, 2),
        ("mug: lid", 2, 1),
        ('"mug", "lid', 2, 1),
        ("mug with a lid", 1, 1),
        ("mug. The lid", 1, 1),
        ("mug, a lid", 2, 1),
        ("mug and the lid", 2, 1),
        ("mug, and a lid", 2, 1),
        ("mug, with a lid", 2, 1),
        ("mug, 2 lid", 2, 1),
        ("mug, 20% lid", 2, 1),
        ("mug, a spoon, and a lid", 2, 1),
        ("mug, 2 spoons, and 24 lid", 2, 1),
        ("mug and spoon, one fork and lid", 2, 1),
        ("mug, which holds much, and a lid", 1, 1),
        ("mug, and when it rains, a lid", 1, 1),
        ("mug spoon, lid", 1, 1),
        ("mug 2 lid", 1, 1),
        ("mug a lid", 1, 1),
        ("mug has a lid", 1, 1),
    ],
)
def test_only_separators_may_stand_between(text: str, length: int, clump: int) -> None:
    start = text.index("mug") + 3
    assert run((text[:start], "mug"), (text, "lid"))[:2] == (length, clump)


def test_a_row_grows_and_starts_again() -> None:
    assert (
        run(("bread", "bread"), ("bread, butter", "butter"), ("bread, butter and milk", "milk")).length == 3
    )
    assert (
        run(("bread", "bread"), ("bread, butter", "butter"), ("bread, butter for milk", "milk")).length == 1
    )


def test_a_word_that_grows_into_another_form_keeps_its_place_in_the_row() -> None:
    grown = run(("3 euros", "3 euros"), ("3 euros, cancel", "cancel"), ("3 euros, canceling", "canceling"))
    assert grown[:3] == (2, 1, len("3 euros, canceling"))
    assert grown.with_phrase(b"3 euros, canceling at any time", ["at any time"])[:2] == (3, 2)


def test_a_number_that_the_matcher_finds_again_after_a_comma_counts_once() -> None:
    found = run(("sorry", "sorry"), ("sorry, 450", "450"), ("sorry, 450,", "450"))
    assert found == run(("sorry", "sorry"), ("sorry, 450", "450"))
    assert found.with_phrase(b"sorry, 450, parcel", ["parcel"]).length == 3


def test_the_mark_after_a_phrase_may_be_part_of_its_token() -> None:
    assert run(("bread,", "bread"), ("bread, milk.", "milk")).length == 2


@pytest.mark.parametrize(
    ("text", "is_heading"),
    [
        ("Mug, lid", True),
        ("A mug, a lid", True),
        ("We sell things. Mug and spoon, lid", True),
        ("Subject: mug, lid", True),
        ('"Mug", lid', True),
        ("* mug, lid", True),
        ("Mug and lid", False),
        ("In a mug, a lid", False),
        ("Dear mug, lid", False),
        ("Mug is, lid", False),
    ],
)
def test_a_row_with_commas_at_the_head_of_a_sentence_is_known(text: str, is_heading: bool) -> None:
    start = text.lower().index("mug") + 3
    assert run((text[:start], "mug"), (text, "lid")).heads_sentence == is_heading


VOCABULARY = toy_vocabulary(" ant", " bee", " cow", " dog", ",", ".", " saw")
TOKEN = {piece: token for token, piece in enumerate(VOCABULARY.pieces) if piece}


def enumerator() -> ToyModel:
    """A model that would like nothing better than to list all animals, and then to end."""
    wishes = [b" saw", b" ant", b",", b" bee", b",", b" cow", b",", b" dog", b"."]

    def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
        logits = torch.zeros(len(VOCABULARY))
        written = len(tokens) - 1
        logits[TOKEN[wishes[written]] if written < len(wishes) else END] = 8.0
        return logits

    return ToyModel(VOCABULARY, logits_of)


def test_the_search_opens_no_sentence_with_an_enumeration() -> None:
    model = ToyModel(VOCABULARY, lambda tokens: enumerator().logits_of((1, *tokens)))
    constraint = compile_formula(parse("ant & bee & cow & dog"), VOCABULARY)
    knobs = SearchSettings(num_beams=4, max_new_tokens=40)
    (found,) = search(model, [SearchInput(EncodedPrompt((1,)), constraint)], NeuroLogicDecoder(), knobs)
    assert found.texts[0].satisfied == len(constraint.clauses)
    assert not re.match(r" ant[, ]*(bee|cow|dog)", found.texts[0].text.decode())


def longest_run(text: str, formula: str) -> int:
    """The most words of a formula that stand in a row, with commas between them."""
    words = "|".join(formula.split(" & "))
    return max(len(row.split()) for row in re.findall(rf"(?: (?:{words}),?)+", text))


@pytest.mark.parametrize(
    ("formula", "max_run", "longest"),
    [
        ("ant & bee & cow & dog", 0, 4),
        ("ant & bee & cow & dog", 3, 3),
        ("ant & bee & cow & dog", 2, 2),
        ("ant & bee & cow", 3, 2),  # all of three
    ],
)
def test_the_search_writes_no_long_row_even_where_its_plan_is_one(
    formula: str, max_run: int, longest: int
) -> None:
    constraint = compile_formula(parse(formula), VOCABULARY)
    knobs = SearchSettings(num_beams=4, max_new_tokens=40, max_run=max_run)
    (found,) = search(
        enumerator(), [SearchInput(EncodedPrompt((1,)), constraint)], NeuroLogicDecoder(), knobs
    )
    best = found.texts[0]
    assert best.satisfied == len(constraint.clauses)
    assert longest_run(best.text.decode(), formula) == longest


def test_a_row_is_written_where_the_budget_leaves_nothing_else() -> None:
    constraint = compile_formula(parse("ant & bee & cow & dog"), VOCABULARY)
    knobs = SearchSettings(num_beams=4, max_new_tokens=5)
    (found,) = search(
        enumerator(), [SearchInput(EncodedPrompt((1,)), constraint)], NeuroLogicDecoder(), knobs
    )
    assert found.promised
    assert found.texts[0].satisfied == 4
