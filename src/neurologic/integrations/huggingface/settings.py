"""Translate Hugging Face's generation config, processors and criteria into settings of a search.

`model.generate` hands over a complete config, and processors and criteria that it has built from it. The
search itself does lengths, n-gram blocking, stop strings and drawing: it reads these from the config and
drops their processors and criteria. All others act as they are, the caller's own among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from transformers import GenerationConfig
from transformers.generation import logits_process, stopping_criteria

from neurologic.decoders.registry import DecoderEntry
from neurologic.errors import warn_user
from neurologic.search.settings import SETTINGS, SearchSettings, setting_names

# Processors and criteria whose work the search does itself: the attribute with their value, and the config's
# name for that value. One with another value than the config's is the caller's, and stays.
_OWN_PROCESSORS: dict[type, tuple[str, str]] = {
    logits_process.MinLengthLogitsProcessor: ("min_length", "min_length"),
    logits_process.MinNewTokensLengthLogitsProcessor: ("min_new_tokens", "min_new_tokens"),
    logits_process.NoRepeatNGramLogitsProcessor: ("ngram_size", "no_repeat_ngram_size"),
    logits_process.TemperatureLogitsWarper: ("temperature", "temperature"),
    logits_process.TopKLogitsWarper: ("top_k", "top_k"),
    logits_process.TopPLogitsWarper: ("top_p", "top_p"),
    logits_process.MinPLogitsWarper: ("min_p", "min_p"),
}
_OWN_CRITERIA: dict[type, tuple[str, str]] = {
    stopping_criteria.MaxLengthCriteria: ("max_length", "max_length"),
    stopping_criteria.MaxTimeCriteria: ("max_time", "max_time"),
}
# Parts of a config that a search does not support, with the values that mean "off".
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
# Former ways of requiring words, which `generate` would silently ignore.
_REMOVED = ("force_words_ids", "constraints")
_IN_CONFIG = [name for name, setting in SETTINGS.items() if setting.in_hugging_face]
# Read from a config as they are; lengths there may count the prompt, and drawing needs do_sample.
_AS_THEY_ARE = [name for name in _IN_CONFIG if name not in ("max_new_tokens", "min_new_tokens", "do_sample")]
_HOW_TO_DRAW = setting_names("sampling") - {"do_sample"}
# Hugging Face's ways of drawing beyond temperature, top-k, top-p and min-p, with the values that mean "off".
_OTHER_DRAWING: dict[str, tuple[Any, ...]] = {
    "typical_p": (None, 1, 1.0),
    "epsilon_cutoff": (None, 0, 0.0),
    "eta_cutoff": (None, 0, 0.0),
    "top_h": (None,),
}


@dataclass(frozen=True)
class ConfigSettings:
    """A generation config as a search reads it.

    forced_end  whether a processor forces the end token at the length limit
    """

    settings: SearchSettings
    processors: tuple[Any, ...]
    criteria: tuple[Any, ...]
    forced_end: bool = False


def read_config(
    config: GenerationConfig,
    processors: Iterable[Any],
    criteria: Iterable[Any],
    *,
    prompt_length: int,
    decoder: DecoderEntry,
    own: Mapping[str, Any],
) -> ConfigSettings:
    """Read a generation config; `own` settings, given to `neurologic.decoder`, override it."""
    for name, off in _UNSUPPORTED.items():
        value = getattr(config, name, None)
        if value not in off:
            raise ValueError(f"a constrained search does not support {name}={value!r}; leave it out")
    for name in _REMOVED:
        if getattr(config, name, None) is not None:
            raise ValueError(
                f"{name} has no effect beside custom_generate; give neurologic.decoder the formula "
                "neurologic.from_force_words(…)"
            )
    if config.do_sample:
        _require_known_drawing(config, decoder)
    # A config may set what this decoder has no use for; a caller's own setting must have an effect.
    accepted = decoder.accepted({**_of_config(config, prompt_length), **own})
    kept_processors = _without_own(processors, _OWN_PROCESSORS, config)
    kept_criteria = _without_own(criteria, _OWN_CRITERIA, config)
    for limit in kept_criteria:
        if type(limit) is stopping_criteria.MaxLengthCriteria:  # the caller's own limit binds the plan too
            shorter = max(1, limit.max_length - prompt_length)
            accepted["max_new_tokens"] = min(accepted["max_new_tokens"], shorter)
    return ConfigSettings(
        decoder.settings({**accepted, **own}),
        kept_processors,
        tuple(kept for kept in kept_criteria if type(kept) is not stopping_criteria.EosTokenCriteria),
        forced_end=any(
            isinstance(kept, logits_process.ForcedEOSTokenLogitsProcessor) for kept in kept_processors
        ),
    )


def _of_config(config: GenerationConfig, prompt_length: int) -> dict[str, Any]:
    """Return the search's settings that a config has set."""
    shortest = max((config.min_length or 0) - prompt_length, config.min_new_tokens or 0, 0)
    read: dict[str, Any] = {
        "max_new_tokens": config.max_length - prompt_length,
        "min_new_tokens": shortest,
        "do_sample": bool(config.do_sample),
    }
    for name in _AS_THEY_ARE:
        if config.do_sample or name not in _HOW_TO_DRAW:
            read[name] = getattr(config, name)
    return {name: value for name, value in read.items() if value is not None}


def _without_own(
    items: Iterable[Any], own: Mapping[type, tuple[str, str]], config: GenerationConfig
) -> tuple[Any, ...]:
    """Drop the processors or criteria that only repeat what the search has read from the config."""

    def repeats(item: Any) -> bool:
        attribute, name = own.get(type(item), ("", ""))
        return bool(attribute) and bool(getattr(item, attribute) == getattr(config, name))

    return tuple(item for item in items if not repeats(item))


def refuse_settings_of_generate(own: Mapping[str, Any]) -> None:
    """Raise for settings that were given to `neurologic.decoder` and belong to `generate`."""
    for name in own:
        # `generate` wants a tokenizer with stop strings, so these may come either way.
        if name in _IN_CONFIG and name != "stop_strings":
            raise ValueError(f"{name} goes to model.generate: generate(…, custom_generate=…, {name}=…)")


def _require_known_drawing(config: GenerationConfig, decoder: DecoderEntry) -> None:
    for name, off in _OTHER_DRAWING.items():
        if getattr(config, name, None) not in off:
            raise ValueError(
                f"{name} is not known to this search; draw with temperature, top_k, top_p and min_p"
            )
    draws = "temperature" in decoder.accepts
    if not draws and config.num_return_sequences > config.num_beams:
        raise ValueError(f"the decoder {decoder.name} does not draw; give num_beams for that many texts")
    if not draws:
        warn_user(f"do_sample has no effect on the decoder {decoder.name}; give do_sample=False to say so")
