"""Models of one's own: every decoder works on them, and what they do wrong is said."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

import neurologic as nl
from decoders.cases import CASES, Case, expressed
from formulas import small_formulas
from neurologic.decoders.registry import DECODERS
from neurologic.errors import ContradictionError, ModelError, PromptError, UnspellableError
from neurologic.feasibility.compiled_constraint import compile_formula
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.logic import Formula
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import EncodedPrompt, LanguageModel, Rewindable
from neurologic.models.own.model import OwnModel
from neurologic.models.own.scorer import ScoredRows
from neurologic.search.engine import search
from neurologic.search.input_output import SearchInput
from neurologic.search.settings import SearchSettings
from random_cases import cases
from search.test_optimum import best_text
from tiny.tokenizers import gpt2_like
from toys import ToyModel, random_model

PIECES = ["</s>", "a", "b", "c", " ", " a", " b", "ab", ".", "s", " c", ","]
LETTERS = nl.vocabulary(PIECES, end="</s>")

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def scorer(toy: ToyModel) -> nl.Scorer:
    """The toy as somebody would write it who knows nothing of rows."""
    return nl.Scorer(lambda texts: [toy.logits_of(text).tolist() for text in texts], toy.vocabulary)


def constant(values: Sequence[float] | None = None, **options: Any) -> ConstrainedModel:
    """A model that always expects the same."""
    row = [0.0] * len(PIECES) if values is None else list(values)
    return nl.wrap(nl.Scorer(lambda texts: [row for _ in texts], LETTERS, **options))


# -- laws ---------------------------------------------------------------------------------------------


@every_case
@cases(3)
@given(
    formulas=st.lists(small_formulas(), min_size=1, max_size=3),
    prompts=st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4).map(tuple), min_size=3, max_size=3),
    seed=st.integers(0, 10_000),
)
def test_every_decoder_finds_the_same_as_on_rows_made_by_hand(
    case: Case, formulas: list[Formula], prompts: list[TokenIds], seed: int
) -> None:
    """Together and alone: prompts of different lengths share a batch without harm."""
    found = [expressed(formula, LETTERS, case.decoder.expresses) for formula in formulas]
    constraints = [constraint for constraint in found if constraint is not None]
    assume(constraints)
    toy = random_model(LETTERS, seed)
    knobs = {"num_beams": 3, "max_new_tokens": 6, "seed": seed}
    starts = prompts[: len(constraints)]
    expected = [
        case.run(toy, [constraint], prompts=[start], **knobs)[0]
        for constraint, start in zip(constraints, starts, strict=True)
    ]
    assert case.run(scorer(toy), constraints, prompts=starts, **knobs) == expected  # type: ignore[arg-type]


@cases(20)
@given(small_formulas(), st.integers(0, 1000), st.integers(1, 4))
def test_equals_brute_force(formula: Formula, seed: int, limit: int) -> None:
    vocabulary = nl.vocabulary(["</s>", "a", "b", " ", "."], end="</s>")
    try:
        constraint = compile_formula(formula, vocabulary)
    except (ContradictionError, UnspellableError):
        return
    toy = random_model(vocabulary, seed)
    expected = best_text(toy, constraint, limit, 1.0)
    bound = constraint.upper_bound()
    if expected is None or bound is None or bound > limit:
        return
    everything = len(vocabulary) ** limit
    wide = SearchSettings(
        num_beams=everything,
        alpha=everything * len(vocabulary),
        beta=100,
        lambda_=0.0,
        max_new_tokens=limit,
        early_stopping="never",
    )
    given_ = SearchInput(EncodedPrompt((1,)), constraint)
    (output,) = search(scorer(toy), [given_], DECODERS["neurologic"].load(), wide)
    assert output.texts[0].text == expected


@pytest.mark.parametrize("decoder", [name for name, entry in DECODERS.items() if not entry.edits])
def test_texts_of_a_batch_are_those_of_single_prompts(decoder: str) -> None:
    lm = nl.wrap(scorer(random_model(LETTERS, seed=3)))
    prompts = ["a b", "c", "a ab, c."]
    formulas = ["a & b", "b | c", "c & !s"]
    options = {"decoder": decoder, "reduce": True, "max_new_tokens": 9}
    together = lm.generate(prompts, formulas, **options)
    alone = [lm.generate(p, f, **options) for p, f in zip(prompts, formulas, strict=True)]
    assert [result.text for result in together] == [result.text for result in alone]
    if DECODERS[decoder].expresses is DECODERS["neurologic"].expresses:
        assert all(result.satisfied for result in together)


def test_rows_of_a_scorer_can_be_taken_back_and_joined() -> None:
    toy = random_model(LETTERS, seed=1)
    rows = scorer(toy).start([EncodedPrompt((1, 2)), EncodedPrompt((3,))])
    assert isinstance(rows, Rewindable)
    before = rows.logits.clone()
    rows.advance(torch.tensor([0, 1]), torch.tensor([4, 5]))
    branch = rows.branch(torch.tensor([1]))
    rows.rewind(1, before)
    rows.advance(torch.tensor([1, 0, 0]), torch.tensor([5, 6, 7]))
    rows.join(branch)
    assert rows.input_ids().tolist() == [[0, 3, 5], [1, 2, 6], [1, 2, 7], [0, 3, 5]]
    expected = torch.stack([toy.logits_of(row) for row in ((3, 5), (1, 2, 6), (1, 2, 7), (3, 5))])
    torch.testing.assert_close(rows.logits, expected)


def test_the_table_of_ids_stays_as_wide_as_the_longest_prompt() -> None:
    rows = scorer(random_model(LETTERS, seed=1)).start([EncodedPrompt((1, 2, 3)), EncodedPrompt((4,))])
    rows.advance(torch.tensor([1]), torch.tensor([5]))
    assert rows.input_ids().tolist() == [[0, 0, 4, 5]]


# -- scores -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table",
    [
        lambda rows: rows,
        np.array,
        lambda rows: np.frombuffer(np.array(rows).tobytes()).reshape(np.shape(rows)),  # cannot be written to
        lambda rows: [np.array(row) for row in rows],
        torch.tensor,
        lambda rows: [torch.tensor(row, requires_grad=True) for row in rows],
        lambda rows: torch.tensor(rows).bfloat16(),
    ],
)
def test_scores_are_lists_arrays_or_tensors(table: Any) -> None:
    row = [0.0, 5.0, *[-1.0] * (len(PIECES) - 2)]
    rows = nl.Scorer(lambda texts: table([row for _ in texts]), LETTERS).start([EncodedPrompt((1,))] * 2)
    assert rows.logits.dtype == torch.float32
    assert rows.logits.tolist() == [row, row]


def test_what_a_scorer_gave_is_not_changed_by_processors() -> None:
    kept = np.zeros((1, len(PIECES)), dtype=np.float32)
    rows = nl.Scorer(lambda texts: kept, LETTERS).start([EncodedPrompt((1,))])
    rows.logits[0, 0] = 7
    assert kept[0, 0] == 0


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ([[0.0] * 3], r"shape \[1, 3\] for 1 texts and a vocabulary of 12 tokens"),
        ([[0.0] * 12] * 2, r"must return the shape \[1, 12\]"),
        ([0.0] * 12, r"shape \[12\]"),
        ([[0.0] * 12, [0.0]], "not a table of numbers"),
        ("scores", "not a table of numbers"),
        (None, "not a table of numbers"),
        ([[math.nan] + [0.0] * 11], r"not a number \(NaN\) after the text 'ab'"),
        ([[math.inf] + [0.0] * 11], "an infinite score after"),
        ([[-math.inf] * 12], "-inf for every token after"),
    ],
)
def test_wrong_scores_are_reported(given_: Any, message: str) -> None:
    lm = nl.wrap(nl.Scorer(lambda texts: given_, LETTERS))
    with pytest.raises(ModelError, match=message):
        lm.generate("ab", "a")


def test_what_a_model_never_writes_lapses_with_a_warning() -> None:
    row = [0.0] * len(PIECES)
    for number, piece in enumerate(PIECES):
        if "c" in piece:
            row[number] = -math.inf
    with pytest.warns(UserWarning, match="the model gave no score to what the formula needs"):
        result = constant(row).generate("a", "c", max_new_tokens=6)
    assert result.unmet == ("c",)


# -- prompts ------------------------------------------------------------------------------------------


def test_a_text_continues_its_prompt() -> None:
    lm = constant()
    assert lm.model.vocabulary is LETTERS
    assert lm.tokenizer is None
    result = lm.generate("a", "b", max_new_tokens=6)
    assert result.before == "a"
    assert result.satisfied


def test_the_first_word_of_a_prompt_gets_the_space_that_pieces_bring() -> None:
    words = nl.vocabulary(["</s>", " the", " dog", "."], end="</s>")
    model = OwnModel(nl.Scorer(lambda texts: [[0.0] * 4 for _ in texts], words))
    assert model.encode("the dog.") == EncodedPrompt((1, 2, 3), "the dog.")
    assert model.encode(" the dog.").ids == (1, 2, 3)
    assert model.encode("").ids == ()


@pytest.mark.parametrize("prompt", ["a b z", "z", "aé"])
def test_a_prompt_that_cannot_be_spelled_is_reported(prompt: str) -> None:
    with pytest.raises(PromptError, match=f"no token continues with '{prompt[-1]}'"):
        constant().generate(prompt, "a")


def test_an_empty_prompt_is_none_to_a_scorer() -> None:
    asked: list[list[TokenIds]] = []

    def score(texts: list[TokenIds]) -> list[list[float]]:
        asked.append(texts)
        return [[0.0] * len(PIECES) for _ in texts]

    assert nl.wrap(nl.Scorer(score, LETTERS)).generate("", "a", max_new_tokens=3).satisfied
    assert asked[0] == [()]


def test_a_conversation_needs_a_tokenizer() -> None:
    with pytest.raises(PromptError, match="no chat template"):
        constant().generate([{"role": "user", "content": "a"}], "a")


def test_the_context_is_kept() -> None:
    with pytest.raises(PromptError, match="together 13; the model's context holds 12"):
        constant(context=12).generate("ab", "a", max_new_tokens=12)


def test_a_tokenizer_cuts_prompts_and_names_the_vocabulary() -> None:
    tokenizer = gpt2_like()
    vocabulary = nl.vocabulary(tokenizer, size=len(tokenizer) + 3)
    assert len(vocabulary) == len(tokenizer) + 3
    assert vocabulary.end_ids == {tokenizer.eos_token_id}
    model = nl.Scorer(lambda texts: torch.zeros(len(texts), len(vocabulary)), vocabulary)
    wrapped = OwnModel(model, tokenizer)
    assert list(wrapped.encode("the dog").ids) == tokenizer("the dog")["input_ids"]
    result = nl.wrap(model, tokenizer).generate("the dog", "runs & !the", max_new_tokens=12)
    assert result.satisfied


def test_a_tokenizer_of_another_model_is_refused() -> None:
    tokenizer = gpt2_like()
    shifted = list(nl.vocabulary(tokenizer).pieces)
    words = nl.vocabulary([*shifted[1:], *shifted[:1]], end=tokenizer.eos_token_id)
    with pytest.raises(ModelError, match="but neurologic expects"):
        nl.wrap(nl.Scorer(lambda texts: torch.zeros(len(texts), len(words)), words), tokenizer)


# -- what is wrapped ----------------------------------------------------------------------------------


class WrongRows:
    """A model of the protocol whose scores are of the wrong size."""

    vocabulary = LETTERS

    def start(self, prompts: Sequence[EncodedPrompt]) -> ScoredRows:
        size = nl.vocabulary(["</s>", "a"], end=0)
        return nl.Scorer(lambda texts: [[0.0, 0.0] for _ in texts], size).start(prompts)


def test_scores_of_the_wrong_size_are_reported_for_any_model() -> None:
    assert isinstance(WrongRows(), LanguageModel)
    with pytest.raises(ModelError, match=r"WrongRows gave scores of shape \[1, 2\] for 1 prompts"):
        nl.wrap(WrongRows()).generate("a", "b")


def test_a_vocabulary_is_made_with_the_function() -> None:
    with pytest.raises(ModelError, match=r"the vocabulary of Scorer is list; make it with"):
        nl.wrap(nl.Scorer(lambda texts: [], PIECES))  # type: ignore[arg-type]


def test_what_is_no_model_is_reported() -> None:
    with pytest.raises(ModelError, match=r"function does not have: make a Scorer"):
        nl.wrap(lambda texts: texts)


def test_settings_of_hugging_face_are_refused() -> None:
    with pytest.raises(ValueError, match="repetition_penalty: unknown setting"):
        constant().generate("a", "b", repetition_penalty=1.2)


def test_processors_of_the_caller_work() -> None:
    def no_b(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        assert ids[:, 0].tolist() == [PIECES.index("a")] * len(ids)
        return scores.index_fill(-1, torch.tensor([PIECES.index("b"), PIECES.index(" b")]), -math.inf)

    result = constant().generate("a", "c | b", logits_processor=[no_b], max_new_tokens=6)
    assert result.satisfied
    assert " b" not in result.text


def test_the_editing_methods_are_refused() -> None:
    with pytest.raises(ModelError, match=r"causal models of Hugging Face's.*\(Scorer\)"):
        constant().generate("a", "b", decoder="cgmh")


# -- vocabularies -------------------------------------------------------------------------------------


def test_ends_are_named_by_piece_or_id() -> None:
    pieces = ["<s>", "a", b"\xc3", "</s>", None]
    by_piece: Vocabulary = nl.vocabulary(pieces, end=["</s>", "<s>"])
    assert by_piece.end_ids == {0, 3}
    assert by_piece.pieces == (None, b"a", b"\xc3", None, None)
    assert nl.vocabulary(pieces, end=3).end_ids == {3}


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (["a"], {}, "name the token that ends a text"),
        (["a"], {"end": "</s>"}, "the end token '</s>' is not among the 1 tokens"),
        (["a", "b"], {"end": 2}, "the end token 2 is not among the 2 tokens"),
        (["a", "b"], {"end": []}, "end is empty"),
        (["a", 7], {"end": 0}, "piece 1 is int"),
        (["a", "b"], {"end": 0, "size": 3}, "the list has 2 pieces, but size is 3"),
        ("ab", {"end": 0}, "not str"),
        (7, {"end": 0}, "not int"),
        (["</s>", None, ""], {"end": 0}, "no token that writes text"),
    ],
)
def test_vocabularies_that_make_no_sense_are_reported(
    source: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError, ModelError), match=message):
        nl.vocabulary(source, **options)


def test_the_names_cost_nothing_until_they_are_used() -> None:
    code = (
        "import sys, neurologic as nl; assert 'torch' not in sys.modules; "
        "assert 'Scorer' in dir(nl) and not hasattr(nl, 'nothing'); "
        "nl.vocabulary(['</s>', 'a'], end=0); assert 'torch' not in sys.modules; nl.Scorer"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
