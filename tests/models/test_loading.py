"""Finding models by name, and the adapter that ties them to their tokenizers."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf

from neurologic.errors import ModelError
from neurologic.models import loading
from neurologic.models.loading import LoadedModel, load, wrap
from tiny.models import save, tiny_model
from tiny.tokenizers import gpt2_like, t5_like


def tiny_gpt2(tokenizer: Any) -> Any:
    """A GPT-2 with five more logits than its tokenizer has tokens."""
    end = tokenizer.eos_token_id
    sizes = {"vocab_size": len(tokenizer) + 5, "n_layer": 1, "n_positions": 32}
    return tiny_model("GPT2LMHeadModel", tokenizer, **sizes, bos_token_id=end, eos_token_id=end)


def tiny_t5(tokenizer: Any) -> Any:
    return tiny_model("T5ForConditionalGeneration", tokenizer, decoder_start_token_id=0, eos_token_id=1)


@pytest.fixture(scope="module")
def gpt2() -> LoadedModel:
    tokenizer = gpt2_like()
    return wrap(tiny_gpt2(tokenizer), tokenizer)


@pytest.fixture(scope="module")
def t5() -> LoadedModel:
    tokenizer = t5_like()
    return wrap(tiny_t5(tokenizer), tokenizer)


def test_a_folder_loads(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tokenizer = gpt2_like()
    tiny_gpt2(tokenizer).half().save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    capfd.readouterr()
    loaded = load(tmp_path)
    assert loaded.model.dtype == torch.float32  # half precision is slow and coarse on a CPU
    assert not loaded.is_encoder_decoder
    assert not loaded.model.training
    assert capfd.readouterr() == ("", "")
    assert load(str(tmp_path), dtype=torch.bfloat16).model.dtype == torch.bfloat16


def test_an_encoder_decoder_folder_loads(tmp_path: Path) -> None:
    tokenizer = t5_like()
    tiny_t5(tokenizer).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    loaded = load(tmp_path)
    assert loaded.is_encoder_decoder
    assert loaded.vocabulary.first_pieces is not None


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no config\.json"):
        load(tmp_path)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    hf.GPT2Config().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="cannot load the model"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "a/b/c", "what is this"])
def test_a_missing_folder_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="there is no folder"):
        load(name)


def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, gpt2: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(gpt2.model, gpt2.tokenizer, tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise ImportError("MarianTokenizer requires the SentencePiece library but it was not found.")

    monkeypatch.setattr(loading.AutoTokenizer, "from_pretrained", fail)
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"sentencepiece: pip install 'neurologic-decoding\[translation\]'"):
        load(tmp_path)


def test_an_unreachable_hub_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    start = time.perf_counter()
    with pytest.raises(ModelError, match="cannot be reached"):
        load("nobody/no-such-model")
    assert time.perf_counter() - start < 5


def test_offline_mode_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="HF_HUB_OFFLINE"):
        load("nobody/no-such-model")


def test_the_default_model_goes_by_its_short_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(loading, "default_model_folder", lambda: tmp_path)
    assert loading.locate("smollm2") == (str(tmp_path), True)


def test_end_tokens_come_from_config_and_tokenizer(gpt2: LoadedModel) -> None:
    model = tiny_gpt2(gpt2.tokenizer)
    end = gpt2.tokenizer.eos_token_id
    assert wrap(model, gpt2.tokenizer).end_ids == {end}
    model.generation_config.eos_token_id = [end, 7]
    loaded = wrap(model, gpt2.tokenizer)
    assert loaded.end_ids == {end, 7}
    assert loaded.vocabulary.pieces[7] is None
    assert loaded.decode([20, 21, 7, 22]) == loaded.decode([20, 21])


def test_a_model_without_an_end_is_refused() -> None:
    tokenizer = gpt2_like()
    model = tiny_gpt2(tokenizer)
    model.generation_config.eos_token_id = None
    tokenizer.eos_token = None
    with pytest.raises(ModelError, match="end-of-text"):
        wrap(model, tokenizer)


def test_the_vocabulary_is_as_wide_as_the_logits(gpt2: LoadedModel) -> None:
    assert len(gpt2.vocabulary) == len(gpt2.tokenizer) + 5
    decoding = gpt2.start([gpt2.encode("the dog")])
    assert decoding.logits.shape == (1, len(gpt2.vocabulary))


def test_generated_text_is_read_back(gpt2: LoadedModel, t5: LoadedModel) -> None:
    for loaded in (gpt2, t5):
        prompt = loaded.encode("the dog")
        tokens = loaded.vocabulary.segment(" the dog runs")
        assert loaded.decode(tokens, prompt).strip() == "the dog runs"


def test_processors_are_those_of_the_generation_config(gpt2: LoadedModel) -> None:
    processors, forced = gpt2.processors(4, 8, {"bad_words_ids": [[20]], "repetition_penalty": 1.3})
    names = {type(processor).__name__ for processor in processors}
    assert names == {"BannedTokens", "RepetitionPenaltyLogitsProcessor"}
    assert not forced
    scores = processors(torch.tensor([[3, 4, 5, 6]]), torch.zeros(1, len(gpt2.vocabulary)))
    assert scores[0, 20] == float("-inf")


def test_a_forced_end_comes_at_the_limit(t5: LoadedModel) -> None:
    processors, forced = t5.processors(9, 8, {"forced_eos_token_id": 1})
    assert forced
    size = len(t5.vocabulary)
    early = processors(torch.zeros(1, 7, dtype=torch.long), torch.zeros(1, size))
    last = processors(torch.zeros(1, 8, dtype=torch.long), torch.zeros(1, size))
    assert (early == 0).all()
    assert last.argmax() == 1
    assert last[0, 2] == float("-inf")


def test_what_the_search_does_itself_is_left_out(t5: LoadedModel) -> None:
    settings = {"no_repeat_ngram_size": 3, "min_new_tokens": 4, "forced_bos_token_id": 9}
    assert list(t5.processors(9, 8, settings)[0]) == []
    assert t5.encode("the dog", forced_bos_token_id=9).opening == (9,)
    assert t5.encode("the dog").opening == ()


def test_building_processors_changes_nothing(gpt2: LoadedModel) -> None:
    before = gpt2.generation_config.to_dict()
    gpt2.processors(4, 8, {"bad_words_ids": [[20]], "max_new_tokens": 8})
    assert gpt2.generation_config.to_dict() == before


@pytest.mark.parametrize("banned", [[[20]], [[20], [3], [7]], [[20], [4, 5]]])
def test_banned_words_score_as_in_hugging_face(gpt2: LoadedModel, banned: list[list[int]]) -> None:
    [processor], _ = gpt2.processors(4, 8, {"bad_words_ids": banned})
    theirs = hf.NoBadWordsLogitsProcessor(banned, eos_token_id=None)
    assert (type(processor) is type(theirs)) == any(len(ids) > 1 for ids in banned)
    ids = torch.tensor([[1, 4], [4, 2]])
    scores = torch.randn(2, 30, generator=torch.Generator().manual_seed(0))
    assert torch.equal(processor(ids, scores.clone()), theirs(ids, scores.clone()))


def test_an_unknown_setting_is_named(gpt2: LoadedModel) -> None:
    with pytest.raises(TypeError, match="num_beans"):
        gpt2.processors(4, 8, {"num_beans": 8})


def test_threads_share_one_model(gpt2: LoadedModel) -> None:
    prompts = ["the dog", "she sells sea shells", "a", "Peter Piper's peppers"]
    alone = [gpt2.start([gpt2.encode(prompt)]).logits for prompt in prompts]
    together: dict[int, torch.Tensor] = {}

    def run(index: int) -> None:
        for _ in range(5):
            together[index] = gpt2.start([gpt2.encode(prompts[index])]).logits

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(prompts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, logits in enumerate(alone):
        torch.testing.assert_close(together[index], logits)


@pytest.mark.real_model
def test_the_default_model_ends_with_im_end(smollm2: LoadedModel) -> None:
    assert smollm2.end_ids == {smollm2.tokenizer.convert_tokens_to_ids("<|im_end|>")}
    assert len(smollm2.vocabulary) == 49152


def test_a_cached_model_loads_without_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_hub_problem", lambda name: "the hub is away")
    monkeypatch.setattr(loading, "try_to_load_from_cache", lambda name, file: "a path")
    assert loading.locate("owner/model") == ("owner/model", True)
    monkeypatch.setattr(loading, "_hub_problem", lambda name: None)
    assert loading.locate("owner/model") == ("owner/model", False)
