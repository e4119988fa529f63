"""The laws of `neurologic.testing` on tiny models, with the models' own forward pass as the reference."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import torch

from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.causal import CausalModel
from neurologic.models.encoder_decoder import EncoderDecoderModel
from neurologic.testing import TrackedDecoding
from neurologic.testing.model_laws import Reference, Row
from tiny.families import ALL_CAUSAL, ENCODER_DECODER, SIZE

FAMILIES = {**ALL_CAUSAL, **ENCODER_DECODER}
FIRST = 3  # the first token that is not special
VOCABULARY = Vocabulary((None,) * FIRST + (b"x",) * (SIZE - FIRST), frozenset({2}), lambda text: ())


def adapter_of(model: Any) -> Any:
    kind = EncoderDecoderModel if model.config.is_encoder_decoder else CausalModel
    return kind(model, VOCABULARY)


def random_prompts(
    lengths: Sequence[int],
    *,
    beginning: tuple[int, ...] = (),
    opening: tuple[int, ...] = (),
    seed: int = 7,
) -> list[EncodedPrompt]:
    """Return prompts of these lengths, after a common beginning."""
    numbers = random.Random(seed)
    return [
        EncodedPrompt((*beginning, *(numbers.randrange(FIRST, SIZE) for _ in range(length))), opening=opening)
        for length in lengths
    ]


def tracked(model: Any, prompts: Sequence[EncodedPrompt]) -> TrackedDecoding:
    """Start prompts on a tiny model; `check` compares with its own forward pass."""
    adapter = adapter_of(model)
    return TrackedDecoding(adapter, prompts, reference=uncached(adapter))


def uncached(adapter: Any) -> Reference:
    """Return a function that runs texts anew: no cache, no padding."""

    @torch.no_grad()
    def scores(rows: Sequence[Row]) -> torch.Tensor:
        lengths = [(len(prompt.ids), len(tokens)) for prompt, tokens in rows]
        expected = torch.empty(len(rows), SIZE)
        for length in set(lengths):
            numbers = [number for number, other in enumerate(lengths) if other == length]
            expected[numbers] = run([rows[number] for number in numbers])
        return expected

    def run(rows: Sequence[Row]) -> torch.Tensor:
        if adapter.is_encoder_decoder:
            output = adapter.model(
                input_ids=torch.tensor([prompt.ids for prompt, _ in rows]),
                decoder_input_ids=torch.tensor(
                    [(adapter.start_id, *prompt.opening, *tokens) for prompt, tokens in rows]
                ),
                use_cache=False,
            )
        else:
            output = adapter.model(input_ids=torch.tensor([prompt.ids + tokens for prompt, tokens in rows]))
        return output.logits[:, -1]

    return scores
