"""What Hugging Face's generation config, processors and criteria mean to a search.

`model.generate` hands over a complete config together with processors and criteria already built from it.
What the search does itself (lengths, n-gram blocking, stop strings, drawing) is read from the config, and its
processor or criterion left out; all others act as they are, the caller's own among them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from transformers import GenerationConfig
from transformers.generation import logits_process, stopping_criteria

from neurologic.decoders.registry import DecoderEntry
from neurologic.search.settings import SearchSettings

# Processors and criteria in whose place the search has something of its own: by the attribute that holds what
# the config says under the second name. One with another value is the caller's, and stays.
_OWN_PROCESSORS: dict[type, tuple[str, str]] = {
    logits_process.MinLengthLogitsProcessor: ("min_length", "min_length"),
    logits_process.MinNewTokensLengthLogitsProcessor: ("min_new_tokens", "min_new_tokens"),
    logits_process.NoRepeatNGramLogitsProcessor: ("ngram_size", "no_repeat_ngram_size"),
    logits_process.TemperatureLogitsWarper: ("temperature", "temperature"),
    logits_process.TopKLogitsWarper: ("top_k", "top_k"),
    logits_process.TopPLogitsWarper: ("top_p", "top_p"),
}
_OWN_CRITERIA: dict[type, tuple[str, str]] = {
    stopping_criteria.MaxLengthCriteria: ("max_length", "max_length"),
    stopping_criteria.MaxTimeCriteria: ("max_time", "max_time"),
}
# Parts of a config that a search cannot honour, with the value that means "off".
_UNSUPPORTED: dict[str, tuple[Any, ...]] = {
    "output_attentions": (None, False),
    "output_hidden_states": (None, False),
    "guidance_scale": (None, 1, 1.0),
    "num_beam_groups": (None, 1),
    "diversity_penalty": (None, 0, 0.0),
    "penalty_alpha": (None, 0, 0.0),
    "dola_layers": (None,),
    "prompt_lookup_num_tokens": (None,),
    "watermarking_config": (None,),
    "token_healing": (None, False),
    "low_memory": (None, False),
}
# The removed ways of requiring words, which `generate` would ignore without a word.
_REMOVED = ("force_words_ids", "constraints")
# What goes to `generate` itself, where the rows of a call are laid out by it.
_OF_GENERATE = (
    "do_sample",
    "early_stopping",
    "length_penalty",
    "max_new_tokens",
    "max_time",
    "min_new_tokens",
    "no_repeat_ngram_size",
    "num_beams",
    "num_return_sequences",
    "temperature",
    "top_k",
    "top_p",
)
# For drawing: Hugging Face's ways beyond temperature, top-k and top-p.
_OTHER_DRAWING: dict[str, tuple[Any, ...]] = {
    "min_p": (None, 0, 0.0),
    "typical_p": (None, 1, 1.0),
    "epsilon_cutoff": (None, 0, 0.0),
    "eta_cutoff": (None, 0, 0.0),
    "top_h": (None,),
}


@dataclass(frozen=True)
class Honoured:
    """A generation config as the search sees it.

    forced_end  whether a processor forces the end token at the limit
    """

    settings: SearchSettings
    processors: tuple[Any, ...]
    criteria: tuple[Any, ...]
    forced_end: bool = False


def honour(
    config: GenerationConfig,
    processors: Iterable[Any],
    criteria: Iterable[Any],
    *,
    prompt_length: int,
    method: DecoderEntry,
    own: Mapping[str, Any],
) -> Honoured:
    """Read a generation config; `own` settings, given to `neurologic.decoder`, come before it."""
    for name, off in _UNSUPPORTED.items():
        value = getattr(config, name, None)
        if value not in off:
            raise ValueError(f"{name}={value!r} cannot be honoured by a constrained search; leave it out")
    for name in _REMOVED:
        if getattr(config, name, None) is not None:
            raise ValueError(
                f"{name} has no effect beside custom_generate; give neurologic.decoder the formula "
                "neurologic.from_force_words(…)"
            )
    if config.do_sample:
        _require_known_drawing(config, method)
    # What a config has set and this decoder has no use for is no fault of the caller's; own settings are.
    heeded = method.accepted({**_of_config(config, prompt_length), **own})
    kept = tuple(one for one in processors if not _says_the_config(one, _OWN_PROCESSORS, config))
    criteria = [one for one in criteria if not _says_the_config(one, _OWN_CRITERIA, config)]
    for limit in criteria:
        if type(limit) is stopping_criteria.MaxLengthCriteria:  # the caller's: a limit, also for what is owed
            shorter = max(1, limit.max_length - prompt_length)
            heeded["max_new_tokens"] = min(heeded["max_new_tokens"], shorter)
    return Honoured(
        method.settings({**heeded, **own}),
        kept,
        tuple(one for one in criteria if type(one) is not stopping_criteria.EosTokenCriteria),
        forced_end=any(isinstance(one, logits_process.ForcedEOSTokenLogitsProcessor) for one in kept),
    )


def _of_config(config: GenerationConfig, prompt_length: int) -> dict[str, Any]:
    """The search's settings under their own names; what is not set is left out."""
    shortest = max((config.min_length or 0) - prompt_length, config.min_new_tokens or 0, 0)
    read: dict[str, Any] = {
        "max_new_tokens": config.max_length - prompt_length,
        "min_new_tokens": shortest,
        "do_sample": bool(config.do_sample),
    }
    for name in (
        "num_beams",
        "num_return_sequences",
        "length_penalty",
        "early_stopping",
        "no_repeat_ngram_size",
        "max_time",
        "stop_strings",
    ):
        read[name] = getattr(config, name)
    if config.do_sample:
        read |= {name: getattr(config, name) for name in ("temperature", "top_k", "top_p")}
    return {name: value for name, value in read.items() if value is not None}


def _says_the_config(one: Any, own: Mapping[type, tuple[str, str]], config: GenerationConfig) -> bool:
    """Whether a processor or criterion only says what the search has read from the config."""
    if type(one) not in own:
        return False
    attribute, name = own[type(one)]
    return bool(getattr(one, attribute) == getattr(config, name))


def refuse_settings_of_generate(own: Mapping[str, Any]) -> None:
    """Raise for settings that were given to `neurologic.decoder` and belong to `generate`."""
    for name in _OF_GENERATE:
        if name in own:
            raise ValueError(f"{name} goes to model.generate: generate(…, custom_generate=…, {name}=…)")


def _require_known_drawing(config: GenerationConfig, method: DecoderEntry) -> None:
    for name, off in _OTHER_DRAWING.items():
        if getattr(config, name, None) not in off:
            raise ValueError(f"{name} is not known to this search; draw with temperature, top_k and top_p")
    draws = "do_sample" in method.accepts or "top_k" in method.accepts
    if not draws and config.num_return_sequences > config.num_beams:
        raise ValueError(f"the decoder {method.name} does not draw; give num_beams for that many texts")
    if not draws:
        warnings.warn(
            f"do_sample has no effect on the decoder {method.name}; give do_sample=False to say so",
            stacklevel=6,
        )
