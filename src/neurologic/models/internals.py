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
from transformers import (
    DynamicCache,
    EncoderDecoderCache,
    GenerationConfig,
    GenerationMixin,
    LogitsProcessorList,
    PreTrainedModel,
)
from transformers.cache_utils import (
    DynamicLayer,
    DynamicSlidingWindowLayer,
    LinearAttentionAndFullAttentionLayer,
    LinearAttentionAndSlidingWindowAttentionLayer,
    LinearAttentionLayer,
)
from transformers.utils import logging as transformers_logging

from neurologic.errors import ModelError

# Models whose generation is more than "text in, scores of the next token out".
_REFUSED = {
    "blt": "a second model cuts its bytes into patches, which caches of transformers know nothing of",
    "cpmant": "it puts a prompt of its own before every text, which its cache does not know",
    "git": "it describes pictures, and counts padding as text",
    "moshi": "it speaks: its text only makes sense beside the audio that it writes at the same time",
    "musicgen": "it writes audio",
    "musicgen_melody": "it writes audio",
    "paligemma": "it reads a picture and its prompt as a whole, in both directions",
    "prophetnet": "it predicts several tokens at once",
    "rag": "it retrieves documents while it generates",
    "reformer": "its hashed attention needs texts of certain lengths, and its cache cannot be reordered",
    "xlm": "it predicts tokens by a mask",
    "xlnet": "it predicts tokens in permuted order",
}

# Their state lives in the model itself, where rows cannot be moved: every step reads the whole text.
_STATE_IN_THE_MODEL = {"recurrent_gemma"}

# They know distances only (ALiBi), made from the attention mask, so padding needs no positions.
_DISTANCES_ONLY = {"bloom", "mpt"}

# Caches that leave padding alone, as far as models pass their mask on.
_PADDABLE = {
    DynamicLayer,
    DynamicSlidingWindowLayer,
    LinearAttentionLayer,
    LinearAttentionAndFullAttentionLayer,
    LinearAttentionAndSlidingWindowAttentionLayer,
}


# --- Which models --------------------------------------------------------------------------------


def require_supported(model: Any) -> None:
    """Raise `ModelError` with the reason if a model cannot be searched."""
    name = type(model).__name__
    config = getattr(model, "config", None)
    if config is None or not hasattr(model, "forward"):
        raise ModelError(f"{name} is not a Hugging Face model (it has no config)")
    reason = _REFUSED.get(str(getattr(config, "model_type", "")))
    if reason is not None:
        raise ModelError(f"{name} is not supported: {reason}")
    if is_masked(model):
        return  # what else it needs is tried out in `masked_traits`
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
    parts = (config, getattr(config, "encoder", None), getattr(config, "decoder", None))
    if any(getattr(part, "attention_type", None) == "block_sparse" for part in parts):
        raise ModelError(
            f"{name} has block-sparse attention, which the first short text turns off for good, so that "
            'scores depend on what was read before; load it with attention_type="original_full"'
        )
    if config.is_encoder_decoder and (cache_argument(model) is None or not can_move_rows(model)):
        raise ModelError(
            f"{name} keeps no cache whose rows can be moved, which encoder–decoder models need here"
        )


def is_masked(model: Any) -> bool:
    """Whether a model predicts masked tokens (BertForMaskedLM, …)."""
    if getattr(getattr(model, "config", None), "is_encoder_decoder", True):
        return False
    return any(kind.__name__.endswith("ForMaskedLM") for kind in type(model).__mro__)


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

    cache_argument    the name of its cache; None if it has none whose rows can be moved, then every step
                      runs the whole text
    recurrent         its cache is a state, not keys and values per position
    takes_positions   whether position ids can be given
    first_position    where they begin
    can_pad           whether padding on the left leaves the scores as they are
    last_logits_only  arguments that spare the scores of all positions but the last
    whole_text        further arguments where every step runs the whole text
    """

    cache_argument: str | None
    recurrent: bool
    takes_positions: bool
    first_position: int
    can_pad: bool
    last_logits_only: dict[str, int]
    whole_text: dict[str, bool]


def causal_traits(model: Any) -> CausalTraits:
    """How to call this causal model, from its forward pass and the kind of its cache."""
    accepted = forward_parameters(model)
    argument = cache_argument(model) if can_move_rows(model) else None
    takes_positions = "position_ids" in accepted
    return CausalTraits(
        cache_argument=argument,
        recurrent=argument == "cache_params",
        takes_positions=takes_positions,
        first_position=first_position(model) if takes_positions else 0,
        can_pad=can_pad_prompts(model),
        last_logits_only=last_logits_only(model),
        whole_text={"use_cache": False} if argument is None and "use_cache" in accepted else {},
    )


def first_position(model: Any) -> int:
    """Where positions begin: RoBERTa and its family keep those up to the padding token's id free."""
    for name, module in model.named_modules():
        free = getattr(module, "padding_idx", None)
        if name.endswith("embeddings.position_embeddings") and free is not None:
            return int(free) + 1
    return 0


def can_pad_prompts(model: Any) -> bool:
    """Whether prompts of different lengths can share a batch of a causal model.

    Where that is not certain the answer is no, which only costs time: code from outside of transformers, and
    kinds of cache that may count padding (DeepSeek-V3.2 looks at a number of best columns).
    """
    kind, accepted = model.config.model_type, forward_parameters(model)
    if not _is_known(model) or not can_move_rows(model):
        return False
    if not all(type(layer) in _PADDABLE for layer in own_layers(new_cache(model))):
        return False
    knows_places = "position_ids" in accepted or "cache_params" in accepted or kind in _DISTANCES_ONLY
    return knows_places and "attention_mask" in accepted


def can_pad_inputs(model: Any) -> bool:
    """Whether inputs of different lengths can share a batch of an encoder–decoder model."""
    return _is_known(model)


def _is_known(model: Any) -> bool:
    """Whether the code is transformers' own; wrappers (PEFT, torch.compile) are looked through."""
    kind = type(model) if isinstance(model, PreTrainedModel) else type(model.config)
    return kind.__module__.startswith("transformers.")


def input_device(model: Any) -> torch.device:
    """Where a model wants its token ids, and gives its scores: where its input embeddings run.

    The weights may be elsewhere: accelerate fetches those that it keeps on a disk when they are needed.
    """
    embeddings = model.get_input_embeddings() if hasattr(model, "get_input_embeddings") else None
    hook = getattr(embeddings, "_hf_hook", None)
    for one in (hook, *getattr(hook, "hooks", ())):
        place = getattr(one, "execution_device", None)
        if place is not None:
            return torch.device(place)
    return model.device


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
    if not model.config.is_encoder_decoder:
        return DynamicCache(config=config)
    own = DynamicCache(config=config)
    if is_plain(own):
        own = DynamicCache()  # grows as needed: T5's config counts the encoder's layers, not the decoder's
    # Every position of the input is kept: windows are for the decoder's own text.
    return EncoderDecoderCache(own, DynamicCache())


def can_move_rows(model: Any) -> bool:
    """Whether the rows of a model's cache can be copied, moved and dropped; told from its layers.

    A layer of a model's own that keeps more than keys and values, but does not say how its rows are moved,
    would leave the rest behind.
    """
    if model.config.model_type in _STATE_IN_THE_MODEL or not model._supports_default_dynamic_cache():
        return False
    return all(
        type(layer).__module__ == DynamicLayer.__module__ or "reorder_cache" in vars(type(layer))
        for layer in own_layers(new_cache(model))
    )


def own_layers(cache: Any) -> list[Any]:
    """The layers of a cache; those of the decoder's own positions where there is an encoder."""
    return getattr(cache, "self_attention_cache", cache).layers


def reorder(cache: Any, index: torch.Tensor) -> None:
    """Row i becomes what row index[i] was; the number of rows may change."""
    cache.reorder_cache(index)


def reorder_own(cache: Any, index: torch.Tensor) -> None:
    """The same for the decoder's own positions only; what comes from the encoder stays."""
    getattr(cache, "self_attention_cache", cache).reorder_cache(index)


def is_plain(cache: Any) -> bool:
    """Whether a cache holds keys and values of every position and nothing else."""
    own = getattr(cache, "self_attention_cache", cache)
    return type(own) is DynamicCache and all(type(layer) is DynamicLayer for layer in own.layers)


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
    device = input_device(model)
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


class GeneratingStandIn(GenerationMixin):
    """Makes generation configs and processors for a model that has no `generate` (a masked one)."""

    def __init__(self, model: Any, end_ids: list[int], pad_id: int) -> None:
        self._model = model
        self.config = model.config
        self.generation_config = GenerationConfig(eos_token_id=end_ids, pad_token_id=pad_id)

    @property
    def device(self) -> torch.device:
        return self._model.device


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
