"""The engine llama.cpp: the same file as by transformers, its rows, and what it refuses."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import torch

import neurologic as nl
from neurologic.errors import ModelError, PromptError
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models import backends
from neurologic.models.base import EncodedPrompt, Rewindable
from neurologic.models.gguf import require_gguf
from neurologic.models.llama_cpp import file as llama_file
from neurologic.models.llama_cpp.rows import LlamaRows, Sequences
from neurologic.testing import MODEL_LAWS
from neurologic.testing.model_laws import ModelLaw

if TYPE_CHECKING:
    from neurologic.models.llama_cpp.model import LlamaModel
    from neurologic.models.loading import LoadedModel

needs_llama_cpp = pytest.mark.skipif(
    importlib.util.find_spec("llama_cpp") is None,
    reason="llama-cpp-python (the extra llama-cpp, a build from source) is not installed",
)
QUESTION = "Write one sentence about a dog in the park."


@pytest.fixture(scope="module")
def llama() -> LlamaModel:
    from neurologic.models.llama_cpp.model import load

    return load("smollm2", threads=1, n_ctx=4096)


# -- without llama.cpp --------------------------------------------------------------------------------


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(ModelError, match=r"pip install 'neurologic-decoding\[llama-cpp\]'"):
        nl.load("model.gguf", engine="llama.cpp")


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ModelError, match=r"no engine 'llama'; choose one of transformers, llama\.cpp"):
        backends.load("smollm2", engine="llama")


def test_only_gguf_files_are_taken(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelError, match="not a GGUF file"):
        require_gguf(tmp_path / "model.gguf")
    with pytest.raises(ModelError, match="there is no file"):
        require_gguf(tmp_path / "other.gguf")
    with pytest.raises(ModelError, match=r"is a folder; name the GGUF file itself; it holds model\.gguf"):
        require_gguf(tmp_path)


@pytest.mark.parametrize("options", [{"dtype": "bfloat16"}, {"n_ctx": 0}, {"threads": -1}])
def test_options_without_meaning_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=next(iter(options))):
        backends.load("model.gguf", engine="llama.cpp", **options)


class StandInLibrary:
    """The functions of llama.cpp that move sequences, on lists of tokens; scores depend on the whole text."""

    SIZE = 11

    def __init__(self, n_seq_max: int) -> None:
        self.n_seq_max = n_seq_max
        self.texts: dict[int, list[int]] = {}
        self.scores: dict[int, Any] = {}

    def __getattr__(self, name: str) -> Any:  # llama_free and others that the tests need not see
        return lambda *_: 512

    def llama_n_seq_max(self, _: Any) -> int:
        return self.n_seq_max

    def llama_batch_init(self, room: int, *_: Any) -> Any:
        columns = {name: [0] * room for name in ("token", "pos", "n_seq_id", "logits")}
        return SimpleNamespace(n_tokens=0, seq_id=[[0] for _ in range(room)], **columns)

    def llama_memory_seq_rm(self, _: Any, sequence: int, begin: int, __: int) -> bool:
        self.texts[sequence] = self.texts.get(sequence, [])[: max(begin, 0)]
        return True

    def llama_memory_seq_cp(self, _: Any, source: int, target: int, *__: Any) -> None:
        assert not self.texts.get(target)
        self.texts[target] = list(self.texts[source])

    def llama_decode(self, _: Any, batch: Any) -> int:
        for place in range(batch.n_tokens):
            text = self.texts.setdefault(batch.seq_id[place][0], [])
            assert batch.pos[place] == len(text)
            text.append(batch.token[place])
            if batch.logits[place]:
                numbers = random.Random(str(text))
                self.scores[place] = (ctypes.c_float * self.SIZE)(
                    *(numbers.random() for _ in range(self.SIZE))
                )
        return 0

    def llama_get_logits_ith(self, _: Any, place: int) -> Any:
        return self.scores[place]


class StandInModel:
    """A model of llama.cpp on the stand-in library."""

    def __init__(self, n_seq_max: int = 64) -> None:
        library = StandInLibrary(n_seq_max)
        file: Any = SimpleNamespace(
            library=library, vocabulary_size=library.SIZE, new_context=lambda *_: object()
        )
        self.sequences = Sequences(file, threads=1, n_ctx=512, n_seq_max=n_seq_max)
        self.vocabulary = nl.vocabulary(["</s>", *"abcdefghij"], end="</s>")

    def start(self, prompts: Sequence[EncodedPrompt]) -> LlamaRows:
        ids = [prompt.ids for prompt in prompts]
        return LlamaRows(self.sequences, ids, pad_id=0, can_rewind=True)


@pytest.mark.parametrize("law", MODEL_LAWS, ids=lambda law: law.__name__)
def test_rows_obey_the_laws_on_a_stand_in(law: ModelLaw) -> None:
    model = StandInModel()
    law(model, [EncodedPrompt(ids) for ids in [(1, 2, 3), (4,), (2, 5)]])
    gc.collect()
    assert len(model.sequences._free) == 64  # nothing holds on to a sequence


def test_too_many_texts_at_once_are_refused() -> None:
    rows = StandInModel(n_seq_max=4).start([EncodedPrompt((1,)), EncodedPrompt((2,))])
    with pytest.raises(ModelError, match="larger n_seq_max"):
        rows.advance(torch.tensor([0] * 5), torch.tensor([1] * 5))


# -- the same file by transformers --------------------------------------------------------------------


@needs_llama_cpp
@pytest.mark.real_model
def test_tokens_are_those_of_transformers(llama: LlamaModel, smollm2: LoadedModel) -> None:
    assert llama.vocabulary.pieces == smollm2.vocabulary.pieces
    assert smollm2.vocabulary.end_ids <= llama.vocabulary.end_ids
    for text in (" dog", "dog", "naïve café", " 1,234", "\n\n", " Zürich", "🙂"):
        assert llama.vocabulary.segment(text) == smollm2.vocabulary.segment(text)


@needs_llama_cpp
@pytest.mark.real_model
@pytest.mark.parametrize(
    "prompt",
    [QUESTION, [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]],
    ids=["text", "messages"],
)
def test_prompts_are_those_of_transformers(llama: LlamaModel, smollm2: LoadedModel, prompt: Any) -> None:
    assert llama.encode(prompt) == smollm2.encode(prompt)
    if isinstance(prompt, str):
        assert llama.encode(prompt, raw=True) == smollm2.encode(prompt, raw=True)
        assert llama.encode("", raw=True).ids


@needs_llama_cpp
@pytest.mark.real_model
def test_scores_are_nearly_those_of_transformers(llama: LlamaModel, smollm2: LoadedModel) -> None:
    """llama.cpp rounds the activations to eight bits on the way, so nearly has to do."""
    prompts = [smollm2.encode(QUESTION), smollm2.encode("The sea at night", raw=True)]
    theirs = torch.log_softmax(smollm2.start(prompts).logits, dim=-1)
    ours = torch.log_softmax(llama.start(prompts).logits, dim=-1)
    divergence = (theirs.exp() * (theirs - ours)).sum(dim=-1)
    assert divergence.max() < 0.05
    assert ours.argmax(dim=-1).tolist() == theirs.argmax(dim=-1).tolist()


# -- rows ---------------------------------------------------------------------------------------------


class Harness:
    """Rows of llama.cpp beside the plain list of texts that they should be."""

    def __init__(self, llama: LlamaModel, lengths: Sequence[int]) -> None:
        self.llama = llama
        self.random = random.Random(5)
        self.texts = [tuple(self.random.randrange(300, 900) for _ in range(length)) for length in lengths]
        self.rows = llama.start([EncodedPrompt(text) for text in self.texts])

    def advance(self, parents: Sequence[int]) -> None:
        tokens = [self.random.randrange(300, 900) for _ in parents]
        self.rows.advance(torch.tensor(parents), torch.tensor(tokens))
        self.texts = [(*self.texts[parent], token) for parent, token in zip(parents, tokens, strict=True)]

    def check(self) -> None:
        texts = self.texts
        ids = self.rows.input_ids().tolist()
        width = len(ids[0])
        assert [tuple(row[width - len(text) :]) for row, text in zip(ids, texts, strict=True)] == list(texts)
        anew = torch.cat([self.llama.start([EncodedPrompt(text)]).logits for text in texts])
        # Rounding differs with the size of a batch; scores of other texts differ by 1 and more.
        assert (self.rows.logits - anew).abs().mean(dim=-1).max() < 0.2


@needs_llama_cpp
@pytest.mark.real_model
def test_rows_are_copied_moved_and_dropped(llama: LlamaModel) -> None:
    harness = Harness(llama, [7, 3, 5])
    for parents in ([0, 0, 0, 1, 1, 2], [2, 1, 1, 4, 3, 5, 5], [1, 1, 5, 6], [3, 2, 0], [1], [0, 0]):
        harness.advance(parents)
        harness.check()


@needs_llama_cpp
@pytest.mark.real_model
def test_rows_branch_go_back_and_join(llama: LlamaModel) -> None:
    harness = Harness(llama, [6, 4])
    harness.advance([0, 0, 1])
    assert isinstance(harness.rows, Rewindable)
    before, texts = harness.rows.logits, harness.texts
    branch = harness.rows.branch(torch.tensor([2, 0]))
    harness.advance([0, 1, 2])
    harness.advance([0, 1, 2])
    branch.advance(torch.tensor([0, 1, 1]), torch.tensor([400, 401, 402]))
    harness.rows.rewind(2, before)
    harness.texts = texts
    harness.check()
    harness.advance([2, 0])
    harness.rows.join(branch)
    harness.texts += [(*texts[2], 400), (*texts[0], 401), (*texts[0], 402)]
    harness.check()
    harness.advance([4, 0, 2])
    harness.check()


@needs_llama_cpp
@pytest.mark.real_model
def test_sequences_are_given_back(llama: LlamaModel) -> None:
    free = len(llama.model._sequences._free)
    lm = ConstrainedModel(llama)
    for decoder in ("neurologic", "astar"):
        lm.generate(QUESTION, "dog", decoder=decoder, num_beams=3, max_new_tokens=8)
    assert len(llama.model._sequences._free) == free


# -- texts --------------------------------------------------------------------------------------------


@needs_llama_cpp
@pytest.mark.real_model
def test_constraints_hold(llama: LlamaModel) -> None:
    lm = ConstrainedModel(llama)
    formula = "inflect(dog) & (frisbee | ball) & !park"
    for decoder in ("neurologic", "astar"):
        result = lm.generate(QUESTION, formula, decoder=decoder, num_beams=3, max_new_tokens=16)
        assert result.satisfied, (decoder, result.text)
        assert "<|" not in result.text


@needs_llama_cpp
@pytest.mark.real_model
def test_prompts_of_a_batch_keep_to_their_own_formulas(llama: LlamaModel) -> None:
    """Not the texts of single prompts to the letter: llama.cpp rounds differently with more rows."""
    prompts = [QUESTION, "Write one sentence about the sea at night."]
    results = ConstrainedModel(llama).generate(
        prompts, ["dog & frisbee", "star & !moon"], num_beams=4, max_new_tokens=20
    )
    assert [result.satisfied for result in results] == [True, True]
    assert "dog" in results[0].text
    assert "dog" not in results[1].text


@needs_llama_cpp
@pytest.mark.real_model
def test_a_cache_that_is_too_small_is_reported(llama: LlamaModel) -> None:
    from neurologic.models.llama_cpp.model import load

    small = ConstrainedModel(load("smollm2", threads=1, n_ctx=256, n_seq_max=4))
    with pytest.raises(ModelError, match=r"5 texts at once are more than the 4 sequences"):
        small.generate(QUESTION, "dog", num_beams=5, max_new_tokens=8)
    with pytest.raises(PromptError, match=r"the model's context holds 256"):
        small.generate(QUESTION, "dog", max_new_tokens=300)
    with pytest.raises(ModelError, match=r"cache of 256 tokens is full.*larger n_ctx"):
        small.generate(["word " * 100] * 3, None, decoder="greedy", raw=True, max_new_tokens=10)
    with pytest.raises(ModelError, match="at most 256 texts at once"):
        load("smollm2", n_seq_max=1000)


@needs_llama_cpp
def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelError, match=r"llama\.cpp cannot load .*broken\.gguf: \S+"):
        llama_file.LlamaFile(tmp_path / "broken.gguf")
