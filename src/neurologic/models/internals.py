"""Everything that leans on private or moving parts of transformers; written against 5.22.

Caches, what a model's `forward` accepts, logits processors from a generation config, and silence
while loading. When a new version of transformers breaks something, it breaks here: the laws in
tests/models/test_model_laws.py say what has to hold.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from transformers import DynamicCache, EncoderDecoderCache, GenerationConfig, LogitsProcessorList
from transformers.cache_utils import DynamicLayer
from transformers.utils import logging as transformers_logging

from neurologic.errors import ModelError

# Models whose generation is more than "ids in, logits out".
_UNSUPPORTED_TYPES = {
    "rag": "it retrieves documents while it generates",
    "reformer": "it keeps no cache that can be reordered",
    "xlnet": "it predicts tokens in permuted order",
    "xlm": "it predicts tokens by a mask",
    "prophetnet": "it predicts several tokens at once",
}


# --- Which models --------------------------------------------------------------------------------


def require_supported(model: Any) -> None:
    """Raise `ModelError` with the reason if a model cannot be searched."""
    name = type(model).__name__
    config = getattr(model, "config", None)
    if config is None or not hasattr(model, "forward"):
        raise ModelError(f"{name} is not a Hugging Face model (it has no config)")
    reason = _UNSUPPORTED_TYPES.get(str(getattr(config, "model_type", "")))
    if reason is not None:
        raise ModelError(f"{name} is not supported: {reason}")
    can_generate = getattr(model, "can_generate", None)
    if can_generate is None or not can_generate():
        raise ModelError(
            f"{name} has no head that generates text (it is an encoder or a bare model); "
            "load it with AutoModelForCausalLM or AutoModelForSeq2SeqLM if the checkpoint has one"
        )
    if getattr(model, "main_input_name", "input_ids") != "input_ids":
        raise ModelError(f"{name} takes {model.main_input_name} as its input, only text is supported")
    if not config.is_encoder_decoder and not _sees_only_the_past(model):
        raise ModelError(
            f"{name} is a bidirectional encoder here: it sees the tokens that it is to predict. "
            "A checkpoint trained to generate has is_decoder=true in its config"
        )
    if config.is_encoder_decoder and cache_argument(model) is None:
        raise ModelError(f"{name} keeps no cache between tokens, which encoder–decoder models need here")


def _sees_only_the_past(model: Any) -> bool:
    """False for encoders with a head for generation that are not set up as decoders."""
    config = model.config
    if getattr(config, "is_decoder", True) is not False:
        return True
    # Decoders of pairs (BartForCausalLM, …) and plain decoders such as GPT-NeoX carry the flag without
    # heeding it; the BERT family checks it where the attention mask is made.
    return not _is_bert_family(config.model_type)


def _is_bert_family(model_type: str) -> bool:
    families = ("bert", "electra", "data2vec-text", "ernie", "big_bird", "roformer", "xmod", "esm")
    return any(family in model_type for family in families)


def forward_parameters(model: Any) -> frozenset[str]:
    """The arguments that a model's forward pass takes."""
    return frozenset(inspect.signature(model.forward).parameters)


def cache_argument(model: Any) -> str | None:
    """The name under which a model takes its cache (Mamba calls it `cache_params`)."""
    accepted = forward_parameters(model)
    return next((name for name in ("past_key_values", "cache_params") if name in accepted), None)


def last_logits_only(model: Any) -> dict[str, int]:
    """Arguments that spare the logits of all positions but the last, where supported."""
    accepted = forward_parameters(model)
    return next(({name: 1} for name in ("logits_to_keep", "num_logits_to_keep") if name in accepted), {})


@dataclass(frozen=True)
class CausalTraits:
    """How a causal model wants to be called.

    cache_argument    the name of its cache; None if it has none, then every step runs the whole text
    recurrent         its cache is a state, not keys and values per position
    takes_positions   whether position ids can be given
    can_pad           whether padding on the left leaves the scores as they are
    last_logits_only  arguments that spare the scores of all positions but the last
    """

    cache_argument: str | None
    recurrent: bool
    takes_positions: bool
    can_pad: bool
    last_logits_only: dict[str, int]


def causal_traits(model: Any) -> CausalTraits:
    """How to call this causal model, from the signature of its forward pass."""
    argument = cache_argument(model)
    recurrent = argument == "cache_params"
    takes_positions = "position_ids" in forward_parameters(model)
    # Bloom and MPT know distances only (ALiBi), made from the attention mask.
    can_pad = takes_positions or recurrent or model.config.model_type in ("bloom", "mpt")
    return CausalTraits(argument, recurrent, takes_positions, can_pad, last_logits_only(model))


def logits_size(model: Any) -> int:
    """How many tokens the model scores: the rows of its output layer, padding included."""
    output = model.get_output_embeddings()
    weight = getattr(output, "weight", None)
    if weight is not None and weight.dim() == 2 and not getattr(model, "is_quantized", False):
        return int(weight.shape[0])
    return int(model.config.get_text_config(decoder=True).vocab_size)


# --- Caches ---------------------------------------------------------------------------------------


def new_cache(model: Any) -> Any:
    """An empty cache; None for models that make their own in the first forward pass."""
    if not model._supports_default_dynamic_cache():
        return None
    config = model.config.get_text_config(decoder=True)
    if model.config.is_encoder_decoder:
        return EncoderDecoderCache(DynamicCache(config=config), DynamicCache(config=config))
    return DynamicCache(config=config)


def reorder(cache: Any, index: torch.Tensor) -> None:
    """Row i becomes what row index[i] was; the number of rows may change."""
    cache.reorder_cache(index)


def reorder_own(cache: Any, index: torch.Tensor) -> None:
    """The same for the decoder's own positions only; what comes from the encoder stays."""
    getattr(cache, "self_attention_cache", cache).reorder_cache(index)


def is_plain(cache: Any) -> bool:
    """Whether a cache holds keys and values of every position and nothing else."""
    own = getattr(cache, "self_attention_cache", cache)
    layers = getattr(own, "layers", None)
    return layers is not None and all(type(layer) is DynamicLayer for layer in layers)


def fork(cache: Any) -> Any:
    """A cache that can go its own way. Keys and values are shared until one of the two goes on."""
    if cache is None:
        return None
    if not is_plain(cache):
        return copy.deepcopy(cache)  # recurrent states are changed in place
    other = copy.copy(cache)
    if isinstance(cache, EncoderDecoderCache):
        other.self_attention_cache = fork(cache.self_attention_cache)
        other.cross_attention_cache = fork(cache.cross_attention_cache)
        other.is_updated = dict(cache.is_updated)
    else:
        # Plain layers only ever put new tensors in the place of old ones.
        other.layers = [copy.copy(layer) for layer in cache.layers]
    return other


def rewind(cache: Any, count: int) -> None:
    """Take the last positions off a plain cache; what comes from the encoder stays."""
    getattr(cache, "self_attention_cache", cache).crop(-count)


def join(cache: Any, other: Any) -> None:
    """Put the rows of another plain cache of the same length after those of the first."""
    if isinstance(cache, EncoderDecoderCache):
        join(cache.self_attention_cache, other.self_attention_cache)
        join(cache.cross_attention_cache, other.cross_attention_cache)
        return
    for layer, more in zip(cache.layers, other.layers, strict=True):
        if not layer.is_initialized:  # a layer that shares the keys of another one
            continue
        layer.keys = torch.cat([layer.keys, more.keys])
        layer.values = torch.cat([layer.values, more.values])


# --- Logits processors ------------------------------------------------------------------------------


def build_processors(
    model: Any, generation_config: GenerationConfig, input_ids_length: int
) -> LogitsProcessorList:
    """The processors that `model.generate` would build from this generation config.

    `input_ids_length` is what `Decoding.input_ids` has at the start, so that the lengths in the config
    (given as new tokens) come out right. The config is copied, never changed.
    """
    config = copy.deepcopy(generation_config)
    if config.max_new_tokens is not None:
        config.max_length = input_ids_length + config.max_new_tokens
    if config.min_new_tokens:
        config.min_length = input_ids_length + config.min_new_tokens
    if config.num_beams is None:
        config.num_beams = 1
    device = model.device
    model._prepare_special_tokens(config, True, device=device)
    if config.forced_eos_token_id is not None and config.max_length is None:
        config.forced_eos_token_id = None  # forced at the maximal length, of which there is none
    processors: LogitsProcessorList = model._get_logits_processor(
        generation_config=config,
        input_ids_seq_length=input_ids_length,
        encoder_input_ids=None,
        prefix_allowed_tokens_fn=None,
        logits_processor=LogitsProcessorList(),
        device=device,
        model_kwargs={},
    )
    return processors


def full_generation_config(model: Any, **settings: Any) -> GenerationConfig:
    """The model's generation config with every default filled in, and `settings` on top."""
    config: GenerationConfig
    config, _ = model._prepare_generation_config(GenerationConfig())
    unknown = config.update(**settings)
    if unknown:
        names = ", ".join(sorted(unknown))
        raise TypeError(f"neither neurologic nor Hugging Face's generation config knows: {names}")
    return config


# --- Silence ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no warnings of transformers on standard error."""
    logging: Any = transformers_logging  # has no types
    verbosity = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
