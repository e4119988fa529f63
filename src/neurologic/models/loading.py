"""Models by name, and the adapter that ties a Hugging Face model to its tokenizer.

`load` finds a model (the default one, a folder, a GGUF file, a hub id), `wrap` takes one that is loaded.
Both give a `LoadedModel`, which is immutable and may be used from several threads at once.
"""

from __future__ import annotations

import os
import re
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessorList,
)

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import Decoding, EncodedPrompt
from neurologic.models.causal import CausalModel
from neurologic.models.default_model import NAME as DEFAULT_NAME
from neurologic.models.default_model import default_model_folder
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.models.gguf import gguf_options, is_gguf_name, put_begin_token, require_gguf
from neurologic.models.internals import calls, configs, support
from neurologic.models.masked.model import MaskedModel
from neurologic.models.placement import keep_alive, placement_of, set_threads
from neurologic.models.prompts import Prompt, check_length, encode_prompt
from neurologic.models.tokenizers import decode_text
from neurologic.models.vocabulary_cache import kept_vocabulary

_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_HUB_TIMEOUT = 5.0

# Arguments of `from_pretrained` that say where files are, so that config and tokenizer need them too.
_OF_ALL_FILES = (
    "revision",
    "token",
    "trust_remote_code",
    "cache_dir",
    "subfolder",
    "local_files_only",
    "gguf_file",
)


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model with its tokenizer, ready for the search; `neurologic.models.base.LanguageModel`."""

    model: Any
    tokenizer: Any
    adapter: CausalModel | EncoderDecoderModel | MaskedModel

    @property
    def vocabulary(self) -> Vocabulary:
        return self.adapter.vocabulary

    @property
    def end_ids(self) -> frozenset[int]:
        return self.adapter.vocabulary.end_ids

    @property
    def generation_config(self) -> GenerationConfig:
        return self._generating.generation_config

    @property
    def _generating(self) -> Any:
        """What knows of generation configs: the model, or a stand-in for one without `generate`."""
        return self.adapter.generating if isinstance(self.adapter, MaskedModel) else self.model

    @property
    def is_encoder_decoder(self) -> bool:
        """Whether the text stands apart from the prompt, as it does with masked models too."""
        return not isinstance(self.adapter, CausalModel)

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
        config = configs.full_generation_config(self._generating, **{**own, **(settings or {}), **off})
        if config.guidance_scale not in (None, 1, 1.0):
            raise ModelError("guidance_scale is not supported: it runs the model a second time, without rows")
        length = prompt_length
        if self.is_encoder_decoder:
            length = 1
            if config.forced_bos_token_id is not None:  # given, but it counts as a generated token
                length = 2
                config.max_new_tokens = max_new_tokens - 1
                config.forced_bos_token_id = None
        return (
            configs.build_processors(self._generating, config, length),
            config.forced_eos_token_id is not None,
        )


def load(
    name: str | os.PathLike[str] = DEFAULT_NAME,
    *,
    device: str | torch.device | None = None,
    dtype: torch.dtype | str | None = None,
    device_map: str | Mapping[str, Any] | None = None,
    threads: int | None = None,
    **from_pretrained: Any,
) -> LoadedModel:
    """Load a model by name: "smollm2" (the default), a folder, a GGUF file, or a hub id.

    device      where to run; a GPU if there is one, else the CPU
    dtype       weights' type, "int8" among them; on the CPU float32, elsewhere what the checkpoint has
    device_map  instead of a device: "auto", or parts of the model and where they go (accelerate's)
    threads     how many threads torch may use (for the whole process)
    """
    set_threads(threads)
    place = placement_of(device, dtype, device_map)
    source, is_local = locate(os.fspath(name))
    options = {**place.options, **from_pretrained}
    if is_local:
        # Files that are here load in a second: no bars. Downloads keep theirs.
        with configs.quiet():
            model, tokenizer = _load_files(source, str(name), {**options, "local_files_only": True})
    else:
        model, tokenizer = _load_files(source, str(name), options)
    if place.device is not None:
        try:
            model = model.to(place.device)
        except (RuntimeError, AssertionError) as error:
            raise ModelError(f"cannot put {name} on {place.device}: {error}") from error
    return wrap(model, tokenizer)


def wrap(model: Any, tokenizer: Any) -> LoadedModel:
    """Tie a loaded Hugging Face model to its tokenizer. The model is put into evaluation mode."""
    if support.is_masked(model):
        model.eval()  # which calls it allows is tried out, and dropout would blur that
    loaded = tie(model, tokenizer)
    model.eval()
    return loaded


def tie(model: Any, tokenizer: Any, *, end_ids: frozenset[int] | None = None) -> LoadedModel:
    """A model with its tokenizer, left as it is; `end_ids` replace what the two say themselves."""
    support.require_supported(model)
    keep_alive(model)
    if support.is_masked(model):
        return LoadedModel(model, tokenizer, MaskedModel.of(model, tokenizer))
    pad_id = next(
        (token for token in (tokenizer.pad_token_id, tokenizer.eos_token_id) if token is not None), 0
    )
    is_encoder_decoder = bool(model.config.is_encoder_decoder)
    vocabulary = _vocabulary(
        tokenizer,
        len(tokenizer),
        calls.logits_size(model),
        end_ids or end_ids_of(model, tokenizer),
        is_encoder_decoder,
    )
    kind = EncoderDecoderModel if is_encoder_decoder else CausalModel
    return LoadedModel(model, tokenizer, kind(model, vocabulary, pad_id=pad_id))


@lru_cache(maxsize=8)
def _vocabulary(
    tokenizer: Any, tokens: int, size: int, end_ids: frozenset[int], starts_text: bool
) -> Vocabulary:
    """The same vocabulary for the same tokenizer: making one takes about a second, reading a file less.

    `tokens` is how many the tokenizer has, so that one to which some were added is read again.
    """
    return kept_vocabulary(tokenizer, size, end_ids=end_ids, starts_text=starts_text)


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
    if is_gguf_name(name):
        require_gguf(folder)
        return str(folder), True
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


def _load_files(source: str, name: str, from_pretrained: dict[str, Any]) -> tuple[Any, Any]:
    gguf = Path(source) if is_gguf_name(source) else None
    if gguf is not None:
        source, from_pretrained = str(gguf.parent), gguf_options(gguf.name, name, from_pretrained)
    shared = {key: from_pretrained[key] for key in _OF_ALL_FILES if key in from_pretrained}
    try:
        config = AutoConfig.from_pretrained(source, **shared)
        model = _auto_class(config).from_pretrained(source, **from_pretrained)
        tokenizer = AutoTokenizer.from_pretrained(source, **shared)
        if gguf is not None:
            put_begin_token(tokenizer, gguf)
    except (OSError, ValueError, TypeError, ImportError, KeyError) as error:
        first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(f"cannot load the model {name}: {first_line}") from error
    return model, tokenizer


def _auto_class(config: Any) -> Any:
    if config.is_encoder_decoder:
        return AutoModelForSeq2SeqLM
    heads = getattr(config, "architectures", None) or ()
    # A BERT that was trained as a decoder says so, whatever head its checkpoint names.
    is_decoder = getattr(config, "is_decoder", False)
    if not is_decoder and any(head.endswith(("ForMaskedLM", "ForPreTraining")) for head in heads):
        return AutoModelForMaskedLM
    return AutoModelForCausalLM
