"""What ends a text, what may not, and what blocks a token: on toy models."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.engine import search
from neurologic.search.hooks import Hooks
from neurologic.search.input_output import SearchInput, SearchOutput
from neurologic.search.settings import SearchSettings
from toys import END, ToyModel, random_model, toy_vocabulary

VOCABULARY = toy_vocabulary(" a", " b", " c", ".", "\n", " no", "body")
TOKEN = {piece.decode(): token for token, piece in enumerate(VOCABULARY.pieces) if piece}


def fond_of(*wishes: str, strength: float = 8.0) -> ToyModel:
    """A model that wants to write these pieces one after the other, and then to end."""

    def logits_of(tokens: tuple[int, ...]) -> torch.Tensor:
        logits = torch.zeros(len(VOCABULARY))
        written = len(tokens) - 1
        logits[TOKEN[wishes[written]] if written < len(wishes) else END] = strength
        return logits

    return ToyModel(VOCABULARY, logits_of)


def run(model: ToyModel, formula: str | None, around: Hooks | None = None, **knobs: Any) -> SearchOutput:
    constraint = compile_formula(parse(formula) if formula else None, model.vocabulary)
    one = SearchInput(EncodedPrompt((1,)), constraint)
    settings = SearchSettings(**{"num_beams": 3, "max_new_tokens": 8, **knobs})
    return search(model, [one], NeuroLogicDecoder(), settings, around)[0]


def test_without_a_formula_the_likeliest_text_is_written() -> None:
    best = run(fond_of(" a", " b", "."), None).texts[0]
    assert (best.text, best.ending) == (b" a b.", "end")


def test_a_text_cannot_end_while_it_owes() -> None:
    best = run(fond_of(" a", "."), "c").texts[0]
    assert b" c" in best.text
    assert best.satisfied == 1


def test_a_forbidden_word_cannot_stand_at_the_end_either() -> None:
    """ "no" is provisional until the next character is known, and the end settles it."""
    assert run(fond_of(" a", " no"), "!no").texts[0].text != b" a no"
    assert run(fond_of(" a", " no", "body"), "!no").texts[0].text == b" a nobody"


def test_stop_strings_end_a_text_that_has_paid() -> None:
    best = run(fond_of(" a", "\n", " b"), "a", stop_strings=("\n",)).texts[0]
    assert (best.text, best.ending) == (b" a\n", "stop")


def test_stop_strings_do_not_end_a_text_that_owes() -> None:
    best = run(fond_of(" a", "\n", " b", "\n"), "b", stop_strings=("\n",)).texts[0]
    assert b" b" in best.text
    assert best.satisfied == 1
    assert b"\n" not in best.text[:-1]


def test_a_stopping_criterion_ends_only_what_has_paid() -> None:
    def after_two(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return torch.full((ids.shape[0],), ids.shape[1] >= 3)

    free = run(fond_of(" a", " a", " a", "."), None, Hooks(criteria=[after_two])).texts[0]
    assert (len(free.tokens), free.ending) == (2, "stop")
    owing = run(fond_of(" a", " a", " a", " b"), "b", Hooks(criteria=[after_two])).texts[0]
    assert owing.satisfied == 1


def test_no_time_at_all_still_gives_a_text_and_says_why_it_ended() -> None:
    output = run(random_model(VOCABULARY, 1), "a & b", max_time=0.0)
    assert output.texts[0].ending == "time"
    assert output.texts[0].text == b" a b"  # little was left to pay, so the plan paid it


def test_minimum_length_holds_back_the_end() -> None:
    best = run(fond_of(" a"), "a", min_new_tokens=4).texts[0]
    assert len(best.tokens) >= 5  # four tokens before the end token


@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_ngram_comes_twice(size: int) -> None:
    best = run(fond_of(*[" a"] * 8), None, no_repeat_ngram_size=size).texts[0]
    grams = [best.tokens[i : i + size] for i in range(len(best.tokens) - size + 1)]
    assert len(set(grams)) == len(grams)


def test_ngram_blocking_never_blocks_a_phrase_under_way() -> None:
    """Writing "b a b" needs the token " b" twice, although no unigram may come twice."""
    best = run(fond_of(" b", " a", " b", "."), '"b a b"', no_repeat_ngram_size=1).texts[0]
    assert b" b a b" in best.text


def test_a_forced_end_leaves_room_for_itself() -> None:
    def force_end(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if ids.shape[1] == 6:  # one prompt token and five new ones: the sixth must be the end
            forced = torch.full_like(scores, float("-inf"))
            forced[:, END] = 0
            return forced
        return scores

    stubborn = fond_of(*[" a"] * 9)
    around = Hooks(processors=[force_end], forced_end=True)
    best = run(stubborn, "b & c", around, max_new_tokens=6).texts[0]
    assert best.tokens[-1] == END
    assert best.satisfied == 2


def test_equal_texts_in_other_segmentations_are_merged() -> None:
    vocabulary = toy_vocabulary("a", "b", "ab", "ba")
    output = search(
        random_model(vocabulary, 4, sharpness=0.1),
        [SearchInput(EncodedPrompt((1,)), compile_formula(None, vocabulary))],
        NeuroLogicDecoder(),
        SearchSettings(num_beams=6, num_return_sequences=6, max_new_tokens=3),
    )[0]
    texts = [text.text for text in output.texts]
    assert len(set(texts)) == len(texts)
