"""Encode pairs of texts as tokens to train on.

A causal model learns to continue the source with a space, the target and the end of text; only the target and
the end count for the loss. An encoder–decoder reads the source and learns to write the target. Without
sources (adaptation) a causal model learns the targets as whole texts, an encoder–decoder to write them from
an empty source.

Sources become the same tokens as raw prompts of `generate`, so that a trained model reads what it has learned
from. Limits: one end token, no packing of several examples into one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neurologic.errors import ModelError
from neurologic.experiments.training.pairs import Pair
from neurologic.models.prompts import encode_prompt

IGNORED = -100  # torch's label for tokens that do not count for the loss


@dataclass(frozen=True)
class Example:
    """The tokens of a pair.

    input_ids  source and target for a causal model, the source for an encoder–decoder
    labels     for a causal model every token of `input_ids`, or `IGNORED` in its place; for an
               encoder–decoder the tokens to write
    """

    input_ids: tuple[int, ...]
    labels: tuple[int, ...]

    @property
    def size(self) -> int:
        """Tokens to read and to write, to which the model's work is proportional."""
        return len(self.input_ids) + len(self.labels)


class Encoder:
    """Encodes pairs for one model and its tokenizer."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._config = model.config
        self._opening = getattr(model.generation_config, "forced_bos_token_id", None)
        self.end_id = _end_id(model, tokenizer)
        self.is_encoder_decoder = bool(model.config.is_encoder_decoder)

    def __call__(self, pairs: Sequence[Pair], *, adapt: bool = False) -> list[Example]:
        """Return an example per pair, in their order; `adapt` ignores the sources."""
        if not pairs:
            return []
        sources = [""] * len(pairs) if adapt else [pair.source for pair in pairs]
        targets = [" ".join(pair.target.split()) for pair in pairs]
        encode = self._encoder_decoder if self.is_encoder_decoder else self._causal
        return encode(sources, targets)

    def _causal(self, sources: Sequence[str], targets: Sequence[str]) -> list[Example]:
        prompts = {source: self._prompt(source) for source in dict.fromkeys(sources)}
        texts = [
            f"{source} {target}" if source else target
            for source, target in zip(sources, targets, strict=True)
        ]
        wholes = self._plain_ids(texts)
        return [
            self._continued(prompts[source], whole, target)
            for source, whole, target in zip(sources, wholes, targets, strict=True)
        ]

    def _continued(self, prompt: _Prompt, whole: tuple[int, ...], target: str) -> Example:
        read = prompt.ids
        if prompt.plain and whole[: len(prompt.plain)] != prompt.plain:
            # The tokenizer merges the end of the source with the target, which `generate` cannot do.
            written = self._plain_ids([f" {target}"])[0]
        else:
            written = whole[len(prompt.plain) :]
        ids = (*read, *written, self.end_id)
        return Example(ids, (*(IGNORED for _ in read), *written, self.end_id))

    def _prompt(self, source: str) -> _Prompt:
        """Encode the source as `generate` does; an empty one as the special tokens before every text."""
        if not source:
            return _Prompt(self._front(), ())
        return _Prompt(encode_prompt(self._tokenizer, source, raw=True).ids, self._plain_ids([source])[0])

    def _front(self) -> tuple[int, ...]:
        """Return the special tokens before any text; most tokenizers like GPT-2's have none."""
        ids, plain = encode_prompt(self._tokenizer, "a", raw=True).ids, self._plain_ids(["a"])[0]
        return ids[: len(ids) - len(plain)]

    def _plain_ids(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        return [tuple(ids) for ids in self._tokenizer(list(texts), add_special_tokens=False)["input_ids"]]

    def _encoder_decoder(self, sources: Sequence[str], targets: Sequence[str]) -> list[Example]:
        read = self._tokenizer(list(sources))["input_ids"]
        written = self._tokenizer(text_target=list(targets))["input_ids"]
        return [
            Example(tuple(ids) or (self.end_id,), self._labels(tuple(labels)))
            for ids, labels in zip(read, written, strict=True)
        ]

    def _labels(self, ids: tuple[int, ...]) -> tuple[int, ...]:
        """Return the tokens to write, from after the decoder's start token to the end of text."""
        start = getattr(self._config, "decoder_start_token_id", None)
        if ids and ids[0] == start and self._opening is None:
            ids = ids[1:]  # BERT's tokenizer adds the start token, which the decoder has already
        return ids if ids and ids[-1] == self.end_id else (*ids, self.end_id)


@dataclass(frozen=True)
class _Prompt:
    """All tokens of a source, and those without special tokens."""

    ids: tuple[int, ...]
    plain: tuple[int, ...]


def _end_id(model: Any, tokenizer: Any) -> int:
    """Return the token that ends a text."""
    if tokenizer.eos_token_id is not None:
        return int(tokenizer.eos_token_id)
    declared = getattr(model.generation_config, "eos_token_id", None)
    ends = declared if isinstance(declared, (list, tuple)) else [declared]
    if ends[0] is None:
        raise ModelError(
            f"neither {type(model).__name__} nor {type(tokenizer).__name__} names an end-of-text token, "
            "so a model could not learn where to stop"
        )
    return int(ends[0])
