"""Models of one's own behind `lm.generate`: any object that fulfils `base.LanguageModel`.

Prompts are cut into tokens by a Hugging Face tokenizer, where one is given, else by the vocabulary itself;
texts are read back by the vocabulary's bytes. Limits: a text continues its prompt, since only a tokenizer
knows chat templates; settings of generation configs are refused, since only Hugging Face's models have one;
so are the editing methods, which need caches and gradients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from neurologic.errors import ModelError, PromptError
from neurologic.matching.vocabulary import TokenIds, Vocabulary
from neurologic.models.base import Decoding, EncodedPrompt, LanguageModel
from neurologic.models.prompts import Prompt, check_messages, encode_prompt
from neurologic.models.tokenizers import check_vocabulary


@dataclass(frozen=True, eq=False)
class OwnModel:
    """A language model of the user's own, ready for the search; `neurologic.models.base.TextModel`."""

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
        """How many tokens the model can read; None where it names no limit."""
        return getattr(self.model, "context", None)

    def start(self, prompts: Sequence[EncodedPrompt]) -> Decoding:
        """Run every prompt once; what the model gives is looked at before the search relies on it."""
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
        """The tokens of a prompt, by the tokenizer or by the vocabulary itself."""
        if self.tokenizer is not None:
            return encode_prompt(self.tokenizer, prompt, raw=raw)
        if not isinstance(prompt, str):
            check_messages(prompt)
            raise PromptError(
                "this model has no chat template, so it takes a string, not a list of messages "
                "(write the conversation out as text, or wrap the model together with a tokenizer)"
            )
        return EncodedPrompt(_spelled(self.vocabulary, prompt), prompt)

    def decode(self, tokens: Sequence[int], prompt: EncodedPrompt | None = None) -> str:
        """The text of generated tokens up to the end token, by the vocabulary's bytes."""
        ends = self.vocabulary.end_ids
        end = next((place for place, token in enumerate(tokens) if token in ends), len(tokens))
        return self.vocabulary.decode(tuple(tokens[:end])).decode(errors="replace")

    def check_length(self, prompt: EncodedPrompt, max_new_tokens: int) -> None:
        """Raise `PromptError` if prompt and text exceed the model's context."""
        wanted = len(prompt.ids) + max_new_tokens
        if self.context is not None and wanted > self.context:
            raise PromptError(
                f"the prompt has {len(prompt.ids)} tokens and max_new_tokens is {max_new_tokens}, together "
                f"{wanted}; the model's context holds {self.context}"
            )

    def processors(
        self, prompt_length: int, max_new_tokens: int, settings: Mapping[str, Any] | None = None
    ) -> tuple[Sequence[Any], bool]:
        """None, for there is no generation config; settings that would need one are refused."""
        if settings:
            raise ValueError(
                f"{', '.join(sorted(settings))}: neurologic does not know this, and only a model of Hugging "
                "Face's has a generation config; give a processor of your own as logits_processor=[…]"
            )
        return (), False


def is_language_model(model: Any) -> bool:
    """Whether an object fulfils the protocol by itself, as no model of Hugging Face's does."""
    return isinstance(model, LanguageModel)


def _spelled(vocabulary: Vocabulary, text: str) -> TokenIds:
    """The tokens of a prompt. One that starts with a word gets the space that pieces such as " dog" bring."""
    if not text:
        return ()
    ways = (vocabulary.segment(text), vocabulary.segment(" " + text))
    tokens = next((way for way in ways if way), ())
    if not tokens:
        known = max(_reach(vocabulary, text), _reach(vocabulary, " " + text) - 1)
        raise PromptError(
            "the model's vocabulary cannot spell the prompt: no token goes on with "
            f"{text[known : known + 12]!r} after {text[max(0, known - 20) : known]!r}"
        )
    return tokens


def _reach(vocabulary: Vocabulary, text: str) -> int:
    """How many characters at the start of a text some tokens can spell."""
    data = text.encode("utf-8", "surrogatepass")
    ends = {0}
    for end in range(1, len(data) + 1):
        starts = range(max(0, end - vocabulary.table.longest), end)
        if any(start in ends and data[start:end] in vocabulary.token_of for start in starts):
            ends.add(end)
    return len(data[: max(ends)].decode("utf-8", "ignore"))
