"""Fluency: the mean log-probability of a text's tokens after a neutral prompt, whatever wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from neurologic.errors import ModelError
from neurologic.experiments.metrics import Fluency, measure
from neurologic.experiments.metrics.base import Corpus
from neurologic.experiments.metrics.fluency import REQUEST, neutral_prompt
from neurologic.models import loading
from tiny.models import save, tiny_model
from tiny.tokenizers import gpt2_like

TEXTS = ("The dog runs.", "", "runs dog the the the", "\ud800!")
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<me>"


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "cache"))
    tokenizer = gpt2_like()
    return str(save(tiny_model("GPT2LMHeadModel", tokenizer), tokenizer, tmp_path / "judge"))


def corpus(*texts: str) -> Corpus:
    return Corpus(texts, ((),) * len(texts))


def by_hand(judge: str, text: str) -> float:
    """The mean over the text's tokens in one plain pass of the model."""
    loaded = loading.load(judge)
    prompt = list(neutral_prompt(loaded).ids)
    ids = loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        scores = loaded.model(torch.tensor([prompt + ids])).logits[0].log_softmax(-1)
    before = len(prompt) - 1
    return sum(float(scores[before + place, token]) for place, token in enumerate(ids)) / len(ids)


def test_it_is_the_mean_log_probability_per_token(judge):
    score = measure(Fluency(judge), corpus(*TEXTS))
    assert score.per_input[0] == pytest.approx(by_hand(judge, TEXTS[0]), abs=1e-4)
    assert score.per_input[2] == pytest.approx(by_hand(judge, TEXTS[2]), abs=1e-4)


def test_a_text_without_tokens_does_not_count(judge):
    score = measure(Fluency(judge), corpus("The dog runs.", ""))
    assert score.value == score.per_input[0]
    assert measure(Fluency(judge), corpus("")).value == 0


def test_a_judge_reads_a_text_once(judge, monkeypatch):
    first = measure(Fluency(judge), corpus(*TEXTS))

    def load(name: str, **options: Any) -> Any:
        raise AssertionError("the judge is loaded again")

    monkeypatch.setattr(loading, "load", load)
    again = measure(Fluency(judge), corpus(*reversed(TEXTS)))
    assert again.per_input == tuple(reversed(first.per_input))


def test_other_weights_are_another_judge(judge, tmp_path):
    tokenizer = gpt2_like()
    model = tiny_model("GPT2LMHeadModel", tokenizer, seed=1)
    other = str(save(model, tokenizer, tmp_path / "other" / "judge"))
    first, second = (measure(Fluency(name), corpus(*TEXTS)) for name in (judge, other))
    assert first.signature != second.signature
    assert first.value != second.value


def test_a_chat_model_reads_the_text_as_an_answer_to_a_neutral_request(judge):
    loaded = loading.load(judge)
    assert len(neutral_prompt(loaded).ids) == 1, "a model without a template starts a text"
    loaded.tokenizer.chat_template = TEMPLATE
    assert loaded.tokenizer.decode(neutral_prompt(loaded).ids) == f"<user>{REQUEST}<me>"


def test_without_a_judge_it_is_not_available():
    assert "--judge-model" in measure(Fluency(), corpus("A dog.")).reason


def test_a_missing_judge_is_found_out_early(tmp_path):
    with pytest.raises(ModelError, match=r"missing\.gguf"):
        Fluency(str(tmp_path / "missing.gguf")).require_judge()
    Fluency().require_judge()
