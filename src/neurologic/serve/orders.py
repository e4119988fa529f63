"""Orders: what a request's body asks for, in the library's words.

Translate OpenAI's fields into settings of a search, and refuse what would be too much work or cannot be done.
Nothing here reads a formula or a prompt: that takes time and belongs to the `desk`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from neurologic.decoders.registry import DecoderEntry, decoder_named
from neurologic.errors import LimitError
from neurologic.limits import limits_of
from neurologic.models.base import Prompt
from neurologic.search.settings import SearchSettings
from neurologic.serve.api_errors import ApiError
from neurologic.serve.bodies import OPENAI_NAMES, ChatBody, CompletionBody, GenerationBody, NeurologicFields
from neurologic.serve.limits import ServerLimits

_UNSEEDED_BITS = 48
_SEEDS = 1 << 63

# Fields of OpenAI's that this server cannot obey, with the values that ask for nothing.
_WITHOUT_EFFECT: dict[str, tuple[Any, ...]] = {
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "logit_bias": ({},),
    "response_format": ({"type": "text"},),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "audio": (),
    "prediction": (),
    "reasoning_effort": ("none",),
    "verbosity": ("medium",),
    "web_search_options": (),
    "suffix": ("",),
    "best_of": (1,),
}


@dataclass(frozen=True)
class Order:
    """Texts to write, and how to answer.

    prompts     one or several; each gets `n` texts
    raw         whether a text continues its prompt, instead of answering it
    constraint  in the library's JSON form, not read yet
    options     those of `lm.submit`
    stops       strings that end a text, and are cut off
    logprobs    whether to tell the log-likelihood of every token
    echo        whether a text begins with its prompt
    highlights  whether to tell where the phrases of the formula are
    picture     whether to tell how the search went
    live        whether to tell it while the search runs, too
    """

    kind: Literal["chat", "text"]
    prompts: tuple[Prompt, ...]
    raw: bool
    constraint: Mapping[str, Any]
    banned_strings: tuple[str, ...]
    plain_prompt: str | None
    options: Mapping[str, Any]
    n: int
    stops: tuple[str, ...]
    stream: bool
    include_usage: bool
    logprobs: bool
    echo: bool = False
    highlights: bool = False
    picture: bool = False
    live: bool = False


def chat_order(body: ChatBody, model: str, limits: ServerLimits) -> Order:
    """Return the order of a conversation; raise `ApiError` if it cannot be taken."""
    if body.max_tokens and body.max_completion_tokens and body.max_tokens != body.max_completion_tokens:
        raise _refused("max_tokens", "max_tokens and max_completion_tokens differ; give one of them")
    if body.top_logprobs:
        raise _refused(
            "top_logprobs", "the tokens that a search did not choose are not kept; use logprobs alone"
        )
    # Chat templates know the older name.
    messages = [
        {"role": "system" if message.role == "developer" else message.role, "content": message.text}
        for message in body.messages
    ]
    limit = body.max_completion_tokens or body.max_tokens
    return _order(body, model, limits, "chat", (messages,), limit, logprobs=bool(body.logprobs))


def completion_order(body: CompletionBody, model: str, limits: ServerLimits) -> Order:
    """Return the order of texts to continue; raise `ApiError` if it cannot be taken."""
    if body.logprobs:
        raise _refused("logprobs", "the tokens that a search did not choose are not kept; logprobs=0 works")
    if body.echo and body.logprobs is not None:
        raise _refused("echo", "the log-likelihoods of a prompt are not known; ask for echo or for logprobs")
    prompts = (body.prompt,) if isinstance(body.prompt, str) else tuple(body.prompt)
    if not prompts:
        raise _refused("prompt", "give at least one prompt", code="invalid_value")
    return _order(
        body,
        model,
        limits,
        "text",
        prompts,
        body.max_tokens,
        logprobs=body.logprobs is not None,
        echo=bool(body.echo),
    )


def _order(
    body: GenerationBody,
    model: str,
    limits: ServerLimits,
    kind: Literal["chat", "text"],
    prompts: tuple[Prompt, ...],
    max_tokens: int | None,
    *,
    logprobs: bool,
    echo: bool = False,
) -> Order:
    if body.model is not None and body.model != model:
        message = f"there is no model {body.model!r} here; this server has {model!r}"
        raise ApiError(404, message, code="model_not_found", param="model")
    _require_no_effect(body)
    own = body.neurologic or NeurologicFields.model_validate({})
    stops = (body.stop,) if isinstance(body.stop, str) else tuple(body.stop or ())
    if len(stops) > limits.stop_strings:
        raise _too_much("stop", f"{len(stops)} stop strings", limits.stop_strings)
    if own.picture == "live" and not body.stream:
        raise _refused("neurologic.picture", '"live" needs "stream": true; write true for the picture alone')
    entry = _served(own.decoder)
    options = _settings(body, own, entry, stops, max_tokens)
    texts = len(prompts) * (body.n or 1)
    if texts > limits.texts:
        raise _too_much("n", f"{texts} texts", limits.texts)
    try:
        with limits_of(limits.library):
            settings = entry.settings(options)
    except LimitError as error:
        field = OPENAI_NAMES.get(error.name, f"neurologic.{error.name}")
        raise ApiError(400, _in_openai_words(str(error)), code="limit_exceeded", param=field) from error
    except ValueError as error:
        raise ApiError(400, _in_openai_words(str(error)), code="invalid_value") from error
    _require_affordable(settings, len(prompts), limits)
    return Order(
        kind=kind,
        prompts=prompts,
        raw=kind == "text",
        constraint=own.constraint,
        banned_strings=tuple(body.banned_strings or ()),
        plain_prompt=own.plain_prompt,
        options={
            "decoder": own.decoder,
            "reduce": own.reduce,
            **({"trace": True} if own.picture else {}),
            **options,
        },
        n=settings.num_return_sequences,
        stops=stops,
        stream=bool(body.stream),
        include_usage=bool(body.stream_options and body.stream_options.include_usage),
        logprobs=logprobs,
        echo=echo,
        highlights=own.highlights,
        picture=bool(own.picture),
        live=own.picture == "live",
    )


def _settings(
    body: GenerationBody,
    own: NeurologicFields,
    entry: DecoderEntry,
    stops: tuple[str, ...],
    max_tokens: int | None,
) -> dict[str, Any]:
    """Return the settings of the search that a body gives."""
    settings = own.settings
    n = body.n or 1
    if max_tokens is not None:
        settings["max_new_tokens"] = max_tokens
    if stops:
        settings["stop_strings"] = stops
    drawing = _drawing(body, entry)
    settings |= drawing
    if n > 1:
        settings["num_return_sequences"] = n
        by_beams = "num_beams" in entry.accepts and not settings.get("do_sample")
        if by_beams and "num_beams" not in settings:
            settings["num_beams"] = max(n, SearchSettings().num_beams)
    if body.seed is not None:
        settings["seed"] = body.seed % _SEEDS
    elif drawing or _always_draws(entry):
        settings["seed"] = secrets.randbits(_UNSEEDED_BITS)  # as in OpenAI's API: other texts every time
    return settings


def _drawing(body: GenerationBody, entry: DecoderEntry) -> dict[str, Any]:
    """Return the settings by which texts are drawn; none if the likeliest text is asked for."""
    by_temperature = body.temperature is not None and body.temperature > 0
    by_top_p = body.top_p is not None and body.top_p < 1
    if not (by_temperature or by_top_p):
        return {}
    drawing: dict[str, Any] = {"do_sample": True} if "do_sample" in entry.accepts else {}
    if by_temperature:
        drawing["temperature"] = body.temperature
    if by_top_p:
        drawing["top_p"] = body.top_p
    return drawing


def _always_draws(entry: DecoderEntry) -> bool:
    return "temperature" in entry.accepts and "do_sample" not in entry.accepts


def _served(name: str) -> DecoderEntry:
    try:
        entry = decoder_named(name)
    except ValueError as error:
        raise ApiError(400, str(error), code="invalid_value", param="neurologic.decoder") from error
    if entry.edits:
        raise _refused(
            "neurologic.decoder",
            f"the decoder {name} works on one sentence at a time and would hold up all other requests; "
            "use it with neurologic generate",
        )
    return entry


def _require_no_effect(body: GenerationBody) -> None:
    for name, values in _WITHOUT_EFFECT.items():
        value = getattr(body, name, None)
        if value is not None and value not in values:
            instead = f"; leave it out, or give {values[0]!r}" if values else "; leave it out"
            raise _refused(name, f"{name} has no effect here{instead}")


def _require_affordable(settings: SearchSettings, prompts: int, limits: ServerLimits) -> None:
    texts = prompts * settings.num_return_sequences
    rows = max(settings.num_beams, settings.rows or 0)
    if settings.look_ahead_kind != "greedy":
        rows *= settings.look_ahead_width
    work = texts * rows * settings.max_new_tokens
    if work > limits.search_tokens:
        raise _too_much(
            "max_tokens",
            f"{texts} texts × {rows} beams × {settings.max_new_tokens} tokens = {work}",
            limits.search_tokens,
        )
    if settings.max_time is not None and settings.max_time > limits.request_seconds:
        raise _too_much("neurologic.max_time", f"max_time {settings.max_time:g}", limits.request_seconds)


def _too_much(param: str, found: str, limit: float) -> ApiError:
    message = f"{found} is more than this server allows ({limit:g})"
    return ApiError(400, message, code="limit_exceeded", param=param)


def _refused(param: str, message: str, *, code: str = "unsupported_value") -> ApiError:
    return ApiError(400, message, code=code, param=param)


def _in_openai_words(message: str) -> str:
    for ours, theirs in OPENAI_NAMES.items():
        if ours != "do_sample":
            message = message.replace(ours, theirs)
    return message.replace("; give do_sample=True with it", "; give a temperature above 0 with it")
