"""Models by name, and the adapter that ties a Hugging Face model to its tokenizer.

`load` finds a model (the default one, a folder, a hub id), `wrap` takes one that is loaded already.
Both give a `LoadedModel`, which is immutable and may be used from several threads at once.
"""

from __future__ import annotations

import os
import re
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessorList,
)

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models import internals
from neurologic.models.base import Decoding, EncodedPrompt
from neurologic.models.causal import CausalModel
from neurologic.models.default_model import NAME as DEFAULT_NAME
from neurologic.models.default_model import default_model_folder
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.models.prompts import Prompt, check_length, encode_prompt
from neurologic.models.tokenizers import decode_text, vocabulary_of

_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_HUB_TIMEOUT = 5.0


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model with its tokenizer, ready for the search; `neurologic.models.base.LanguageModel`."""

    model: Any
    tokenizer: Any
    adapter: CausalModel | EncoderDecoderModel

    @property
    def vocabulary(self) -> Vocabulary:
        return self.adapter.vocabulary

    @property
    def end_ids(self) -> frozenset[int]:
        return self.adapter.vocabulary.end_ids

    @property
    def generation_config(self) -> GenerationConfig:
        return self.model.generation_config

    @property
    def is_encoder_decoder(self) -> bool:
        return isinstance(self.adapter, EncoderDecoderModel)

    def start(self, prompts: Sequence[EncodedPrompt]) -> Decoding:
        """Run every prompt once; see `LanguageModel.start`."""
        return self.adapter.start(prompts)

    def encode(
        self, prompt: Prompt, raw: bool = False, *, forced_bos_token_id: int | None = None
    ) -> EncodedPrompt:
        """A string or a list of messages as the model takes it.

        `forced_bos_token_id` replaces the generation config's, for models of several target languages.
        """
        encoded = encode_prompt(self.tokenizer, prompt, raw=raw, is_encoder_decoder=self.is_encoder_decoder)
        opening = (
            self.generation_config.forced_bos_token_id if forced_bos_token_id is None else forced_bos_token_id
        )
        if not self.is_encoder_decoder or opening is None:
            return encoded
        return replace(encoded, opening=(opening,))

    def decode(self, tokens: Sequence[int], prompt: EncodedPrompt | None = None) -> str:
        """The text of generated tokens up to the end token, by the tokenizer's own decoding."""
        end = next((place for place, token in enumerate(tokens) if token in self.end_ids), len(tokens))
        return decode_text(
            self.tokenizer,
            tokens[:end],
            prompt_ids=prompt.ids if prompt is not None else (),
            starts_text=self.is_encoder_decoder,
        )

    def check_length(self, prompt: EncodedPrompt, max_new_tokens: int) -> None:
        """Raise `PromptError` if prompt and text exceed the model's context."""
        check_length(self.model.config, prompt, max_new_tokens)

    def processors(
        self, prompt_length: int, max_new_tokens: int, settings: Mapping[str, Any] | None = None
    ) -> tuple[LogitsProcessorList, bool]:
        """The processors of the model's generation config and `settings`; whether they force an end.

        Left out is what the search does itself: n-gram blocking, a minimal number of new tokens, and the
        opening token of encoder–decoder models, which is part of the encoded prompt.
        """
        own = {"do_sample": False, "max_new_tokens": max_new_tokens, "max_length": None}
        off = {"no_repeat_ngram_size": 0, "min_new_tokens": 0}
        config = internals.full_generation_config(self.model, **{**own, **(settings or {}), **off})
        if config.guidance_scale not in (None, 1, 1.0):
            raise ModelError("guidance_scale is not supported: it runs the model a second time, without rows")
        length = prompt_length
        if self.is_encoder_decoder:
            length = 1 if config.forced_bos_token_id is None else 2
            config.forced_bos_token_id = None
        return (
            internals.build_processors(self.model, config, length),
            config.forced_eos_token_id is not None,
        )


def load(
    name: str | os.PathLike[str] = DEFAULT_NAME,
    *,
    device: str | torch.device | None = None,
    dtype: torch.dtype | str | None = None,
    threads: int | None = None,
    **from_pretrained: Any,
) -> LoadedModel:
    """Load a model by name: "smollm2" (the default), a folder, or a hub id.

    device   where to run; a GPU if there is one, else the CPU
    dtype    weights' type; on the CPU float32, elsewhere what the checkpoint has
    threads  how many threads torch may use (for the whole process)
    """
    if threads is not None:
        torch.set_num_threads(threads)
    try:
        device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    except RuntimeError as error:
        raise ModelError(f"there is no device {device!r}: {str(error).splitlines()[0]}") from None
    if dtype is None:
        dtype = torch.float32 if device.type == "cpu" and "device_map" not in from_pretrained else "auto"
    source, is_local = locate(os.fspath(name))
    if is_local:
        from_pretrained = {**from_pretrained, "local_files_only": True}
        # Files that are here load in a second: no bars. Downloads keep theirs.
        with internals.quiet():
            model, tokenizer = _load_files(source, str(name), dtype, from_pretrained)
    else:
        model, tokenizer = _load_files(source, str(name), dtype, from_pretrained)
    if "device_map" not in from_pretrained:
        try:
            model = model.to(device)
        except (RuntimeError, AssertionError) as error:
            raise ModelError(f"cannot put {name} on {device}: {error}") from error
    return wrap(model, tokenizer)


def wrap(model: Any, tokenizer: Any) -> LoadedModel:
    """Tie a loaded Hugging Face model to its tokenizer. The model is put into evaluation mode."""
    internals.require_supported(model)
    model.eval()
    pad_id = next(
        (token for token in (tokenizer.pad_token_id, tokenizer.eos_token_id) if token is not None), 0
    )
    is_encoder_decoder = bool(model.config.is_encoder_decoder)
    vocabulary = vocabulary_of(
        tokenizer,
        internals.logits_size(model),
        end_ids=end_ids_of(model, tokenizer),
        starts_text=is_encoder_decoder,
    )
    kind = EncoderDecoderModel if is_encoder_decoder else CausalModel
    return LoadedModel(model, tokenizer, kind(model, vocabulary, pad_id=pad_id))


def end_ids_of(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a text: the generation config's, and the tokenizer's own."""
    declared = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    candidates = [*(declared if isinstance(declared, (list, tuple)) else [declared]), tokenizer.eos_token_id]
    ends = frozenset(int(token) for token in candidates if token is not None)
    if not ends:
        raise ModelError(
            f"neither {type(model).__name__} nor {type(tokenizer).__name__} names an end-of-text token; "
            "set model.generation_config.eos_token_id"
        )
    return ends


def locate(name: str) -> tuple[str, bool]:
    """Where to load a model from, and whether all of it is on this machine."""
    if name == DEFAULT_NAME:
        return str(default_model_folder()), True
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelError(f"the folder {folder} has no config.json, so it is not a Hugging Face model")
        return str(folder), True
    if not _HUB_ID.fullmatch(name) or folder.exists() or name.startswith("."):
        raise ModelError(f"there is no folder {name}, and it is not a hub id such as owner/model")
    unreachable = _hub_problem(name)
    if unreachable is None:
        return name, False
    if _is_cached(name):
        return name, True
    raise ModelError(
        f"{name!r} is neither a folder nor in the local cache, and {unreachable}; "
        f"use a folder, or the built-in {DEFAULT_NAME!r}"
    )


def _is_cached(name: str) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(name, "config.json"), str)


def _hub_problem(name: str) -> str | None:
    """Why the hub cannot be asked; None if it can.

    One short question, before transformers asks for a dozen files with retries for each.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    request = urllib.request.Request(f"{constants.ENDPOINT}/{name}/resolve/main/config.json", method="HEAD")
    try:
        urllib.request.urlopen(request, timeout=_HUB_TIMEOUT).close()
    except urllib.error.HTTPError:
        return None  # what it refuses is told better by the real request, which may carry a token
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        return f"the model hub {constants.ENDPOINT} cannot be reached ({reason})"
    return None


def _load_files(
    source: str, name: str, dtype: torch.dtype | str, from_pretrained: dict[str, Any]
) -> tuple[Any, Any]:
    remote = {
        key: from_pretrained[key]
        for key in ("revision", "token", "trust_remote_code", "cache_dir", "subfolder", "local_files_only")
        if key in from_pretrained
    }
    try:
        config = AutoConfig.from_pretrained(source, **remote)
        auto = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
        model = auto.from_pretrained(source, dtype=dtype, **from_pretrained)
        tokenizer = AutoTokenizer.from_pretrained(source, **remote)
    except (OSError, ValueError, ImportError, KeyError) as error:
        first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(f"cannot load the model {name}: {first_line}") from error
    return model, tokenizer
