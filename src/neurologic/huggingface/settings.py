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

from neurologic.methods import Method
from neurologic.search.settings import SearchSettings

# Processors and criteria in whose place the search has something of its own.
_OWN_PROCESSORS = (
    logits_process.MinLengthLogitsProcessor,
    logits_process.MinNewTokensLengthLogitsProcessor,
    logits_process.NoRepeatNGramLogitsProcessor,
    logits_process.TemperatureLogitsWarper,
    logits_process.TopKLogitsWarper,
    logits_process.TopPLogitsWarper,
)
_OWN_CRITERIA = (
    stopping_criteria.MaxLengthCriteria,
    stopping_criteria.EosTokenCriteria,
    stopping_criteria.MaxTimeCriteria,
    stopping_criteria.StopStringCriteria,
)
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
_OTHER_DRAWING = ("min_p", "typical_p", "epsilon_cutoff", "eta_cutoff", "top_h")


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
    method: Method,
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
    heeded = method.heeded({**_of_config(config, prompt_length), **own})
    kept = tuple(one for one in processors if not isinstance(one, _OWN_PROCESSORS))
    return Honoured(
        method.settings({**heeded, **own}),
        kept,
        tuple(one for one in criteria if not isinstance(one, _OWN_CRITERIA)),
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
    ):
        read[name] = getattr(config, name)
    stops = config.stop_strings
    read["stop_strings"] = (stops,) if isinstance(stops, str) else tuple(stops or ())
    if config.do_sample:
        read |= {name: getattr(config, name) for name in ("temperature", "top_k", "top_p")}
    return {name: value for name, value in read.items() if value is not None}


def refuse_settings_of_generate(own: Mapping[str, Any]) -> None:
    """Raise for settings that were given to `neurologic.decoder` and belong to `generate`."""
    for name in _OF_GENERATE:
        if name in own:
            raise ValueError(f"{name} goes to model.generate: generate(…, custom_generate=…, {name}=…)")


def _require_known_drawing(config: GenerationConfig, method: Method) -> None:
    for name in _OTHER_DRAWING:
        if getattr(config, name, None) not in (None, 1.0, 0.0):
            raise ValueError(f"{name} is not known to this search; draw with temperature, top_k and top_p")
    draws = "do_sample" in method.heeds or "top_k" in method.heeds
    if not draws and config.num_return_sequences > config.num_beams:
        raise ValueError(f"the decoder {method.name} does not draw; give num_beams for that many texts")
    if not draws:
        warnings.warn(
            f"do_sample has no effect on the decoder {method.name}; give do_sample=False to say so",
            stacklevel=6,
        )
