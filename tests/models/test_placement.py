"""Where a model runs: types of weights, device maps, threads, and CPUs that promise too much."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import neurologic
from models.test_loading import tiny_gpt2, tiny_t5
from neurologic.cli.arguments import add_model_options, load_model
from neurologic.errors import ModelError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models import placement
from neurologic.models.internals.calling_convention import input_device
from neurologic.models.loading import LoadedModel, load
from tiny.tokenizers import gpt2_like, t5_like

FORMULA = "dog & (runs | she) & !sea"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("gpt2")
    tokenizer = gpt2_like()
    tiny_gpt2(tokenizer).save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def require_text(loaded: LoadedModel) -> None:
    result = ConstrainedModel(loaded).generate("the dog", FORMULA, num_beams=3, max_new_tokens=12)
    assert result.satisfied
    assert result.text.encode().decode() == result.text


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", torch.bfloat16])
def test_constraints_hold_in_every_precision(folder: Path, dtype: str | torch.dtype) -> None:
    loaded = load(folder, device="cpu", dtype=dtype)
    assert str(loaded.model.dtype).endswith(str(dtype).removeprefix("torch."))
    assert loaded.start([loaded.encode("the dog")]).logits.dtype == torch.float32
    require_text(loaded)


@pytest.fixture
def torchao(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that cannot multiply whole numbers exactly."""
    monkeypatch.setattr(placement, "multiplies_exactly", lambda: False)


@pytest.mark.skipif(
    importlib.util.find_spec("torchao") is None, reason="torchao (the extra int8) is not installed"
)
@pytest.mark.usefixtures("torchao")
def test_constraints_hold_with_weights_in_eight_bits(folder: Path) -> None:
    exact, loaded = load(folder, device="cpu"), load(folder, device="cpu", dtype="int8")
    assert loaded.model.is_quantized
    prompt = exact.encode("the dog")
    difference = exact.start([prompt]).logits - loaded.start([prompt]).logits
    assert 0 < difference.abs().max() < 0.05
    require_text(loaded)


@pytest.mark.usefixtures("torchao")
def test_int8_names_its_extra_where_it_is_missing(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(placement.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        ModelError, match=r"needs the package torchao: pip install 'neurologic-decoding\[int8\]'"
    ):
        load(folder, dtype="int8")


@pytest.mark.parametrize(
    "device_map",
    [
        {"": "cpu"},
        "cpu",
        {"transformer": "cpu", "lm_head": "cpu"},
        {"transformer.wte": "disk", "lm_head": "disk", "transformer.wpe": "cpu", "transformer.drop": "cpu"}
        | {"transformer.h.0": "disk", "transformer.ln_f": "cpu"},
    ],
    ids=["one device", "a word", "parts", "partly on the disk"],
)
def test_a_spread_model_writes_what_it_writes_in_one_place(
    folder: Path, tmp_path: Path, device_map: str | dict[str, str]
) -> None:
    whole, spread = load(folder, device="cpu"), load(folder, device_map=device_map, offload_folder=tmp_path)
    assert input_device(spread.model) == torch.device("cpu")
    texts = [
        ConstrainedModel(loaded).generate("the dog", FORMULA, num_beams=3, max_new_tokens=12).text
        for loaded in (whole, spread)
    ]
    assert texts[0] == texts[1]


def test_an_encoder_decoder_model_is_spread_too(tmp_path: Path) -> None:
    tokenizer = t5_like()
    tiny_t5(tokenizer).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    parts = dict.fromkeys(("shared", "encoder", "decoder.embed_tokens", "lm_head"), "cpu")
    parts |= {"decoder.block": "disk", "decoder.final_layer_norm": "cpu", "decoder.dropout": "cpu"}
    whole, spread = load(tmp_path, device="cpu"), load(tmp_path, device_map=parts, offload_folder=tmp_path)
    logits = [loaded.start([loaded.encode("the dog")]).logits for loaded in (whole, spread)]
    torch.testing.assert_close(logits[0], logits[1])


def test_one_device_or_a_map_of_several(folder: Path) -> None:
    with pytest.raises(ModelError, match="not both"):
        load(folder, device="cpu", device_map="auto")
    with pytest.raises(ModelError, match="there is no device 'nowhere'"):
        load(folder, device="nowhere")
    with pytest.raises(ModelError, match=r"cannot load the model .*device_map"):
        load(folder, device_map="nowhere")


def test_an_unknown_type_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="no dtype 'int4' for weights; choose one of auto, float32"):
        load(folder, dtype="int4")


@pytest.mark.usefixtures("threads")
def test_threads_are_torchs(folder: Path) -> None:
    load(folder, threads=1)
    assert torch.get_num_threads() == 1
    with pytest.raises(ModelError, match="threads must be a whole number of at least 1, not 0"):
        load(folder, threads=0)


def test_the_command_line_passes_on_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded_with: dict[str, Any] = {}
    monkeypatch.setattr(neurologic, "load", lambda name, **options: loaded_with.update(name=name, **options))
    parser = argparse.ArgumentParser()
    add_model_options(parser)
    load_model(parser.parse_args(["--model", "m.gguf", "--engine", "llama.cpp", "--threads", "2"]))
    assert loaded_with == {"name": "m.gguf", "engine": "llama.cpp", "threads": 2}
    loaded_with.clear()
    load_model(parser.parse_args(["--dtype", "int8", "--device-map", '{"": "cpu"}']))
    assert loaded_with == {"name": "smollm2", "dtype": "int8", "device_map": {"": "cpu"}}
    loaded_with.clear()
    load_model(parser.parse_args(["--device-map", "auto"]))
    assert loaded_with == {"name": "smollm2", "device_map": "auto"}


def test_a_device_map_that_is_no_json_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_model_options(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["--device-map", "{cpu}"])
    assert "--device-map: is not a JSON object" in capsys.readouterr().err
