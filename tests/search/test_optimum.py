"""With a beam that holds everything, the search finds the true constrained optimum."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from formulas import satisfiable, small_formulas
from neurologic.decoders.astar import AStarDecoder
from neurologic.decoders.candidate_proposal import rank
from neurologic.decoders.neurologic import NeuroLogicDecoder, group, prune, select
from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_formula
from neurologic.logic import Formula, check, parse
from neurologic.models.base import EncodedPrompt
from neurologic.search.beam import Beam
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput
from neurologic.search.score_matrix import ScoreMatrix
from neurologic.search.settings import SearchSettings
from random_cases import cases
from random_predicates import plain_predicates
from toys import END, ToyModel, random_model, toy_vocabulary

# One way to write each text, so that merging equal texts cannot hide a better one.
VOCABULARY = toy_vocabulary("a", "b", " ", ".")
# Many candidates that are alike.
MANY_TOKENS = toy_vocabulary("a", "b", " ", ".", "s", " a", " b", " ab", "x", "y", "z", " x", " y", " z", "!")
PROMPT = EncodedPrompt((1,))


def logprob(model: ToyModel, tokens: tuple[int, ...]) -> float:
    total = 0.0
    for place, token in enumerate(tokens):
        scores = torch.log_softmax(model.logits_of((*PROMPT.ids, *tokens[:place])), dim=-1)
        total += float(scores[token])
    return total


def best_text(
    model: ToyModel, constraint: CompiledConstraint, limit: int, length_penalty: float
) -> bytes | None:
    """By brute force: the satisfied text with the best score, texts that end before those cut off."""
    best: tuple[bool, float, bytes] | None = None
    for length in range(limit + 1):
        for tokens in product(range(1, len(VOCABULARY)), repeat=length):
            text = VOCABULARY.decode(tokens)
            if not all(report.satisfied for report in check(constraint.clauses, text.decode())):
                continue
            for ended in (True, False):
                whole = (*tokens, END) if ended else tokens
                if len(whole) > limit or (not ended and length < limit):
                    continue
                score = logprob(model, whole) / len(whole) ** length_penalty
                if best is None or (ended, score) > best[:2]:
                    best = (ended, score, text)
    return None if best is None else best[2]


@cases(30)
@given(
    st.one_of(small_formulas(), plain_predicates(), plain_predicates().map(lambda predicate: ~predicate)),
    st.integers(0, 1000),
    st.integers(1, 4),
    st.sampled_from([0.0, 1.0]),
)
def test_equals_brute_force(formula: Formula, seed: int, limit: int, length_penalty: float) -> None:
    constraint = satisfiable(formula, VOCABULARY)
    model = random_model(VOCABULARY, seed)
    expected = best_text(model, constraint, limit, length_penalty)
    bound = constraint.upper_bound()
    assume(expected is not None and bound is not None and bound <= limit)
    everything = len(VOCABULARY) ** limit
    (output,) = search(
        model,
        [SearchInput(PROMPT, constraint)],
        NeuroLogicDecoder(),
        SearchSettings(
            num_beams=everything,
            alpha=everything * len(VOCABULARY),
            beta=100,
            lambda_=0.0,
            max_new_tokens=limit,
            length_penalty=length_penalty,
            early_stopping="never",
            whole_sentences=False,
        ),
    )
    assert output.texts[0].text == expected


@cases(150)
@given(
    small_formulas(),
    st.integers(0, 1000),
    st.integers(1, 30),
    st.integers(1, 3),
    st.integers(1, 4),
)
def test_the_selection_is_that_of_ranking_the_whole_matrix(
    formula: Formula, seed: int, alpha: int, beta: int, k: int
) -> None:
    constraint = satisfiable(formula, MANY_TOKENS)
    decoder = NeuroLogicDecoder()
    beam = Beam(constraint, SearchSettings(num_beams=k, alpha=alpha, beta=beta, max_new_tokens=8))
    generator = torch.Generator().manual_seed(seed)
    for _ in range(2):
        scores = torch.log_softmax(
            torch.randn(len(beam.hypotheses), len(MANY_TOKENS), generator=generator), dim=-1
        )
        scores[:, END] = -math.inf
        whole = [
            beam.consider(row, token, float(scores[row, token]))
            for row in range(len(beam.hypotheses))
            for token in range(1, len(MANY_TOKENS))
        ]
        survivors = prune(whole, alpha, beta)
        for candidate in survivors:
            outlook = constraint.outlook(candidate.state, candidate.found)
            bonus, candidate.inside = rank(beam.settings, outlook)
            candidate.score = candidate.logprob + bonus
        expected = select(beam, group(survivors), k).running
        actual = decoder.step(beam, scores).running
        assert [(c.row, c.token) for c in actual] == [(c.row, c.token) for c in expected]
        if not actual:
            break
        beam.replace([beam.extended(candidate) for candidate in actual])


@cases(60)
@given(small_formulas(), st.integers(0, 1000), st.integers(1, 4), st.integers(1, 30))
def test_the_look_ahead_sees_all_that_could_get_a_place(
    formula: Formula, seed: int, k: int, alpha: int
) -> None:
    constraint = satisfiable(formula, MANY_TOKENS)
    decoder = AStarDecoder()
    beam = Beam(constraint, SearchSettings(num_beams=k, alpha=alpha, max_new_tokens=8))
    scores = torch.randn(1, len(MANY_TOKENS), generator=torch.Generator().manual_seed(seed))
    scores = torch.log_softmax(scores, dim=-1)
    scores[:, END] = -math.inf
    (cut,) = decoder.propose([beam], ScoreMatrix.of(scores))
    whole = decoder.whole_proposal(beam, ScoreMatrix.of(scores))
    expected = [candidate.token for candidate in decoder._shortlist(whole)]
    actual = [candidate.token for candidate in decoder._shortlist(cut)]
    assert actual == expected or (cut.is_cut and len(actual) < decoder.places(beam.settings))


@pytest.mark.parametrize("early_stopping", [False, True, "never"])
def test_several_texts_are_different_and_best_first(early_stopping: bool | str) -> None:
    model = random_model(toy_vocabulary("a", "b", " ", ".", " a", " b", "a b"), seed=5)
    (output,) = search(
        model,
        [SearchInput(PROMPT, compile_formula(parse("a"), model.vocabulary))],
        NeuroLogicDecoder(),
        SearchSettings(num_beams=5, num_return_sequences=5, max_new_tokens=6, early_stopping=early_stopping),  # type: ignore[arg-type]
    )
    texts = [text.text for text in output.texts]
    assert len(set(texts)) == len(texts) == 5
    ended = [text.ending == "end" for text in output.texts]
    assert ended == sorted(ended, reverse=True)
