"""Faults of the constrained beam search that transformers had, each shown to be gone.

Numbers are those of issues of huggingface/transformers. The vocabulary is tiny: token 0 ends a text, token n
adds the n-th letter.
"""

from __future__ import annotations

import warnings
from itertools import product

import pytest
import torch

import neurologic as nl
from neurologic.errors import ContradictionError, UnsatisfiedError, UnsatisfiedWarning
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.matching.vocabulary import TokenIds
from toys import END, ToyLoadedModel, ToyModel, random_model, toy_vocabulary, word_model

VOCABULARY = toy_vocabulary(" a", " b", " c", " d", " e", " f", " g")
PROMPT_OF_TOKEN_1 = "xxx"  # see ToyLoadedModel.encode


def wrapped(model: ToyModel) -> ConstrainedModel:
    return ConstrainedModel(ToyLoadedModel(model))  # type: ignore[arg-type]


def model_that_says(*tokens: int) -> ConstrainedModel:
    """A model that by far prefers to write these tokens and end."""
    script = (*tokens, END)

    def logits_of(before: TokenIds) -> torch.Tensor:
        logits = torch.zeros(len(VOCABULARY))
        logits[script[min(len(before) - 1, len(tokens))]] = 9.0
        return logits

    return wrapped(ToyModel(VOCABULARY, logits_of))


def occurs(phrase: list[int], tokens: TokenIds) -> bool:
    return any(list(tokens[i : i + len(phrase)]) == phrase for i in range(len(tokens)))


# -- the faults -----------------------------------------------------------------------------------


def test_alternatives_that_are_beginnings_of_one_another_17831():
    """Refused there: "can't be a complete subset of another list"."""
    formula = nl.from_force_words([[[1], [1, 2], [1, 2, 3]]])
    assert model_that_says(4, 1, 5).generate("x", formula, max_new_tokens=6).tokens == (4, 1, 5, END)
    result = model_that_says(4, 1, 2, 3).generate("x", formula, max_new_tokens=6)
    assert (result.tokens, result.forced) == ((4, 1, 2, 3, END), 0)
    assert result.clauses[0].by == ("token 1", "tokens 1 2", "tokens 1 2 3")


def test_alternatives_that_begin_inside_one_another_17831():
    """A trie without a way back lost [2, 3, 5] inside [1, 2, 3, 4] and never came to an end."""
    formula = nl.from_force_words(
        constraints=[nl.DisjunctiveConstraint([[1, 2, 3, 4], [2, 3, 5], [3, 6], [7]])]
    )
    result = model_that_says(1, 2, 3, 5).generate("x", formula, max_new_tokens=8)
    assert (result.tokens, result.forced) == ((1, 2, 3, 5, END), 0)
    assert result.clauses[0].by == ("tokens 2 3 5",)


def test_a_phrase_that_overlaps_with_its_own_beginning():
    """[1, 1, 2] is in 1 1 1 2, though the third 1 breaks a match under way."""
    result = model_that_says(1, 1, 1, 2).generate("x", nl.from_force_words([[1, 1, 2]]), max_new_tokens=8)
    assert (result.tokens, result.satisfied, result.forced) == ((1, 1, 1, 2, END), True, 0)


def test_phrases_that_overlap_with_one_another_share_their_tokens():
    formula = nl.from_force_words([[1, 2, 3], [2, 3, 4]])
    result = model_that_says(1, 2, 3, 4).generate("x", formula, max_new_tokens=5)
    assert result.tokens == (1, 2, 3, 4, END)


def test_a_phrase_in_the_prompt_is_not_met_by_it_31281():
    lm = model_that_says(3, 4)
    assert lm.generate(PROMPT_OF_TOKEN_1, None, max_new_tokens=6).tokens == (3, 4, END)
    result = lm.generate(PROMPT_OF_TOKEN_1, nl.from_force_words([[1]]), raw=True, max_new_tokens=6)
    assert 1 in result.tokens


def test_a_phrase_does_not_begin_in_the_prompt_31281():
    result = model_that_says(2, 3).generate(
        PROMPT_OF_TOKEN_1, nl.from_force_words([[1, 2]]), raw=True, max_new_tokens=6
    )
    assert occurs([1, 2], result.tokens)


def test_a_forbidden_phrase_is_not_met_by_the_prompt_either():
    """`bad_words_ids` of [1, 2] forbade 2 right after a prompt that ends in 1."""
    result = model_that_says(2, 3).generate(
        PROMPT_OF_TOKEN_1, nl.from_force_words(bad_words_ids=[[1, 2]]), raw=True, max_new_tokens=6
    )
    assert result.tokens == (2, 3, END)


def test_an_unmet_phrase_is_not_passed_over_in_silence():
    formula = nl.from_force_words([[1, 2], [1, 3]])  # needs four tokens
    lm = model_that_says(4)
    with pytest.warns(UnsatisfiedWarning, match="up to 4 tokens are needed"):
        result = lm.generate("x", formula, max_new_tokens=3)
    assert not result.satisfied
    assert len(result.unmet) == 1
    with pytest.warns(UnsatisfiedWarning), pytest.raises(UnsatisfiedError, match="unmet: "):
        lm.generate("x", formula, max_new_tokens=3, on_unsatisfied="raise")


def test_phrases_stand_where_they_fit_not_in_a_heap_at_the_end_19070():
    following = {
        "": {"The": 1.0},
        "The": {"soldiers": 0.9},
        "soldiers": {"were": 0.6, "slept": 0.3},
        "were": {"tired": 0.6, "scared": 0.2},
        "tired": {".": 0.9},
        "slept": {".": 0.9},
        "scared": {"and": 0.5, ".": 0.4},
        "and": {"slept": 0.5, "screaming": 0.2},
        "screaming": {".": 0.8},
        ".": {"</s>": 0.9},
    }
    model = word_model(following)
    token = {piece.decode().strip(): number for number, piece in enumerate(model.vocabulary.pieces) if piece}
    lm = wrapped(model)
    assert lm.generate("x", None, num_beams=4, max_new_tokens=12).text == "The soldiers were tired."
    formula = nl.from_force_words([[token["scared"]], [[token["screaming"]], [token["slept"]]]])
    result = lm.generate("x", formula, num_beams=4, max_new_tokens=12)
    assert (result.text, result.forced) == ("The soldiers were scared and slept.", 0)


def test_every_input_of_a_batch_has_its_own_phrases():
    """There was one list for the whole batch."""
    lm = wrapped(random_model(VOCABULARY, seed=3))
    formulas = [nl.from_force_words([[token, token]]) for token in (1, 2, 3)] + [None]
    results = lm.generate(["x", "y", "xx", "yy"], formulas, max_new_tokens=6)
    for token, result in zip((1, 2, 3), results, strict=False):
        assert occurs([token, token], result.tokens)
    assert results[0] == lm.generate("x", formulas[0], max_new_tokens=6)


def test_phrases_work_with_sampling_29163():
    lm = wrapped(random_model(VOCABULARY, seed=5))
    for seed in range(5):
        result = lm.generate(
            "x", nl.from_force_words([[1, 2], [[3], [4]]]), do_sample=True, seed=seed, max_new_tokens=8
        )
        assert result.satisfied
        assert occurs([1, 2], result.tokens)


# -- required against forbidden -------------------------------------------------------------------


@pytest.mark.parametrize("bad", [[1, 2], [1], [2], [2, 3], [1, 2, 3]])
def test_a_forbidden_phrase_inside_a_required_one_is_found_before_the_model_runs(bad):
    model = random_model(VOCABULARY, seed=1)
    with pytest.raises(ContradictionError, match="is required"):
        wrapped(model).generate("x", nl.from_force_words([[1, 2, 3]], bad_words_ids=[bad]), max_new_tokens=6)
    assert model.calls == 0


def test_a_forbidden_phrase_around_a_required_one_only_limits_where_it_stands():
    result = model_that_says(1, 2, 3).generate(
        "x", nl.from_force_words([[2]], bad_words_ids=[[1, 2]]), max_new_tokens=6
    )
    assert result.satisfied
    assert 2 in result.tokens
    assert not occurs([1, 2], result.tokens)


def test_alternatives_that_are_all_forbidden_are_found():
    formula = nl.from_force_words([[[1], [2, 3]]], bad_words_ids=[[1], [3]])
    with pytest.raises(ContradictionError, match="cannot hold together"):
        model_that_says(4).compile(formula)


def test_every_small_pair_of_required_and_forbidden_agrees_with_trying_all_texts():
    """Against brute force: a contradiction is raised just where no text of up to five tokens obeys."""
    tokens = (1, 2)
    texts = [text for length in range(6) for text in product(tokens, repeat=length)]
    phrases = [list(phrase) for length in (1, 2, 3) for phrase in product(tokens, repeat=length)]
    lm = wrapped(random_model(toy_vocabulary(" a", " b"), seed=2))
    for required, bad in product(phrases, repeat=2):
        possible = any(occurs(required, text) and not occurs(bad, text) for text in texts)
        formula = nl.from_force_words([required], bad_words_ids=[bad])
        if not possible:
            with pytest.raises(ContradictionError):
                lm.compile(formula)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error", UnsatisfiedWarning)
            result = lm.generate("x", formula, num_beams=2, max_new_tokens=6)
        assert occurs(required, result.tokens), (required, bad)
        assert not occurs(bad, result.tokens), (required, bad)
