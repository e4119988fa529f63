"""From what a user sends to what a model takes: chat templates, raw text, and the context's length.

A string for a model with a chat template is one user message; a list of messages is a conversation; `raw`
text goes in as it is. Limits: text only (no images, no tool calls), and what a chat template does by itself,
such as adding a default system message, is left to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurologic.errors import PromptError
from neurologic.models.base import EncodedPrompt
from neurologic.models.tokenizers import space_follows_prompt, special_ids

Prompt = str | Sequence[Mapping[str, str]]

# They number positions from the padding token's id on, as RoBERTa does.
_AFTER_PADDING = ("camembert", "data2vec-text", "mpnet", "xmod")


def encode_prompt(
    tokenizer: Any, prompt: Prompt, *, raw: bool = False, is_encoder_decoder: bool = False
) -> EncodedPrompt:
    """The tokens of a prompt, and the text directly before the generated one.

    `before` is set only where the generated text continues the prompt's own: a whole word at its start must
    then not be the rest of the prompt's last word.
    """
    if not isinstance(prompt, str):
        conversation = check_messages(prompt)
        if raw:
            raise PromptError("raw=True sends a string as it is; a list of messages needs a chat template")
        if not tokenizer.chat_template:
            raise PromptError(
                "this model has no chat template, so it takes a string, not a list of messages "
                "(write the conversation out as text, or use an instruct model)"
            )
        return EncodedPrompt(_chat_ids(tokenizer, conversation))
    if tokenizer.chat_template and not raw:
        return EncodedPrompt(_chat_ids(tokenizer, [{"role": "user", "content": prompt}]))
    if is_encoder_decoder:
        return EncodedPrompt(_require_ids(tokenizer, tuple(tokenizer(prompt)["input_ids"])))
    before = prompt + " " if prompt and space_follows_prompt(tokenizer) else prompt
    return EncodedPrompt(_require_ids(tokenizer, _open_ended_ids(tokenizer, prompt)), before)


def text_before(tokenizer: Any, ids: Sequence[int]) -> str:
    """What a text that follows these tokens continues: their text after the last special token."""
    special = special_ids(tokenizer)
    start = next((place for place in range(len(ids), 0, -1) if ids[place - 1] in special), 0)
    text = str(tokenizer.decode(list(ids[start:]), clean_up_tokenization_spaces=False))
    return text + " " if text and space_follows_prompt(tokenizer) else text


def check_messages(messages: Any) -> list[dict[str, str]]:
    """The messages of a conversation, or `PromptError` that says which one is wrong."""
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
        unknown = set(message) - {"role", "content"}
        if unknown:
            raise PromptError(
                f"message {number} has unknown parts: {', '.join(sorted(map(str, unknown)))} "
                '(only "role" and "content" are used)'
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
        # Two separate stretches: the input, and the text with its start token.
        if length > limit:
            raise PromptError(f"the input has {length} tokens, but the model takes at most {limit}")
        if max_new_tokens + 1 > limit:
            raise PromptError(
                f"max_new_tokens is {max_new_tokens}, but the model writes at most {limit - 1} tokens"
            )
    elif length + max_new_tokens > limit:
        raise PromptError(
            f"the prompt has {length} tokens and max_new_tokens is {max_new_tokens}, together "
            f"{length + max_new_tokens}; the model's context holds {limit}"
        )


def max_positions(config: Any) -> int | None:
    """How many positions a model knows; None where nothing limits them (T5, Bloom, Mamba)."""
    text_config = config.get_text_config(decoder=True)
    limit = getattr(text_config, "max_position_embeddings", None)
    if not isinstance(limit, int) or limit <= 0:
        return None
    if "roberta" in text_config.model_type or text_config.model_type in _AFTER_PADDING:
        limit -= (text_config.pad_token_id or 0) + 1
    return limit


def _chat_ids(tokenizer: Any, messages: list[dict[str, str]]) -> tuple[int, ...]:
    try:
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    except Exception as error:  # templates raise whatever their author liked: jinja2 errors and others
        roles = ", ".join(message["role"] for message in messages)
        raise PromptError(
            f"the model's chat template refuses this conversation ({roles}): {error}"
        ) from error
    # The template has written its own special tokens; adding the tokenizer's would double the first one.
    return tuple(tokenizer(text, add_special_tokens=False)["input_ids"])


def _open_ended_ids(tokenizer: Any, text: str) -> tuple[int, ...]:
    """The tokens of a text that is to be continued: special tokens in front, none behind."""
    ids = tuple(tokenizer(text)["input_ids"])
    plain = tuple(tokenizer(text, add_special_tokens=False)["input_ids"])
    for front in range(len(ids) - len(plain) + 1):
        if ids[front : front + len(plain)] == plain and len(ids) > len(plain) and plain:
            return ids[: front + len(plain)]
    return ids


def _require_ids(tokenizer: Any, ids: tuple[int, ...]) -> tuple[int, ...]:
    if ids:
        return ids
    # An empty prompt: start where every text starts.
    for token in (tokenizer.bos_token_id, tokenizer.eos_token_id):
        if token is not None:
            return (token,)
    raise PromptError("the prompt is empty, and the model has no token that begins a text")
