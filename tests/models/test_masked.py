"""Masked models as sequence-to-sequence models: what every family must hold, and how they are told apart.

The oracle runs one row at a time, without padding and without a cache, with an attention matrix written
out entry by entry; the model numbers the positions by itself.
"""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf

import neurologic
from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.loading import load, wrap
from neurologic.models.masked import model as masked
from neurologic.models.masked.model import MaskedModel
from neurologic.testing import MODEL_LAWS, TrackedDecoding
from neurologic.testing.model_laws import ModelLaw, Reference, Row
from tiny.families import make
from tiny.masked import CACHED, MASK, REFUSED, SIZE, UNCACHED, WINDOW, words_tokenizer
from tiny.models import tiny_model
from tiny.tokenizers import gpt2_like

FAMILIES = {**CACHED, **UNCACHED}
START = 2
TOLERANCE = 2e-4


# --- The oracle ------------------------------------------------------------------------------------


def attention_matrix(source: int, written: int, window: int | None = None) -> torch.Tensor:
    """0 where a position (row) sees another (column), else the least number; the mask is written too."""
    length = source + written
    matrix = torch.full((length, length), torch.finfo(torch.float32).min)
    for row in range(length):
        for column in range(length):
            sees = column < source if row < source else column <= row
            if sees and (window is None or abs(row - column) <= window):
                matrix[row, column] = 0.0
    return matrix[None, None]


def arguments_of(model: Any, source: int, written: int) -> dict[str, Any]:
    """Attention and token types of one row."""
    mask: Any = attention_matrix(source, written)
    if model.config.model_type == "modernbert":
        mask = {"full_attention": mask, "sliding_attention": attention_matrix(source, written, WINDOW)}
    arguments: dict[str, Any] = {"attention_mask": mask}
    types = getattr(model.config, "type_vocab_size", 0)
    if types in (2, 6) and model.config.model_type != "distilbert":
        first, second = (4, 5) if types == 6 else (0, 1)
        arguments["token_type_ids"] = torch.tensor([[first] * source + [second] * written])
    return arguments


@torch.no_grad()
def full_logits(model: Any, source: Sequence[int], text: Sequence[int], mask_id: int = MASK) -> torch.Tensor:
    """The scores of every position of source, text and mask token, [length, vocabulary]."""
    ids = torch.tensor([[*source, *text, mask_id]])
    return model(input_ids=ids, **arguments_of(model, len(source), len(text) + 1)).logits[0]


# --- The laws --------------------------------------------------------------------------------------

VOCABULARY = Vocabulary((None,) * (MASK + 1) + (b"x",) * (SIZE - MASK - 1), frozenset({3}), lambda text: ())


def adapter_of(model: Any, **options: Any) -> MaskedModel:
    special = {"pad_id": model.config.pad_token_id, "mask_id": MASK, "start_id": START}
    return MaskedModel(model, VOCABULARY, **{**special, **options})


def random_sources(lengths: Sequence[int]) -> list[EncodedPrompt]:
    numbers = random.Random(1)
    return [EncodedPrompt(tuple(numbers.choices(range(MASK + 1, SIZE), k=length))) for length in lengths]


def oracle_of(adapter: MaskedModel) -> Reference:
    """Return a function that runs whole texts with an attention matrix written by hand."""

    def scores(rows: Sequence[Row]) -> torch.Tensor:
        return torch.stack(
            [full_logits(adapter.model, source.ids, text, adapter.mask_id)[-1] for source, text in rows]
        )

    return scores


def tracked(model: Any, lengths: Sequence[int], **options: Any) -> TrackedDecoding:
    adapter = adapter_of(model, **options)
    return TrackedDecoding(
        adapter, random_sources(lengths), reference=oracle_of(adapter), tolerance=TOLERANCE
    )


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Any:
    return make(FAMILIES[request.param])


@pytest.fixture(scope="module")
def bert() -> Any:
    return make(CACHED["bert"])


@pytest.mark.parametrize("name", FAMILIES)
def test_only_some_families_keep_keys_and_values(name: str) -> None:
    assert adapter_of(make(FAMILIES[name])).convention.cached == (name in CACHED)


@pytest.mark.parametrize("name", REFUSED)
def test_models_that_do_not_follow_the_mask_are_refused(name: str) -> None:
    build, reason = REFUSED[name]
    with pytest.raises(ModelError, match=reason):
        adapter_of(make(build))


@pytest.mark.parametrize("law", MODEL_LAWS, ids=lambda law: law.__name__)
def test_every_family_obeys(model: Any, law: ModelLaw) -> None:
    adapter = adapter_of(model)
    law(adapter, random_sources([9, 3, 5]), reference=oracle_of(adapter), tolerance=TOLERANCE)


def test_tokens_can_be_taken_back(model: Any) -> None:
    assert tracked(model, [4]).decoding.can_rewind


def test_processors_see_the_start_token_and_the_text(bert: Any) -> None:
    rows = tracked(bert, [4, 2])
    rows.advance([0, 0, 1])
    rows.advance([1, 2])
    assert rows.decoding.input_ids().tolist() == [[START, *text] for _, text in rows.rows]


def test_an_opening_is_given_not_generated(bert: Any) -> None:
    adapter = adapter_of(bert)
    decoding = adapter.start(
        [EncodedPrompt((2, 9, 3), opening=(7, 8)), EncodedPrompt((2, 3), opening=(8, 9))]
    )
    expected = [full_logits(bert, (2, 9, 3), (7, 8))[-1], full_logits(bert, (2, 3), (8, 9))[-1]]
    torch.testing.assert_close(decoding.logits, torch.stack(expected), atol=1e-4, rtol=1e-5)
    assert decoding.input_ids().tolist() == [[START, 7, 8], [START, 8, 9]]


def test_a_pseudo_mask_token_can_be_named(bert: Any) -> None:
    rows = tracked(bert, [5], mask_id=17)
    rows.advance([0])
    rows.check()


@pytest.mark.parametrize("name", ["bert", "mpnet"])
def test_many_rows_are_run_in_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masked, "_MOST_SCORES", 30 * SIZE)  # two rows of twelve
    rows = tracked(make(FAMILIES[name]), [9, 3, 5, 7, 2])
    rows.advance([0, 1, 2, 3, 4])
    rows.check()


# --- What the source and the written tokens may see --------------------------------------------------


@torch.no_grad()
def test_the_source_does_not_feel_the_text(bert: Any) -> None:
    source = [2, 11, 12, 13, 3]
    alone = bert(input_ids=torch.tensor([source])).logits[0]
    for text in ((), (7,), (8, 9, 10)):
        whole = full_logits(bert, source, text)
        torch.testing.assert_close(whole[: len(source)], alone, atol=1e-5, rtol=1e-5)


def test_scores_depend_on_source_text_and_their_order(bert: Any) -> None:
    adapter = adapter_of(bert)

    def scores(source: Sequence[int], text: Sequence[int]) -> torch.Tensor:
        decoding = adapter.start([EncodedPrompt(tuple(source))])
        for token in text:
            decoding.advance(torch.tensor([0]), torch.tensor([token]))
        return decoding.logits

    base = scores([2, 11, 12, 3], [7, 8])
    for source, text in (([2, 12, 11, 3], [7, 8]), ([2, 11, 12, 3], [8, 7]), ([2, 11, 3], [12, 7, 8])):
        assert (scores(source, text) - base).abs().max() > 0.1


# --- Cost, threads, and the user's own model ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "columns"),
    [("bert", [6, 2, 2, 2]), ("albert, shared layers", [6, 2, 2, 2]), ("mpnet", [6, 7, 8, 9])],
)
def test_a_step_runs_two_columns_per_row(name: str, columns: list[int]) -> None:
    model = make(FAMILIES[name])
    adapter = adapter_of(model)
    shapes: list[tuple[int, ...]] = []
    model.register_forward_pre_hook(
        lambda _, __, arguments: shapes.append(tuple(arguments["input_ids"].shape)), with_kwargs=True
    )
    decoding = adapter.start([EncodedPrompt((2, 11, 12, 13, 3))])  # five tokens and the mask
    for parents in ([0, 0, 0], [0, 1, 2], [2, 1, 0]):
        decoding.advance(torch.tensor(parents), torch.tensor([7, 8, 9]))
    assert shapes == [(1 if step == 0 else 3, width) for step, width in enumerate(columns)]


def state_of(model: Any) -> tuple[Any, ...]:
    hooks = [
        (name, len(module._forward_hooks), len(module._forward_pre_hooks), type(module), module.training)
        for name, module in model.named_modules()
    ]
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    return hooks, weights, model.config.to_dict(), model.config._attn_implementation


def test_the_model_stays_as_it_was(model: Any) -> None:
    ids = torch.tensor([[2, 11, 12, 13, 3]])
    hooks, weights, config, attention = state_of(model)
    with torch.no_grad():
        before = model(input_ids=ids).logits
        rows = tracked(model, [4, 6])
        rows.advance([0, 0, 1])
        after = model(input_ids=ids).logits
    assert torch.equal(before, after)
    now = state_of(model)
    assert (now[0], now[2], now[3]) == (hooks, config, attention)
    assert all(torch.equal(weights[name], now[1][name]) for name in weights)


@pytest.mark.parametrize("name", ["bert", "albert, shared layers", "mpnet"])
def test_threads_share_one_model(name: str) -> None:
    """Some write, one uses the model in the plain way, all at the same time."""
    model = make(FAMILIES[name])
    adapter = adapter_of(model)
    ids = torch.tensor([[2, 11, 12, 13, 3]])

    def write(first: int) -> list[torch.Tensor]:
        decoding = adapter.start(
            [EncodedPrompt((2, *range(first, first + 4), 3)), EncodedPrompt((2, first, 3))]
        )
        scores = [decoding.logits]
        for step in range(6):
            decoding.advance(torch.tensor([1, 0]), torch.tensor([first + step, first]))
            scores.append(decoding.logits)
        return scores

    def plain(_: int) -> list[torch.Tensor]:
        with torch.no_grad():
            return [model(input_ids=ids).logits for _ in range(8)]

    jobs: list[tuple[Callable[[int], list[torch.Tensor]], int]] = [(write, 10), (write, 30), (plain, 0)]
    alone = [run(argument) for run, argument in jobs]
    together: list[list[list[torch.Tensor]]] = [[] for _ in jobs]

    def repeat(place: int) -> None:
        run, argument = jobs[place]
        for _ in range(5):
            together[place].append(run(argument))

    threads = [threading.Thread(target=repeat, args=(place,)) for place in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for expected, rounds in zip(alone, together, strict=True):
        assert len(rounds) == 5
        for scores in rounds:
            torch.testing.assert_close(scores, expected)


def test_half_precision_is_kept_apart_from_rounding() -> None:
    adapter = adapter_of(make(CACHED["bert"]).half())
    assert adapter.convention.cached
    decoding = adapter.start([EncodedPrompt((2, 11, 3))])
    assert decoding.logits.dtype == torch.float32


# --- What is refused -----------------------------------------------------------------------------------


def test_an_attention_that_is_changed_later_is_noticed() -> None:
    model = make(CACHED["bert"])
    adapter = adapter_of(model)
    model.set_attn_implementation("eager")
    with pytest.raises(ModelError, match="sdpa"):
        adapter.start([EncodedPrompt((2, 11, 3))])


def test_a_model_in_training_is_refused() -> None:
    with pytest.raises(ModelError, match="evaluation mode"):
        adapter_of(make(CACHED["bert"]).train())


@pytest.mark.parametrize("name", ["roberta", "mpnet"])  # both with two positions less than their config says
def test_a_text_beyond_the_last_position_is_refused(name: str) -> None:
    adapter = adapter_of(make(FAMILIES[name]))
    decoding = adapter.start([EncodedPrompt(tuple(range(5, 42)))])  # 37 tokens and the mask
    with pytest.raises(PromptError, match="38 together"):
        decoding.advance(torch.tensor([0]), torch.tensor([7]))


def test_an_empty_source_is_refused(bert: Any) -> None:
    with pytest.raises(PromptError, match="at least one token"):
        adapter_of(bert).start([EncodedPrompt(())])


# --- With a tokenizer, through `generate` ----------------------------------------------------------------

WORDS = ("the", "dog", "cat", "runs", "##s", ".")


def bert_for(tokenizer: Any, seed: int = 0, **options: Any) -> Any:
    return tiny_model("BertForMaskedLM", tokenizer, seed=seed, initializer_range=0.3, **options)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return words_tokenizer(*WORDS)


def test_a_folder_with_a_masked_model_loads(tmp_path: Path, tokenizer: Any) -> None:
    bert_for(tokenizer).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    loaded = load(tmp_path)
    assert isinstance(loaded.adapter, MaskedModel)
    assert loaded.end_ids == {tokenizer.sep_token_id}
    assert loaded.encode("the dog").ids == (2, 5, 6, 3)
    assert loaded.generation_config.eos_token_id == [tokenizer.sep_token_id]


def test_a_checkpoint_with_two_heads_loads_as_a_masked_model(tmp_path: Path, tokenizer: Any) -> None:
    hf.BertForPreTraining(bert_for(tokenizer).config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert type(load(tmp_path).model) is hf.BertForMaskedLM


def test_a_bert_that_is_a_decoder_loads_as_a_causal_model(tmp_path: Path, tokenizer: Any) -> None:
    bert_for(tokenizer, is_decoder=True, eos_token_id=3).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert type(load(tmp_path).model) is hf.BertLMHeadModel


def test_token_types_come_from_the_config(tokenizer: Any) -> None:
    model = bert_for(tokenizer, type_vocab_size=4)
    model.config.source_type_id, model.config.target_type_id = 2, 3
    assert wrap(model, tokenizer).adapter.convention.type_ids == (2, 3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("formula", ["dog & !cat", "(cat | dogs) & runs", "dogs -> the", "!the & !dog & cat"])
def test_the_search_equals_brute_force(tokenizer: Any, formula: str, seed: int) -> None:
    model = bert_for(tokenizer, seed)
    lm = neurologic.wrap(model, tokenizer)
    limit, end = 4, tokenizer.sep_token_id
    clauses = neurologic.to_clauses(neurologic.parse(formula))
    source = tokenizer("the cat runs")["input_ids"]
    writable = range(5, len(tokenizer))
    scores = {
        text: torch.log_softmax(full_logits(model, source, text)[-1], dim=-1).tolist()
        for length in range(limit)
        for text in itertools.product(writable, repeat=length)
    }
    best: dict[str, float] = {}
    for text in scores:  # texts that end; each of their spellings counts for itself
        written = tokenizer.decode(text)
        if all(report.satisfied for report in neurologic.check(clauses, written)):
            logprob = sum(scores[text[:place]][token] for place, token in enumerate(text)) + scores[text][end]
            best[written] = max(best.get(written, -1e9), logprob / (len(text) + 1))
    everything = len(writable) ** limit
    result = lm.generate(
        "the cat runs",
        formula,
        whole_sentences=False,
        max_run=0,
        num_beams=everything,
        alpha=everything * len(tokenizer),
        beta=100,
        lambda_=0.0,
        length_penalty=1.0,
        max_new_tokens=limit,
        early_stopping="never",
    )
    assert result.satisfied
    assert result.text == max(best, key=lambda written: best[written])
    assert result.score == pytest.approx(best[result.text], abs=1e-4)


PROMPTS = ["A dog in the park.", "The sea", "Three cooks spoil the broth, they say.", "Snow"]
FORMULAS = ["inflect(dog) & !cat", "(ship | boat) & sea & !water", None, "at_least(2, red, green, blue)"]


@pytest.fixture(scope="module", params=["bert", "bert, eager"])
def english(
    request: pytest.FixtureRequest, bert_tokenizer: Any
) -> neurologic.generation.constrained_model.ConstrainedModel:
    model = bert_for(bert_tokenizer)
    if "eager" in request.param:
        model.set_attn_implementation("eager")
    return neurologic.wrap(model, bert_tokenizer)


def test_constraints_hold_on_the_text(english: Any) -> None:
    for result in english.generate(PROMPTS, FORMULAS, max_new_tokens=16, num_beams=4):
        assert result.satisfied
        assert result.text


def test_a_batch_writes_what_each_prompt_writes_alone(english: Any) -> None:
    together = english.generate(PROMPTS, FORMULAS, max_new_tokens=12, num_beams=4)
    alone = [
        english.generate(p, f, max_new_tokens=12, num_beams=4) for p, f in zip(PROMPTS, FORMULAS, strict=True)
    ]
    assert [result.text for result in together] == [result.text for result in alone]


@pytest.mark.parametrize("decoder", ["astar", "beam", "greedy", "top-p", "gbs", "dba", "vdba", "cbs"])
def test_every_decoder_that_writes_from_left_to_right_works(english: Any, decoder: str) -> None:
    formula = None if decoder in ("beam", "greedy", "top-p") else "dog & house"
    result = english.generate("A walk", formula, decoder=decoder, max_new_tokens=12, repetition_penalty=1.3)
    assert result.text
    assert result.satisfied


def test_greedy_takes_the_likeliest_token_of_the_full_matrix(english: Any) -> None:
    source = english.tokenizer(PROMPTS[0])["input_ids"]
    text: list[int] = []
    while len(text) < 8 and english.tokenizer.sep_token_id not in text:
        text.append(
            int(full_logits(english.model, source, text, english.tokenizer.mask_token_id)[-1].argmax())
        )
    result = english.generate(PROMPTS[0], decoder="greedy", max_new_tokens=8)
    assert list(result.tokens) == text


def test_a_byte_level_tokenizer_with_a_mask_token_works() -> None:
    """RoBERTa's kind: <s> source </s>, where </s> is the end too."""
    tokenizer = gpt2_like()
    tokenizer.add_special_tokens(
        {
            "pad_token": "<pad>",
            "cls_token": "<s>",
            "sep_token": "</s>",
            "eos_token": "</s>",
            "mask_token": "<mask>",
        }
    )
    # RoBERTa's positions start after its padding token.
    model = tiny_model(
        "RobertaForMaskedLM", tokenizer, type_vocab_size=1, pad_token_id=1, initializer_range=0.3
    )
    lm = neurologic.wrap(model, tokenizer)
    result = lm.generate("the quick fox", "inflect(dog) & !fox", max_new_tokens=12, num_beams=4)
    assert result.satisfied
    assert not any(marker in result.text for marker in ("<mask>", "</s>", "<pad>"))


@pytest.mark.parametrize("decoder", ["cgmh", "gradient"])
def test_editing_needs_a_causal_model(english: Any, decoder: str) -> None:
    with pytest.raises(ModelError, match="causal models"):
        english.generate("A walk", "dog", decoder=decoder, max_new_tokens=12)


def test_a_prompt_beyond_the_context_is_refused(english: Any) -> None:
    with pytest.raises(PromptError, match="64"):
        english.generate("word " * 60, "dog", max_new_tokens=10)


def test_a_tokenizer_without_a_mask_token_is_refused() -> None:
    tokenizer = gpt2_like()
    with pytest.raises(ModelError, match="mask token"):
        wrap(bert_for(tokenizer), tokenizer)


def test_a_tokenizer_without_a_separator_is_refused() -> None:
    tokenizer = words_tokenizer(*WORDS)
    tokenizer.sep_token = None
    with pytest.raises(ModelError, match="separator"):
        wrap(bert_for(tokenizer), tokenizer)
