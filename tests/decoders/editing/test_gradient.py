from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
import torch
import transformers as hf

import neurologic
from decoders.editing.tiny import keywords_for, scorer_for, tiny_model
from neurologic.decoders.editing.embedding_gradients import EmbeddingGradients, SentenceGradient
from neurologic.decoders.editing.gradient import GradientGuided, _Climb, repetitions, steepest_first
from neurologic.decoders.editing.sentence import Keywords, Sentence, gap, hole_of
from neurologic.decoders.editing.sentence_scorer import CausalSentenceScorer
from neurologic.decoders.editing.start_sentences import starting_sentence
from neurologic.errors import ModelError
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.logic import parse
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel
from tiny.families import ALL_CAUSAL, make
from tiny.tokenizers import gpt2_like
from toys import END, toy_vocabulary

FORMULA = 'dog & "quick brown"'


def climb_from_keywords(shortlist: int = 4, limit: int = 14) -> tuple[Keywords, list[Sentence]]:
    model = tiny_model()
    keywords, scorer = keywords_for(model, FORMULA, limit), scorer_for(model)
    start = starting_sentence(scorer, keywords, (0, 1))
    way = GradientGuided(shortlist).edits(start, scorer, keywords, random.Random(0))
    return keywords, [start, *way]


def test_the_objective_never_falls_and_the_keywords_stay() -> None:
    keywords, way = climb_from_keywords()
    assert way[-1].mean_logprob > way[0].mean_logprob + 1
    for before, after in pairwise(way):
        assert after == before or after.mean_logprob > before.mean_logprob
        assert repetitions(after.tokens) <= repetitions(before.tokens)
        assert keywords.allow(after.tokens)


def test_a_climb_ends_where_no_place_has_a_better_edit() -> None:
    keywords, way = climb_from_keywords()
    top = way[-1]
    assert [sentence.tokens for sentence in way[-len(top.tokens) - 1 :]] == [top.tokens] * (
        len(top.tokens) + 1
    )
    climb = _Climb(4, EmbeddingGradients(scorer_for(tiny_model())), keywords)
    slope = climb.finder.at(top.tokens)
    for place in steepest_first(slope):
        edited = climb.best_edit(top, slope, place)
        assert edited is None or edited.mean_logprob <= top.mean_logprob + 1e-4


def test_the_best_of_the_shortlist_is_found_by_looking_at_all_of_it() -> None:
    model = tiny_model()
    keywords, scorer = keywords_for(model, "dog", 10), scorer_for(model)
    (sentence,) = scorer.score(
        (), [(*model.vocabulary.segment("the lazy"), *model.vocabulary.segment(" dog"))]
    )
    climb = _Climb(5, EmbeddingGradients(scorer), keywords)
    slope = climb.finder.at(sentence.tokens)
    place = 0
    replaced, inserted = hole_of(sentence.tokens, place), gap(sentence.tokens, place + 1)
    candidates = [replaced.closed]
    for hole, gains in (
        (replaced, climb.finder.gains(slope, place)),
        (inserted, climb.finder.gains(climb.finder.in_hole(inserted), place + 1)),
    ):
        ranked = gains.argsort(descending=True).tolist()
        fitting = [
            token
            for token in ranked
            if keywords.allow(hole.filled(token)) and hole.filled(token) != sentence.tokens
        ]
        candidates += [hole.filled(token) for token in fitting[:5]]
    best = max(scorer.score((), candidates), key=lambda one: one.mean_logprob)
    found = climb.best_edit(sentence, slope, place)
    assert found is not None
    assert found.tokens == best.tokens
    assert found.logprob == pytest.approx(best.logprob, abs=1e-3)


def test_the_longest_gradient_comes_first() -> None:
    gradients = torch.tensor([[3.0, 0.0], [1.0, 0.0], [-3.0, 4.0], [0.0, 2.0]])  # the prompt's end, 3 tokens
    assert steepest_first(SentenceGradient(torch.zeros(3, 5), gradients)) == [1, -1, 2, 0]


def test_no_sentence_is_longer_than_the_limit() -> None:
    _, way = climb_from_keywords(limit=7)
    assert max(sentence.length for sentence in way) <= 7


def test_keywords_become_the_sentence_that_the_model_has_learnt() -> None:
    """The method's task at toy scale: of "dog frisbee" it makes the sentence that has both."""
    vocabulary = toy_vocabulary(
        "The", " dog", " caught", " the", " frisbee", ".", " a", " cat", " slept", " ran", "¶"
    )
    learnt = [(1, 2, 3, 4, 5, 6), (1, 8, 9, 6), (1, 2, 10, 6), (7, 8, 10, 6), (1, 2, 3, 7, 8, 6)]
    model = _taught(len(vocabulary), learnt)
    scorer = CausalSentenceScorer(CausalModel(model, vocabulary), EncodedPrompt((len(vocabulary) - 1,)))
    keywords = Keywords(compile_formula(parse("dog & frisbee"), vocabulary), "", 10, 0b11)
    start = starting_sentence(scorer, keywords, (0, 1))
    *_, top = GradientGuided().edits(start, scorer, keywords, random.Random(0))
    assert vocabulary.decode(start.tokens) == b" dog frisbee"
    assert vocabulary.decode(top.tokens) == b"The dog caught the frisbee."


def test_a_sentence_that_goes_round_in_circles_is_not_written_even_if_the_model_likes_it() -> None:
    vocabulary = toy_vocabulary(" come", " home", ".", "¶")
    circle = (1, 1, 1, 1, 1)
    model = _taught(len(vocabulary), [circle])
    scorer = CausalSentenceScorer(CausalModel(model, vocabulary), EncodedPrompt((len(vocabulary) - 1,)))
    keywords = Keywords(compile_formula(parse("come"), vocabulary), "", 8, 1)
    start = starting_sentence(scorer, keywords, (0,))
    way = [start, *GradientGuided().edits(start, scorer, keywords, random.Random(0))]
    assert (1, 1) in [sentence.tokens for sentence in way]  # on the way there
    assert scorer.score((), [circle])[0].mean_logprob > way[-1].mean_logprob
    assert all(repetitions(sentence.tokens) == 0 for sentence in way)


def _taught(size: int, sentences: list[tuple[int, ...]]) -> Any:
    """A small Llama that has learnt a few sentences; its last token stands for the prompt."""
    config = hf.LlamaConfig(
        vocab_size=size,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        bos_token_id=END,
        eos_token_id=END,
    )
    model = make(lambda: hf.LlamaForCausalLM(config))
    width = max(map(len, sentences)) + 2
    rows = [[size - 1, *sentence, END] for sentence in sentences]
    ids = torch.tensor([row + [END] * (width - len(row)) for row in rows])
    labels = torch.tensor([row + [-100] * (width - len(row)) for row in rows])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(60):
        optimizer.zero_grad()
        model(ids, labels=labels).loss.backward()
        optimizer.step()
    model.zero_grad(set_to_none=True)
    return model


def test_a_model_that_hides_its_gradients_is_refused_with_the_reason() -> None:
    """CTRL adds to its intermediate values in place."""
    tokenizer = gpt2_like()
    model = make(lambda: ALL_CAUSAL["ctrl"](size=len(tokenizer)))
    lm = neurologic.wrap(model, tokenizer)
    with pytest.raises(ModelError, match="use the decoder cgmh"):
        lm.generate("a", "dog", decoder="gradient", max_new_tokens=8)
