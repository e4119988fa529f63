"""Encode prompts: chat templates, raw text, and the length of the context.

A string for a model with a chat template is one user message; a list of messages is a conversation; `raw`
text goes in as it is, control tokens that it spells included. Limits: text only (no images, no tool calls);
chat templates keep their own habits, such as adding a default system message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from neurologic.errors import PromptError
from neurologic.models.base import EncodedPrompt, Prompt
from neurologic.models.control_tokens import spells_control_token, written_out
from neurologic.models.tokenizers import control_tokens, space_follows_prompt, special_ids

Messages = list[dict[str, str]]

_SURROGATE = re.compile("[\ud800-\udfff]")

# These models number positions from the padding token's id on, as RoBERTa does.
_AFTER_PADDING = ("camembert", "data2vec-text", "mpnet", "xmod")


def encode_prompt(
    tokenizer: Any, prompt: Prompt, *, raw: bool = False, is_encoder_decoder: bool = False
) -> EncodedPrompt:
    """Return the tokens of a prompt, and the text directly before the generated one.

    `before` is set only where the generated text continues the prompt's own: a whole word at its start must
    then not be the rest of the prompt's last word.
    """
    content = messages_or_text(prompt, raw=raw, has_template=bool(tokenizer.chat_template))
    if not isinstance(content, str):
        return EncodedPrompt(_chat_ids(tokenizer, content))
    if is_encoder_decoder:
        return EncodedPrompt(_require_ids(tokenizer, tuple(tokenizer(content)["input_ids"])))
    before = content + " " if content and space_follows_prompt(tokenizer) else content
    return EncodedPrompt(_require_ids(tokenizer, _open_ended_ids(tokenizer, content)), before)


def _chat_ids(tokenizer: Any, messages: Messages) -> tuple[int, ...]:
    """Return the tokens of messages; control tokens that their texts spell are text."""

    def write(given: Sequence[Mapping[str, str]]) -> str:
        return apply_template(
            messages, lambda: tokenizer.apply_chat_template(given, tokenize=False, add_generation_prompt=True)
        )

    def encode(text: str) -> tuple[int, ...]:
        # The template has written its own special tokens; adding the tokenizer's would double the first one.
        return tuple(tokenizer(text, add_special_tokens=False)["input_ids"])

    controls = control_tokens(tokenizer)
    if not spells_control_token(messages, controls):
        return encode(write(messages))

    def encode_plainly(text: str) -> tuple[int, ...]:
        ids = tuple(tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"])
        # Some tokenizers know no such option; a control token in two halves is none.
        return ids if not set(ids) & {*controls.values()} else encode(text[:1]) + encode(text[1:])

    return written_out(messages, controls, write=write, encode=encode, encode_plainly=encode_plainly)


def messages_or_text(prompt: Prompt, *, raw: bool, has_template: bool) -> Messages | str:
    """Return the messages that a chat template is to write out, or the text that goes in as it is."""
    if isinstance(prompt, str):
        _require_text(prompt)
        return [{"role": "user", "content": prompt}] if has_template and not raw else prompt
    messages = check_messages(prompt)
    if raw:
        raise PromptError("raw=True sends a string as it is; a list of messages needs a chat template")
    if not has_template:
        raise PromptError(
            "this model has no chat template, so it takes a string, not a list of messages "
            "(write the conversation as one text, or use an instruct model)"
        )
    return messages


def apply_template(messages: Messages, write: Callable[[], str]) -> str:
    """Return the text that a chat template writes; raise `PromptError` if it refuses the messages."""
    try:
        return write()
    except Exception as error:  # templates raise whatever their author liked: jinja2 errors and others
        roles = ", ".join(message["role"] for message in messages)
        raise PromptError(
            f"the model's chat template refuses this conversation ({roles}): {error}"
        ) from error


def text_before(tokenizer: Any, ids: Sequence[int]) -> str:
    """Return the text that generation after these tokens continues: theirs after the last special token."""
    special = special_ids(tokenizer)
    start = next((place for place in range(len(ids), 0, -1) if ids[place - 1] in special), 0)
    text = str(tokenizer.decode(list(ids[start:]), clean_up_tokenization_spaces=False))
    return text + " " if text and space_follows_prompt(tokenizer) else text


def _require_text(text: str) -> None:
    if _SURROGATE.search(text):
        raise PromptError("the prompt holds half a character (a lone surrogate), so it is not text")


def check_messages(messages: Any) -> Messages:
    """Return the messages of a conversation; raise `PromptError` that names a wrong one."""
    if isinstance(messages, (bytes, Mapping)) or not isinstance(messages, Sequence):
        raise PromptError(f"a prompt is a string or a list of messages, not {type(messages).__name__}")
    if not messages:
        raise PromptError("a conversation needs at least one message")
    checked = []
    for number, message in enumerate(messages, start=1):
        if not isinstance(message, Mapping):
            raise PromptError(
                f"message {number} is {type(message).__name__}; "
                'a message looks like {"role": "user", "content": "…"}'
            )
        role, content = message.get("role"), message.get("content")
        if not isinstance(role, str) or not role:
            raise PromptError(f'message {number} has no "role" (system, user or assistant)')
        if not isinstance(content, str):
            raise PromptError(
                f'the "content" of message {number} must be a string, not {type(content).__name__}'
            )
        _require_text(content)
        unknown = set(message) - {"role", "content"}
        if unknown:
            raise PromptError(
                f"message {number} has unknown parts: {', '.join(sorted(map(str, unknown)))} "
                '(a message has only "role" and "content")'
            )
        checked.append({"role": role, "content": content})
    return checked


def check_length(config: Any, prompt: EncodedPrompt, max_new_tokens: int) -> None:
    """Raise `PromptError` if prompt and text do not fit into the model's positions."""
    limit = max_positions(config)
    if limit is None:
        return
    length = len(prompt.ids)
    if config.is_encoder_decoder:
        # Input and text have separate positions; the text also has a start token.
        if length > limit:
            raise PromptError(f"the input has {length} tokens, but the model takes at most {limit}")
        if max_new_tokens + 1 > limit:
            raise PromptError(
                f"max_new_tokens is {max_new_tokens}, but the model writes at most {limit - 1} tokens"
            )
    else:
        require_room(length, max_new_tokens, limit)


def require_room(prompt_length: int, max_new_tokens: int, context: int) -> None:
    """Raise `PromptError` if a prompt and the text that continues it exceed the context."""
    together = prompt_length + max_new_tokens
    if together > context:
        raise PromptError(
            f"the prompt has {prompt_length} tokens and max_new_tokens is {max_new_tokens}, together "
            f"{together}; the model's context holds {context}"
        )


def max_positions(config: Any) -> int | None:
    """Return how many positions a model knows; None if nothing limits them (T5, Bloom, Mamba)."""
    text_config = config.get_text_config(decoder=True)
    limit = getattr(text_config, "max_position_embeddings", None)
    if not isinstance(limit, int) or limit <= 0:
        return None
    if "roberta" in text_config.model_type or text_config.model_type in _AFTER_PADDING:
        limit -= (text_config.pad_token_id or 0) + 1
    return limit


def _open_ended_ids(tokenizer: Any, text: str) -> tuple[int, ...]:
    """Return the tokens of a text to continue: special tokens in front, none behind."""
    ids = tuple(tokenizer(text)["input_ids"])
    plain = tuple(tokenizer(text, add_special_tokens=False)["input_ids"])
    for front in range(len(ids) - len(plain) + 1):
        if ids[front : front + len(plain)] == plain and len(ids) > len(plain) and plain:
            return ids[: front + len(plain)]
    return ids


def _require_ids(tokenizer: Any, ids: tuple[int, ...]) -> tuple[int, ...]:
    if ids:
        return ids
    # The prompt is empty, so start where every text starts.
    for token in (tokenizer.bos_token_id, tokenizer.eos_token_id):
        if token is not None:
            return (token,)
    raise PromptError("the prompt is empty, and the model has no token that begins a text")


def up_to_end(tokens: Sequence[int], end_ids: frozenset[int]) -> Sequence[int]:
    """Return the tokens before the first end token.

    >>> up_to_end((5, 6, 0, 7), frozenset({0}))
    (5, 6)
    """
    end = next((place for place, token in enumerate(tokens) if token in end_ids), len(tokens))
    return tokens[:end]
