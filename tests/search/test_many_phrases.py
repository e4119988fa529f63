"""Thousands of forbidden phrases: what grows with them, what does not, and that texts obey them all.

Time is not measured here, since a busy machine must not decide a test; `neurologic bench --scenarios d` does
that. These tests count what time is spent on: nodes, clauses looked at, states remembered.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
import torch

from neurologic.decoders.neurologic import NeuroLogicDecoder
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.logic import Phrase, none_of, phrase
from neurologic.matching import clause_tracker
from neurologic.matching.aho_corasick import AhoCorasick
from neurologic.matching.patterns import pattern_of
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.loading import LoadedModel
from neurologic.models.tokenizers import vocabulary_of
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
from toys import ToyModel, toy_vocabulary

MANY = 3000


@pytest.fixture(scope="module")
def vocabulary(smollm2_tokenizer: Any) -> Vocabulary:
    end = smollm2_tokenizer.eos_token_id
    return vocabulary_of(smollm2_tokenizer, len(smollm2_tokenizer), end_ids={end}, starts_text=False)


@pytest.fixture(scope="module")
def forbidden(vocabulary: Vocabulary) -> list[str]:
    """The 1,500 most frequent tokens that are a word of at least four letters, and as many pairs of words."""
    words = [
        piece.decode()[1:]
        for piece in vocabulary.pieces
        if piece is not None and re.fullmatch(rb" [a-z]{4,}", piece)
    ]
    random_ = random.Random(3000)
    pairs = {" ".join(random_.sample(words, 2)): None for _ in range(MANY)}
    return [*words[: MANY // 2], *list(pairs)[: MANY // 2]]


def words_and_pairs(text: str) -> set[str]:
    """All words, and all words with only spaces between them, in small letters."""
    words = re.findall(r"\w+", text.lower())
    return {*words, *(" ".join(pair) for pair in re.findall(r"(?<!\w)(?=(\w+)\s+(\w+))", text.lower()))}


def test_the_automaton_is_no_larger_than_the_phrases(forbidden: list[str]) -> None:
    patterns = [pattern_of(Phrase(text)).symbols for text in forbidden]
    automaton = AhoCorasick((symbols, number) for number, symbols in enumerate(patterns))
    assert len(automaton.children) <= 1 + sum(map(len, patterns))
    assert len(automaton.children) < sum(map(len, patterns)) * 0.8  # beginnings are shared
    # Every failure link leads to a shorter path: reading a text takes at most two steps a symbol.
    assert all(automaton.depths[f] < automaton.depths[n] for n, f in enumerate(automaton.failures) if n)


def test_a_phrase_touches_only_its_own_clauses(
    vocabulary: Vocabulary, forbidden: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    constraint = compile_formula(none_of(*forbidden), vocabulary)
    assert len(constraint.clauses) == MANY
    looked_at: list[Any] = []
    judge = clause_tracker.state_of_tree
    monkeypatch.setattr(
        clause_tracker, "state_of_tree", lambda node, view: looked_at.append(node) or judge(node, view)
    )
    assert not constraint.tracker.status(0).failed
    assert looked_at == []
    assert constraint.tracker.status(1 << 7).failed
    assert looked_at == [constraint.clauses[7].root]
    assert constraint.tracker.status(1 << 7).failed
    assert len(looked_at) == 1  # the second time it is remembered


def stubborn_model(vocabulary: Vocabulary, words: set[str]) -> ToyModel:
    """A model that wants to write nothing but the given words, in an order that its own tokens decide."""
    wish = torch.tensor(
        [8.0 * ((piece or b"").strip().decode("latin-1") in words) for piece in vocabulary.pieces]
    )

    def logits_of(tokens: TokenIds) -> torch.Tensor:
        generator = torch.Generator().manual_seed(hash(tokens) & 0x7FFFFFFF)
        return wish + torch.randn(len(vocabulary), generator=generator)

    return ToyModel(vocabulary, logits_of)


def test_a_model_that_wants_nothing_else_writes_none_of_them(
    vocabulary: Vocabulary, forbidden: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    constraint = compile_formula(none_of(*forbidden), vocabulary)
    judged = 0
    work_out = constraint.tracker._work_out

    def counting(settled: int, present: int) -> Any:
        nonlocal judged
        judged += 1
        assert present.bit_count() <= 3  # a word, or a pair with its two words: not thousands
        return work_out(settled, present)

    monkeypatch.setattr(constraint.tracker, "_work_out", counting)
    model = stubborn_model(vocabulary, {word for text in forbidden for word in text.split()})
    inputs = [SearchInput(EncodedPrompt((place,)), constraint) for place in range(1, 7)]
    outputs = search(model, inputs, NeuroLogicDecoder(), SearchSettings(num_beams=2, max_new_tokens=8))
    for output in outputs:
        assert output.promised
        assert output.kept
        for finished in output.texts:
            text = finished.text.decode()
            assert len(words_and_pairs(text)) > 2
            assert not words_and_pairs(text) & set(forbidden), text
    # A phrase is provisional or settled: two statuses each, however many candidates were looked at.
    assert judged <= 2 * MANY


def test_states_are_shared_by_all_texts_that_have_nothing_under_way(
    vocabulary: Vocabulary, forbidden: list[str]
) -> None:
    """After any of a thousand full stops, whatever stood before it, the matcher is in one state."""
    matcher = compile_formula(none_of(*forbidden), vocabulary).matcher
    stop = vocabulary.token_of[b"."]
    random_ = random.Random(0)
    writable = [token for token, piece in enumerate(vocabulary.pieces) if piece and piece.isascii()]
    after = {
        matcher.step(matcher.step(matcher.start(), t)[0], stop)[0] for t in random_.sample(writable, 1000)
    }
    assert len(after) == 1


@pytest.mark.real_model
def test_the_default_model_obeys_three_thousand_bans(smollm2: LoadedModel, forbidden: list[str]) -> None:
    lm = ConstrainedModel(smollm2)
    prompts = ["The children went to the park and", "My favourite animal is", "The secret of a happy life is"]
    how = {"raw": True, "num_beams": 2}
    free = lm.generate(prompts, **how, max_new_tokens=16)
    assert all(words_and_pairs(result.text) & set(forbidden) for result in free)
    for result in lm.generate(prompts, none_of(*forbidden), **how, max_new_tokens=10):
        assert not words_and_pairs(result.text) & set(forbidden), result.text
        assert result.satisfied


def test_the_only_token_left_is_found_among_equals() -> None:
    """Nearly all of 2,000 equally likely tokens are forbidden, so one fetch of candidates is not enough."""
    for place in range(0, 2000, 399):
        pieces = [f" x{number}" for number in range(2000)]
        pieces[place] = " ok"
        vocabulary = toy_vocabulary(*pieces)
        model = ToyModel(vocabulary, lambda tokens: torch.zeros(2001))
        one = SearchInput(EncodedPrompt((1,)), compile_formula(~phrase("x", match="substring"), vocabulary))
        settings = SearchSettings(num_beams=2, max_new_tokens=3, min_new_tokens=3)
        (output,) = search(model, [one], NeuroLogicDecoder(), settings)
        assert output.promised
        assert output.texts[0].text == b" ok ok ok", place
