"""A decoding beside the plain list of rows that it should be: with it the laws of all models are checked."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any

import torch

from models.tiny_models import ALL_CAUSAL, ENCODER_DECODER, SIZE
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel
from neurologic.models.encoder_decoder import EncoderDecoderModel

FAMILIES = {**ALL_CAUSAL, **ENCODER_DECODER}
VOCABULARY = Vocabulary((b"x",) * SIZE, frozenset({2}), lambda text: ())
Row = tuple[int, tuple[int, ...]]  # the input, and the tokens generated so far


class Harness:
    """A decoding beside the plain list of rows that it should be."""

    def __init__(self, model: Any, lengths: Sequence[int], *, opening: tuple[int, ...] = ()) -> None:
        self.model = model
        self.random = random.Random(7)
        self.opening = opening
        kind = EncoderDecoderModel if model.config.is_encoder_decoder else CausalModel
        self.adapter = kind(model, VOCABULARY)
        self.prompts = [tuple(self.random.randrange(3, SIZE) for _ in range(length)) for length in lengths]
        self.decoding = self.adapter.start([EncodedPrompt(ids, opening=opening) for ids in self.prompts])
        self.rows: list[Row] = [(index, ()) for index in range(len(lengths))]

    def advance(self, parents: Sequence[int]) -> None:
        tokens = [self.random.randrange(3, SIZE) for _ in parents]
        self.decoding.advance(torch.tensor(parents), torch.tensor(tokens))
        self.rows = [
            (self.rows[parent][0], (*self.rows[parent][1], token))
            for parent, token in zip(parents, tokens, strict=True)
        ]

    def branch(self, parents: Sequence[int]) -> Harness:
        other = copy.copy(self)
        other.decoding = self.decoding.branch(torch.tensor(parents))
        other.rows = [self.rows[parent] for parent in parents]
        return other

    def admit(self, lengths: Sequence[int], beginning: tuple[int, ...] = ()) -> None:
        more = [(*beginning, *(self.random.randrange(3, SIZE) for _ in range(length))) for length in lengths]
        self.decoding.admit([EncodedPrompt(ids) for ids in more])
        self.rows += [(len(self.prompts) + number, ()) for number in range(len(more))]
        self.prompts = self.prompts + more

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        self.decoding.rewind(count, logits)
        self.rows = [(index, tokens[: len(tokens) - count]) for index, tokens in self.rows]

    def join(self, other: Harness) -> None:
        self.decoding.join(other.decoding)
        self.rows = self.rows + other.rows

    def check(self) -> None:
        logits = self.decoding.logits
        assert logits.shape == (len(self.rows), SIZE)
        assert logits.dtype == torch.float32
        assert not logits.is_inference()  # processors may change it in place
        # Scores are of the order of 1. Round-off alone, which differs between machines, makes up to 3e-4 of
        # difference where a recurrent state is summed up in another order (Qwen3-Next).
        torch.testing.assert_close(logits, self.uncached(self.rows), atol=1e-3, rtol=0)

    @torch.no_grad()
    def uncached(self, rows: Sequence[Row]) -> torch.Tensor:
        """The scores after each text, run anew: no cache, no padding."""
        lengths = [(len(self.prompts[index]), len(tokens)) for index, tokens in rows]
        expected = torch.empty(len(rows), SIZE)
        for length in set(lengths):
            numbers = [number for number, other in enumerate(lengths) if other == length]
            expected[numbers] = self._run([rows[number] for number in numbers])
        return expected

    def _run(self, rows: Sequence[Row]) -> torch.Tensor:
        prompts = [self.prompts[index] for index, _ in rows]
        if isinstance(self.adapter, EncoderDecoderModel):
            start = (self.adapter.start_id, *self.opening)
            output = self.model(
                input_ids=torch.tensor(prompts),
                decoder_input_ids=torch.tensor([[*start, *tokens] for _, tokens in rows]),
                use_cache=False,
            )
        else:
            texts = [[*prompt, *tokens] for prompt, (_, tokens) in zip(prompts, rows, strict=True)]
            output = self.model(input_ids=torch.tensor(texts))
        return output.logits[:, -1]
