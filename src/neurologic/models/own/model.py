"""Put a model of the user's own behind `lm.generate`: any object that implements `base.LanguageModel`.

A Hugging Face tokenizer encodes prompts if there is one, else the vocabulary itself does; the vocabulary's
bytes decode texts. Limits: without a tokenizer there is no chat template, so a text continues its prompt;
`processors` refuses settings of generation configs, which only Hugging Face's models have; the editing
decoders refuse such a model, since they need caches and gradients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import Decoding, EncodedPrompt, LanguageModel, Prompt
from neurologic.models.prompts import encode_prompt, messages_or_text, require_room, up_to_end
from neurologic.models.tokenizers import check_vocabulary


@dataclass(frozen=True, eq=False)
class OwnModel:
    """A language model of the user's own; implements `neurologic.models.base.TextModel`."""

    model: LanguageModel
    tokenizer: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.model.vocabulary, Vocabulary):
            raise ModelError(
                f"the vocabulary of {type(self.model).__name__} is {type(self.model.vocabulary).__name__}; "
                "make it with neurologic.vocabulary(pieces, end=…)"
            )
        if self.tokenizer is not None:
            starts_text = self.vocabulary.first_pieces is not None
            check_vocabulary(self.tokenizer, self.vocabulary, starts_text=starts_text)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.model.vocabulary

    @property
    def is_encoder_decoder(self) -> bool:
        return False

    @property
    def context(self) -> int | None:
        """How many tokens the model can read; None if it names no limit."""
        return getattr(self.model, "context", None)

    def start(self, prompts: Sequence[EncodedPrompt]) -> Decoding:
        """Run every prompt once, and check the logits before the search relies on them."""
        decoding = self.model.start(prompts)
        if not isinstance(decoding.logits, torch.Tensor) or not decoding.logits.is_floating_point():
            raise ModelError(f"the logits of {type(self.model).__name__} must be a torch tensor of floats")
        expected = (len(prompts), len(self.vocabulary))
        shape = tuple(decoding.logits.shape)
        if shape != expected:
            raise ModelError(
                f"{type(self.model).__name__} gave scores of shape {list(shape)} for {expected[0]} prompts "
                f"and a vocabulary of {expected[1]} tokens; they must have the shape {list(expected)}"
            )
        return decoding

    def encode(
        self, prompt: Prompt, raw: bool = False, *, forced_bos_token_id: int | None = None
    ) -> EncodedPrompt:
        """Encode a prompt with the tokenizer, or else with the vocabulary itself."""
        if self.tokenizer is not None:
            return encode_prompt(self.tokenizer, prompt, raw=raw)
        text = messages_or_text(prompt, raw=False, has_template=False)
        return EncodedPrompt(_spelled(self.vocabulary, str(text)), str(text))

    def decode(self, tokens: Sequence[int], prompt: EncodedPrompt | None = None) -> str:
        """Return the text of generated tokens up to the end token, from the vocabulary's bytes."""
        written = up_to_end(tokens, self.vocabulary.end_ids)
        return self.vocabulary.decode(tuple(written)).decode(errors="replace")

    def check_length(self, prompt: EncodedPrompt, max_new_tokens: int) -> None:
        """Raise `PromptError` if prompt and text exceed the model's context."""
        if self.context is not None:
            require_room(len(prompt.ids), max_new_tokens, self.context)

    def processors(
        self, prompt_length: int, max_new_tokens: int, settings: Mapping[str, Any] | None = None
    ) -> tuple[Sequence[Any], bool]:
        """Return no processors; raise for settings that would need a generation config."""
        if settings:
            raise ValueError(
                f"{', '.join(sorted(settings))}: unknown setting, and only a model of Hugging "
                "Face's has a generation config; pass a processor of your own as logits_processor=[…]"
            )
        return (), False


def is_language_model(model: Any) -> bool:
    """Return whether an object implements the protocol itself; no model of Hugging Face does."""
    return isinstance(model, LanguageModel)


def _spelled(vocabulary: Vocabulary, text: str) -> TokenIds:
    """Return the tokens of a prompt, with a space in front if only pieces such as " dog" can spell it."""
    if not text:
        return ()
    ways = (vocabulary.segment(text), vocabulary.segment(" " + text))
    tokens = next((way for way in ways if way), ())
    if not tokens:
        known = max(_reach(vocabulary, text), _reach(vocabulary, " " + text) - 1)
        raise PromptError(
            "the model's vocabulary cannot spell the prompt: no token continues with "
            f"{text[known : known + 12]!r} after {text[max(0, known - 20) : known]!r}"
        )
    return tokens


def _reach(vocabulary: Vocabulary, text: str) -> int:
    """Return how many characters at the start of a text some tokens can spell."""
    data = text.encode("utf-8", "surrogatepass")
    ends = {0}
    for end in range(1, len(data) + 1):
        starts = range(max(0, end - vocabulary.table.longest), end)
        if any(start in ends and data[start:end] in vocabulary.token_of for start in starts):
            ends.add(end)
    return len(data[: max(ends)].decode("utf-8", "ignore"))
