"""Every model family × what a user expects of it, on tiny models with random weights.

With `--families-table FILE` the outcomes become the page docs/experiments/families.md (see `families_table`).
The laws behind the columns are in test_model_laws.py, where a failure is easier to read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

import neurologic as nl
from neurologic.errors import ModelError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models.base import EncodedPrompt
from neurologic.models.masked.model import MaskedModel, UncachedMaskedRows
from tiny import masked as tiny_masked
from tiny.families import ALL_CAUSAL, ENCODER_DECODER, UNSUPPORTED, make, make_vivid
from tiny.tokenizers import bert_like, gpt1_like, gpt2_like, t5_like, word_level

MASKED = {**tiny_masked.CACHED, **tiny_masked.UNCACHED}

# Of the page: its sections, and the columns by the names of the tests.
SECTIONS = {
    "Causal": list(ALL_CAUSAL),
    "Encoder–decoder": list(ENCODER_DECODER),
    # How attention is computed is not saved with a model.
    "Masked": [name for name in MASKED if not name.endswith("eager")],
}
COLUMNS = {
    "test_loads": "loads",
    "test_cached_equals_uncached": "cached = uncached",
    "test_batch_equals_single": "batch = single",
    "test_constraints_hold": "constraints hold",
    "test_search_equals_reference": "search = reference",
    "test_custom_generate": "custom_generate",
}
FAMILIES = [f"{section}: {name}" for section, names in SECTIONS.items() for name in names]

_TIME_STEPS = (
    "tested with time_step_min=1e-12: transformers keeps time steps above it when it reads a text at once, "
    "not when it reads on token by token, so that with 0.001 its own scores differ in the third digit"
)
# What the tiny models leave out.
LIMITS = {
    "zamba2, hybrid": _TIME_STEPS,
    "nemotron-h, hybrid": _TIME_STEPS,
    "switch-transformers": (
        "as in transformers, an expert that is given more than expert_capacity tokens of one text at once "
        "drops the rest, so that a longer text run anew may score otherwise"
    ),
    "deepseek-v3.2, indexed": (
        "texts beyond index_topk tokens look at the best columns only, where equal columns are in any order"
    ),
}

PROMPTS = ("the dog runs over the lazy fox", "a dog", "the quick brown fox")
FORMULA = "dog & (cat | fox) & !the"
WORDS = ("the", "dog", "runs", "a", "cat", "fox", "over", "lazy", "quick", "brown")
BEAMS, BUDGET = 4, 12


# --- Models --------------------------------------------------------------------------------------------


@cache
def tokenizer_of(section: str, name: str) -> Any:
    """A tokenizer with an end token; of the kind that the family has where that is cheap."""
    if section == "Masked":
        return tiny_masked.words_tokenizer(*WORDS)
    if "bert" in name:
        tokenizer = bert_like()
        tokenizer.eos_token, tokenizer.bos_token = "[SEP]", "[CLS]"
        return tokenizer
    if name.startswith("openai-gpt"):
        tokenizer = gpt1_like()
        tokenizer.add_special_tokens({"eos_token": "</s>"})
        return tokenizer
    # Tokenizers have tests of their own. Those with single bytes take long, so one family has to do: Qwen2,
    # of which transformers makes such a one in any case.
    return gpt2_like() if name == "qwen2" else t5_like()


def model_of(section: str, name: str, tokenizer: Any) -> Any:
    """A tiny model with clear preferences, for this tokenizer's tokens."""
    if section == "Masked":
        return make(MASKED[name])
    build = {**ALL_CAUSAL, **ENCODER_DECODER}[name]
    eos = tokenizer.eos_token_id
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else eos
    bos = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else eos
    model = make_vivid(build, size=len(tokenizer), pad=pad, bos=bos, eos=eos)
    # Of BART's kind; a forced end has no probability that could be compared.
    model.generation_config.forced_eos_token_id = None
    if name in ("mbart", "m2m100", "nllb-moe"):  # the target language
        model.generation_config.forced_bos_token_id = tokenizer.convert_tokens_to_ids("<extra_id_0>")
    return model


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Saves a family's model and tokenizer, as a user's checkpoint would be."""

    @cache
    def save(family: str) -> Path:
        section, name = family.split(": ", maxsplit=1)
        folder = tmp_path_factory.mktemp("family")
        tokenizer = tokenizer_of(section, name)
        model_of(section, name, tokenizer).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return save


@pytest.fixture(scope="module")
def loaded(folders: Callable[[str], Path]) -> Callable[[str], ConstrainedModel]:
    @cache
    def load(family: str) -> ConstrainedModel:
        return nl.load(str(folders(family)))

    return load


@pytest.fixture(params=FAMILIES)
def lm(request: pytest.FixtureRequest, loaded: Callable[[str], ConstrainedModel]) -> ConstrainedModel:
    return loaded(request.param)


@pytest.fixture(params=FAMILIES)
def small(request: pytest.FixtureRequest) -> ConstrainedModel:
    """A model of the family that knows six words, so that all short texts can be written out."""
    section, name = request.param.split(": ", maxsplit=1)
    if section == "Masked":
        tokenizer = tiny_masked.words_tokenizer(*WORDS[:6])
    else:
        tokenizer = word_level()
        tokenizer.add_special_tokens({"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"})
    model = model_of(section, name, tokenizer)
    if section == "Encoder–decoder":
        model.generation_config.forced_bos_token_id = None
    return nl.wrap(model, tokenizer)


# --- The oracle ----------------------------------------------------------------------------------------


@torch.no_grad()
def uncached_scores(lm: ConstrainedModel, prompt: EncodedPrompt, texts: Sequence[Sequence[int]]) -> Any:
    """Log-probabilities after each text, all of one length, run anew: [texts, length + 1, vocabulary]."""
    adapter = lm._loaded.adapter
    if isinstance(adapter, MaskedModel):
        return _masked_scores(adapter, prompt, texts)
    if lm._loaded.is_encoder_decoder:
        given = (adapter.start_id, *prompt.opening)
        logits = lm.model(
            input_ids=torch.tensor([prompt.ids] * len(texts)),
            decoder_input_ids=torch.tensor([[*given, *text] for text in texts]),
            use_cache=False,
        ).logits
    else:
        given = prompt.ids
        logits = lm.model(input_ids=torch.tensor([[*given, *text] for text in texts])).logits
    return torch.log_softmax(logits[:, len(given) - 1 :].float(), dim=-1)


def _masked_scores(adapter: MaskedModel, prompt: EncodedPrompt, texts: Sequence[Sequence[int]]) -> Any:
    decoding = UncachedMaskedRows(adapter, [prompt.ids] * len(texts))
    scores = [decoding.logits]
    for tokens in zip(*texts, strict=True):
        decoding.advance(torch.arange(len(texts)), torch.tensor(tokens))
        scores.append(decoding.logits)
    return torch.log_softmax(torch.stack(scores, dim=1), dim=-1)


def ranked_texts(
    lm: ConstrainedModel, prompt: EncodedPrompt, words: Sequence[int], limit: int
) -> list[tuple[float, bool, tuple[int, ...]]]:
    """Every text of up to `limit` tokens, the end included, with its score and whether it ended."""
    (end,) = lm._loaded.end_ids
    texts = []
    for length in range(limit + 1):
        strings = list(product(words, repeat=length))
        scores = uncached_scores(lm, prompt, strings)
        for string, row in zip(strings, scores, strict=True):
            logprob = sum(float(row[place, token]) for place, token in enumerate(string))
            if length < limit:
                texts.append(((logprob + float(row[length, end])) / (length + 1), True, string))
            else:
                texts.append((logprob / length, False, string))
    return texts


# --- The columns ---------------------------------------------------------------------------------------


def test_loads(
    lm: ConstrainedModel, record_property: Callable[[str, object], None], request: pytest.FixtureRequest
) -> None:
    record_property("class", type(lm.model).__name__)
    limit = LIMITS.get(request.node.callspec.params["lm"].split(": ", maxsplit=1)[1])
    for note in [*notes_on(lm), *([limit] if limit else [])]:
        record_property("note", note)
    result = lm.generate(PROMPTS[1], num_beams=2, max_new_tokens=4, min_new_tokens=2)
    assert 2 <= len(result.tokens) <= 4  # of random weights, so the text may be a few spaces


def notes_on(lm: ConstrainedModel) -> list[str]:
    """What is slower than it could be, and why."""
    adapter = lm._loaded.adapter
    if isinstance(adapter, MaskedModel):
        return [] if adapter.convention.cached else ["every step reads the whole text anew"]
    convention = getattr(adapter, "convention", None)
    notes = []
    if convention is not None and convention.cache_argument is None:
        notes.append("every step reads the whole text anew: there is no cache whose rows can be moved")
    if not (adapter.can_pad if convention is None else convention.can_pad):
        notes.append("prompts of different lengths are run apart: padding would change the scores")
    return notes


def test_cached_equals_uncached(lm: ConstrainedModel) -> None:
    result = lm.generate(PROMPTS[0], num_beams=3, max_new_tokens=6)
    scores = uncached_scores(lm, lm._loaded.encode(PROMPTS[0]), [result.tokens])[0]
    expected = sum(float(scores[place, token]) for place, token in enumerate(result.tokens))
    assert result.logprob == pytest.approx(expected, abs=1e-3)


def test_batch_equals_single(lm: ConstrainedModel) -> None:
    settings = {"num_beams": BEAMS, "max_new_tokens": 6}
    together = lm.generate(PROMPTS, ["dog", None, "!dog"], **settings)
    apart = [
        lm.generate(prompt, formula, **settings)
        for prompt, formula in zip(PROMPTS, ["dog", None, "!dog"], strict=True)
    ]
    assert [result.text for result in together] == [result.text for result in apart]
    assert len({result.text for result in together}) > 1


@cache
def constrained(lm: ConstrainedModel) -> list[nl.Result]:
    return lm.generate(PROMPTS[:2], FORMULA, num_beams=BEAMS, max_new_tokens=BUDGET)


def test_constraints_hold(lm: ConstrainedModel) -> None:
    for result in constrained(lm):
        found = {
            word
            for word in ("dog", "cat", "fox", "the")
            if nl.occurs(word, result.text, before=result.before)
        }
        assert "dog" in found
        assert found & {"cat", "fox"}
        assert "the" not in found
        assert result.satisfied


def test_search_equals_reference(small: ConstrainedModel) -> None:
    limit = 3
    prompt = small._loaded.encode(PROMPTS[1])
    words = [small.tokenizer.convert_tokens_to_ids(word) for word in ("the", "dog", "runs", "a", "cat")]
    words.append(
        small.tokenizer.convert_tokens_to_ids("fox" if "fox" in small.tokenizer.get_vocab() else ".")
    )
    texts = ranked_texts(small, prompt, words, limit)
    wide = {
        "num_beams": 300,
        "max_new_tokens": limit,
        "early_stopping": "never",
        "alpha": 10_000,
        "beta": 100,
        "lambda_": 0.0,
        "whole_sentences": False,
        "max_run": 0,
    }
    formula = "(dog | runs) & (!a | cat) & !the"
    satisfied = [one for one in texts if is_satisfied(formula, small.tokenizer.decode(one[2]))]
    expected = max(satisfied, key=lambda one: (one[1], one[0]))  # texts that end come first
    result = small.generate(PROMPTS[1], formula, **wide)
    assert tuple(token for token in result.tokens if token in words) == expected[2]
    assert result.score == pytest.approx(expected[0], abs=1e-4)
    likeliest = max(texts)
    result = small.generate(
        PROMPTS[1], decoder="beam", num_beams=300, max_new_tokens=limit, bad_words_ids=not_words(small, words)
    )
    assert tuple(token for token in result.tokens if token in words) == likeliest[2]


def is_satisfied(formula: str, text: str) -> bool:
    return all(report.satisfied for report in nl.check(nl.to_clauses(nl.parse(formula)), text))


def not_words(lm: ConstrainedModel, words: Sequence[int]) -> list[list[int]]:
    """Special tokens, which plain beam search would write too."""
    others = set(range(len(lm._loaded.vocabulary))) - set(words) - lm._loaded.end_ids
    return [[token] for token in sorted(others)]


def test_custom_generate(lm: ConstrainedModel) -> None:
    if not hasattr(lm.model, "generate"):
        pytest.skip("the model has no `generate`")
    prompts = [lm._loaded.encode(prompt).ids for prompt in PROMPTS[:2]]
    width = max(map(len, prompts))
    pad = lm._loaded.adapter.pad_id
    pads = [[pad] * (width - len(ids)) for ids in prompts]
    in_front = not lm._loaded.is_encoder_decoder
    ids = [[*more, *ids] if in_front else [*ids, *more] for ids, more in zip(prompts, pads, strict=True)]
    mask = [
        [0] * len(more) + [1] * len(ids) if in_front else [1] * len(ids) + [0] * len(more)
        for ids, more in zip(prompts, pads, strict=True)
    ]
    rows = lm.model.generate(
        input_ids=torch.tensor(ids),
        attention_mask=torch.tensor(mask),
        custom_generate=nl.decoder(lm.tokenizer, FORMULA),
        num_beams=BEAMS,
        max_new_tokens=BUDGET,
    )
    given = width if in_front else 1 + (lm.model.generation_config.forced_bos_token_id is not None)
    texts = [lm._loaded.decode(row[given:].tolist(), lm._loaded.encode(PROMPTS[0])).strip() for row in rows]
    assert texts == [result.text.strip() for result in constrained(lm)]


# --- What is refused -----------------------------------------------------------------------------------


REFUSED = {
    **{name: case for name, case in UNSUPPORTED.items() if name != "not a model"},
    **{f"masked {name}": case for name, case in tiny_masked.REFUSED.items()},
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, record_property: Callable[[str, object], None]) -> None:
    build, reason = REFUSED[name]
    model = build()
    with pytest.raises(ModelError, match=reason) as refusal:
        nl.wrap(model, tiny_masked.words_tokenizer(*WORDS))
    record_property("class", type(model).__name__)
    record_property("message", str(refusal.value))
