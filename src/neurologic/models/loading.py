"""Load Hugging Face models by name, and combine them with their tokenizers.

`load` finds a model (the default one, a folder, a GGUF file, a hub id), `wrap` takes one that is already
loaded. Both return a `LoadedModel`, which is immutable and works from several threads at once.
"""

from __future__ import annotations

import importlib.util
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
from huggingface_hub import constants, try_to_load_from_cache
from transformers import (
    AutoConfig,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessorList,
)

from neurologic.errors import ModelError, missing_extra
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.amx import avoid_amx_for
from neurologic.models.base import Decoding, EncodedPrompt, Prompt
from neurologic.models.causal import CausalModel
from neurologic.models.default_model import NAME as DEFAULT_NAME
from neurologic.models.default_model import default_model_folder
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.models.gguf import first_line, gguf_options, is_gguf_name, put_begin_token, require_gguf
from neurologic.models.gguf_cache import converted_folder
from neurologic.models.int8 import quantise
from neurologic.models.internals.calling_convention import logits_size
from neurologic.models.internals.generation_configs import build_processors, full_generation_config
from neurologic.models.internals.quiet import quiet
from neurologic.models.internals.supported_models import auto_class, is_masked, require_supported
from neurologic.models.masked.model import MaskedModel
from neurologic.models.placement import placement_of, set_threads
from neurologic.models.prompts import check_length, encode_prompt, up_to_end
from neurologic.models.tokenizers import decode_text
from neurologic.models.vocabulary_cache import kept_vocabulary

_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_HUB_TIMEOUT = 5.0

# Arguments of `from_pretrained` that locate files, so config and tokenizer need them too.
_LOCATION_ARGUMENTS = (
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
    """A Hugging Face model with its tokenizer; implements `neurologic.models.base.TextModel`."""

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
        """The object with generation configs: the model, or a stand-in for one without `generate`."""
        return self.adapter.generating if isinstance(self.adapter, MaskedModel) else self.model

    @property
    def is_encoder_decoder(self) -> bool:
        """Whether the text is separate from the prompt, as with masked models too."""
        return self.adapter.is_encoder_decoder

    def start(self, prompts: Sequence[EncodedPrompt]) -> Decoding:
        """Run every prompt once; see `LanguageModel.start`."""
        return self.adapter.start(prompts)

    def encode(
        self, prompt: Prompt, raw: bool = False, *, forced_bos_token_id: int | None = None
    ) -> EncodedPrompt:
        """Encode a string or a list of messages.

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
        """Return the text of generated tokens up to the end token, by the tokenizer's own decoding."""
        return decode_text(
            self.tokenizer,
            up_to_end(tokens, self.end_ids),
            prompt_ids=prompt.ids if prompt is not None else (),
            starts_text=self.is_encoder_decoder,
        )

    def check_length(self, prompt: EncodedPrompt, max_new_tokens: int) -> None:
        """Raise `PromptError` if prompt and text exceed the model's context."""
        check_length(self.model.config, prompt, max_new_tokens)

    def processors(
        self, prompt_length: int, max_new_tokens: int, settings: Mapping[str, Any] | None = None
    ) -> tuple[LogitsProcessorList, bool]:
        """Return the processors for the generation config and `settings`, and whether they force an end.

        They leave out the search's own work: n-gram blocking, a minimal number of new tokens, and the opening
        token of encoder–decoder models, which is part of the encoded prompt.
        """
        own = {"do_sample": False, "max_new_tokens": max_new_tokens, "max_length": None}
        off = {"no_repeat_ngram_size": 0, "min_new_tokens": 0}
        config = full_generation_config(self._generating, **{**own, **(settings or {}), **off})
        if config.guidance_scale not in (None, 1, 1.0):
            raise ModelError("neurologic does not support guidance_scale, which runs the model a second time")
        length = prompt_length
        if self.is_encoder_decoder:
            length = 1
            if config.forced_bos_token_id is not None:  # the prompt has it, but it counts as generated
                length = 2
                config.max_new_tokens = max_new_tokens - 1
                config.forced_bos_token_id = None
        return (
            build_processors(self._generating, config, length),
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

    device      where to run; default: a GPU if there is one, else the CPU
    dtype       type of the weights, such as "int8"; default: float32 on the CPU, else the checkpoint's
    device_map  instead of a device: "auto", or parts of the model and their devices (accelerate's)
    threads     how many threads torch may use (in the whole process)
    """
    set_threads(threads)
    place = placement_of(device, dtype, device_map)
    source, is_local = locate(os.fspath(name))
    options = {**place.options, **from_pretrained}
    if is_local:
        # Local files load in a second, without progress bars. Downloads keep theirs.
        with quiet():
            model, tokenizer = _load_files(source, str(name), {**options, "local_files_only": True})
    else:
        model, tokenizer = _load_files(source, str(name), options)
    if place.device is not None:
        try:
            model = model.to(place.device)
        except (RuntimeError, AssertionError) as error:
            raise ModelError(f"cannot put {name} on {place.device}: {error}") from error
    loaded = wrap(model, tokenizer)
    if place.int8:
        quantise(loaded)
    return loaded


def wrap(model: Any, tokenizer: Any) -> LoadedModel:
    """Combine a loaded Hugging Face model with its tokenizer; put the model into evaluation mode."""
    if is_masked(model):
        model.eval()  # dropout would disturb the trial of how to call the model
    loaded = tie(model, tokenizer)
    model.eval()
    return loaded


def tie(model: Any, tokenizer: Any, *, end_ids: frozenset[int] | None = None) -> LoadedModel:
    """Combine a model with its tokenizer, leaving both unchanged; `end_ids` replace their own."""
    require_supported(model)
    avoid_amx_for(model)
    if is_masked(model):
        return LoadedModel(model, tokenizer, MaskedModel.of(model, tokenizer))
    pad_id = next(
        (token for token in (tokenizer.pad_token_id, tokenizer.eos_token_id) if token is not None), 0
    )
    is_encoder_decoder = bool(model.config.is_encoder_decoder)
    vocabulary = _vocabulary(
        tokenizer,
        len(tokenizer),
        logits_size(model),
        end_ids or end_ids_of(model, tokenizer),
        is_encoder_decoder,
    )
    kind = EncoderDecoderModel if is_encoder_decoder else CausalModel
    return LoadedModel(model, tokenizer, kind(model, vocabulary, pad_id=pad_id))


@lru_cache(maxsize=8)
def _vocabulary(
    tokenizer: Any, tokens: int, size: int, end_ids: frozenset[int], starts_text: bool
) -> Vocabulary:
    """Return the same vocabulary for the same tokenizer: making one takes about a second.

    `tokens` is the tokenizer's number of tokens, so that adding some makes a new vocabulary.
    """
    return kept_vocabulary(tokenizer, size, end_ids=end_ids, starts_text=starts_text)


def end_ids_of(model: Any, tokenizer: Any) -> frozenset[int]:
    """Return the tokens that end a text: the generation config's, and the tokenizer's own."""
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
    """Return where to load a model from, and whether all of it is on this machine."""
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
    if isinstance(try_to_load_from_cache(name, "config.json"), str):
        return name, True
    raise ModelError(
        f"{name!r} is neither a folder nor in the local cache, and {unreachable}; "
        f"use a folder, or the built-in {DEFAULT_NAME!r}"
    )


def _hub_problem(name: str) -> str | None:
    """Return why the hub is out of reach; None if it answers.

    This is one short request, before transformers asks for a dozen files with retries for each.
    """
    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    request = urllib.request.Request(f"{constants.ENDPOINT}/{name}/resolve/main/config.json", method="HEAD")
    try:
        urllib.request.urlopen(request, timeout=_HUB_TIMEOUT).close()
    except urllib.error.HTTPError:
        return None  # the real request, which may carry a token, explains a refusal better
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        return f"the model hub {constants.ENDPOINT} cannot be reached ({reason})"
    return None


def _load_files(source: str, name: str, from_pretrained: dict[str, Any]) -> tuple[Any, Any]:
    gguf = Path(source) if is_gguf_name(source) else None
    if gguf is not None:
        options = gguf_options(gguf.name, name, from_pretrained)
        if (converted := converted_folder(gguf)) is not None:
            source, gguf = str(converted), None
        else:
            source, from_pretrained = str(gguf.parent), options
    shared = {key: from_pretrained[key] for key in _LOCATION_ARGUMENTS if key in from_pretrained}
    try:
        config = AutoConfig.from_pretrained(source, **shared)
        model = auto_class(config).from_pretrained(source, **{"config": config, **from_pretrained})
        tokenizer = AutoTokenizer.from_pretrained(source, **shared)
        if gguf is not None:
            put_begin_token(tokenizer, gguf)
    except (OSError, ValueError, TypeError, ImportError, KeyError) as error:
        for package in ("sentencepiece", "sacremoses"):
            if package in str(error).lower() and importlib.util.find_spec(package) is None:
                raise ModelError(
                    missing_extra(package, "translation", purpose=f"the tokenizer of {name}")
                ) from error
        raise ModelError(f"cannot load the model {name}: {first_line(error)}") from error
    return model, tokenizer
