"""Training as a whole: what comes out, and that a resumed training ends as if it had never stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
import torch

import neurologic as nl
import paths
from experiments.training.tiny import PAIRS, SENTENCES, save_causal, weights_of
from neurologic.errors import ModelError
from neurologic.experiments.training import Pair, TrainingError, TrainingSettings, loss_curve
from neurologic.experiments.training.train import train

TESTS = paths.REPOSITORY / "tests"

BY_HEART = {"batch_size": 4, "learning_rate": 5e-3, "held_out": 0}


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch):
    """Draw no loss curves: that takes longer than a few steps, and test_loss_curve.py draws them."""
    monkeypatch.setattr(loss_curve, "can_draw", lambda: False)


def losses(folder: Path, *, held_out: bool = False) -> list[float]:
    points = json.loads((folder / "loss.json").read_text())["points"]
    return [point["loss"] for point in points if point["held_out"] == held_out]


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


# -- what comes out -------------------------------------------------------------------------------


def test_a_causal_model_learns_sentences_by_heart_and_writes_them(causal_folder, tmp_path):
    folder = tmp_path / "trained"
    result = train(PAIRS, TrainingSettings(model=str(causal_folder), steps=120, **BY_HEART), folder)
    assert losses(folder)[0] > 5 > 0.2 > losses(folder)[-1] == result["loss"]
    lm = nl.load(folder)
    texts = lm.generate([pair.source for pair in PAIRS], num_beams=2, max_new_tokens=24)
    assert [result.text.strip() for result in texts] == list(SENTENCES.values())


def test_an_encoder_decoder_learns_sentences_by_heart_and_writes_them(pair_folder, tmp_path):
    settings = TrainingSettings(model=str(pair_folder), steps=160, **{**BY_HEART, "batch_size": 8})
    train(PAIRS, settings, tmp_path / "trained")
    lm = nl.load(tmp_path / "trained")
    texts = lm.generate([pair.source for pair in PAIRS], num_beams=2, max_new_tokens=24)
    assert [result.text.strip() for result in texts] == list(SENTENCES.values())


def test_an_adapted_model_knows_sentences_but_no_sources(causal_folder, tmp_path):
    settings = TrainingSettings(model=str(causal_folder), adapt=True, steps=120, **BY_HEART)
    train(PAIRS, settings, tmp_path / "trained")
    lm = nl.load(tmp_path / "trained")
    for beginning, end in (("A dog", " runs across the field."), ("The man", " rows a boat.")):
        assert lm.generate(beginning, raw=True, num_beams=2, max_new_tokens=24).text == end


def test_the_folder_has_all_that_is_promised(causal_folder, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(loss_curve, "can_draw", lambda: True)
    train(PAIRS, TrainingSettings(model=str(causal_folder), steps=2), tmp_path / "a")
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json"} <= names
    assert {"training.json", "loss.json", "loss.svg", "loss.png"} <= names
    assert not {"checkpoints", "saving"} & names
    assert nl.load(tmp_path / "a").model.config.use_cache


def test_held_out_sentences_have_a_line_of_their_own(causal_folder, tmp_path):
    many = [Pair(f"{pair.source} {number}", pair.target) for pair in PAIRS for number in range(3)]
    settings = TrainingSettings(model=str(causal_folder), steps=10, held_out=2)
    result = train(many, settings, tmp_path / "a")
    held_out = losses(tmp_path / "a", held_out=True)
    assert len(held_out) == 1 + 10  # before the first step, and ten times on the way
    assert held_out[-1] == result["held_out_loss"] < held_out[0]


def test_a_supervised_model_takes_its_source_without_a_chat_template(causal_folder, tmp_path):
    lm = nl.load(causal_folder)
    lm.tokenizer.chat_template = "{{ messages[0]['content'] }}"
    base = tmp_path / "base"
    lm.model.save_pretrained(base)
    lm.tokenizer.save_pretrained(base)
    for adapt in (False, True):
        folder = tmp_path / f"adapt {adapt}"
        train(PAIRS, TrainingSettings(model=str(base), adapt=adapt, steps=1), folder)
        assert bool(nl.load(folder).tokenizer.chat_template) == adapt


def test_fewer_layers_make_a_smaller_model(causal_folder, tmp_path):
    settings = TrainingSettings(model=str(causal_folder), layers=2, steps=120, **BY_HEART)
    train(PAIRS, settings, tmp_path / "a")
    lm = nl.load(tmp_path / "a")
    assert lm.model.config.num_hidden_layers == 2
    assert not any(".h.2." in name for name in weights_of(tmp_path / "a"))
    assert lm.generate(PAIRS[0].source, max_new_tokens=24).text.strip() == PAIRS[0].target


def test_a_lora_is_merged_into_the_weights(causal_folder, tmp_path):
    pytest.importorskip("peft")
    settings = TrainingSettings(model=str(causal_folder), lora=8, steps=3, **BY_HEART)
    train(PAIRS, settings, tmp_path / "a")
    base, trained = weights_of(causal_folder), weights_of(tmp_path / "a")
    assert base.keys() == trained.keys()
    changed = {name for name in base if not torch.equal(base[name], trained[name])}
    assert changed
    assert all(".attn." in name or ".mlp." in name for name in changed)


# -- the same again -------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(causal_folder, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(PAIRS, TrainingSettings(model=str(causal_folder), steps=6, seed=seed), tmp_path / name)
    a, b, c = (weights_of(tmp_path / name) for name in ("a", "b", "c"))
    assert same(a, b)
    assert not same(a, c)


@pytest.mark.parametrize("lora", [None, 4])
def test_a_training_that_was_stopped_gives_the_weights_of_one_that_was_not(causal_folder, tmp_path, lora):
    if lora:
        pytest.importorskip("peft")
    settings = TrainingSettings(model=str(causal_folder), steps=20, batch_size=3, held_out=0, lora=lora)
    train(PAIRS, settings, tmp_path / "whole")

    asked = iter([False] * 6 + [True])
    with pytest.raises(KeyboardInterrupt, match="has a checkpoint"):
        train(PAIRS, settings, tmp_path / "parts", should_stop=lambda: next(asked))
    assert not (tmp_path / "parts" / "config.json").exists()
    done = []

    def begin(training):
        done.append(training.done)
        return nullcontext(lambda: None)

    train(PAIRS, settings, tmp_path / "parts", begin=begin)
    assert done == [7]
    assert same(weights_of(tmp_path / "whole"), weights_of(tmp_path / "parts"))
    assert losses(tmp_path / "whole") == pytest.approx(losses(tmp_path / "parts"))


KILLED = """
import os, signal, sys
from contextlib import nullcontext
from neurologic.experiments.training import TrainingSettings
from neurologic.experiments.training.train import train
from experiments.training.tiny import PAIRS

steps = iter(range(1, 100))

def advance():
    if next(steps) == 8:
        os.kill(os.getpid(), signal.SIGKILL)

settings = TrainingSettings(model=sys.argv[1], steps=30, batch_size=3, held_out=0)
train(PAIRS, settings, sys.argv[2], begin=lambda training: nullcontext(advance))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_training_goes_on_from_its_last_checkpoint(causal_folder, tmp_path):
    settings = TrainingSettings(model=str(causal_folder), steps=30, batch_size=3, held_out=0)
    train(PAIRS, settings, tmp_path / "whole")
    parts = tmp_path / "parts"
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(causal_folder), str(parts)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert sorted(path.name for path in (parts / "checkpoints").iterdir()) == ["checkpoint-3", "checkpoint-6"]
    train(PAIRS, settings, parts)
    assert same(weights_of(tmp_path / "whole"), weights_of(parts))


def test_a_training_that_is_done_is_not_done_again(causal_folder, tmp_path):
    settings = TrainingSettings(model=str(causal_folder), steps=2)
    first = train(PAIRS, settings, tmp_path / "a")
    before = (tmp_path / "a" / "model.safetensors").stat().st_mtime_ns

    def begin(training):
        raise AssertionError("the model was loaded again")

    assert train(PAIRS, settings, tmp_path / "a", begin=begin) == first
    assert (tmp_path / "a" / "model.safetensors").stat().st_mtime_ns == before


def test_other_settings_and_other_texts_are_refused_before_a_model_is_loaded(causal_folder, tmp_path):
    """The model is gone, so that loading it would be another error."""
    folder, base = tmp_path / "a", tmp_path / "base"
    shutil.copytree(causal_folder, base)
    settings = TrainingSettings(model=str(base), steps=3)
    train(PAIRS, settings, folder)
    shutil.rmtree(base)
    with pytest.raises(TrainingError, match=r"learning_rate was 0\.0002, now 0\.1"):
        train(PAIRS, TrainingSettings(model=settings.model, steps=3, learning_rate=0.1), folder)
    with pytest.raises(TrainingError, match=r"fraction was 1\.0, now 0\.5"):
        train(PAIRS, TrainingSettings(model=settings.model, steps=3, fraction=0.5), folder)
    with pytest.raises(TrainingError, match="the texts have changed"):
        train(PAIRS[1:], settings, folder)


# -- what is refused ------------------------------------------------------------------------------


def test_nothing_to_train_on(tmp_path):
    with pytest.raises(TrainingError, match="nothing to train on"):
        train([Pair("a =", "")], TrainingSettings(), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_examples_that_are_too_long_are_left_out(causal_folder, tmp_path):
    pairs = [*PAIRS, Pair("long =", "very " * 200)]
    result = train(pairs, TrainingSettings(model=str(causal_folder), steps=1), tmp_path / "a")
    assert (result["examples"], result["left_out"]) == (len(PAIRS), 1)  # the model has 64 positions
    with pytest.raises(TrainingError, match="no example of at most 3 tokens"):
        train(PAIRS, TrainingSettings(model=str(causal_folder), max_tokens=3), tmp_path / "b")


def test_more_layers_than_there_are(causal_folder, tmp_path):
    with pytest.raises(ModelError, match="has 3 layers; cannot keep 4"):
        train(PAIRS, TrainingSettings(model=str(causal_folder), layers=4), tmp_path / "a")


def test_encoder_decoders_keep_their_layers(pair_folder, tmp_path):
    with pytest.raises(ModelError, match="not encoder–decoders"):
        train(PAIRS, TrainingSettings(model=str(pair_folder), layers=1), tmp_path / "a")


def test_a_masked_model_is_refused(tmp_path, bert_tokenizer):
    import transformers as hf

    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    hf.BertForMaskedLM(hf.BertConfig(vocab_size=len(bert_tokenizer), **sizes)).save_pretrained(
        tmp_path / "bert"
    )
    bert_tokenizer.save_pretrained(tmp_path / "bert")
    with pytest.raises(ModelError, match="masked model"):
        train(PAIRS, TrainingSettings(model=str(tmp_path / "bert")), tmp_path / "a")


def test_lora_without_peft(tmp_path, monkeypatch):
    import importlib.util

    plain = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "peft" else plain(name, *rest)
    )
    with pytest.raises(TrainingError, match=r"pip install 'neurologic-decoding\[training\]'"):
        train(PAIRS, TrainingSettings(lora=8), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_tokenizer_without_padding(tmp_path):
    folder = save_causal(tmp_path / "base")
    tokenizer_config = folder / "tokenizer_config.json"
    fields = json.loads(tokenizer_config.read_text())
    fields.pop("pad_token", None)
    tokenizer_config.write_text(json.dumps(fields))
    assert nl.load(folder).tokenizer.pad_token is None
    settings = TrainingSettings(model=str(folder), steps=120, **BY_HEART)
    train(PAIRS, settings, tmp_path / "a")
    lm = nl.load(tmp_path / "a")
    assert lm.generate(PAIRS[0].source, max_new_tokens=24).text.strip() == PAIRS[0].target
