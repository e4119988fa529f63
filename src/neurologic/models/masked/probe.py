"""Find out how to call a masked model by trying it on a few tokens.

There are dozens of BERT-like architectures, and their signatures do not tell whether they follow a mask for
every pair of positions, where their positions start, or whether keys and values can be kept. So some short
forward passes, once per model, measure three things:

1. With everything visible, our arguments give the same scores as the model's own defaults.
2. A changed token changes the scores of the positions that see it, and of no other.
3. Running two columns at a time gives the same scores as running everything.

A model that fails 1 or 2 is refused; a model that fails 3 runs the whole text at every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from transformers import DynamicCache

from neurologic.errors import ModelError
from neurologic.models.internals.calling_convention import first_position, forward_parameters
from neurologic.models.masked.forward import AttentionCache, Columns, MaskedConvention, run

_SOURCE, _WRITTEN = 4, 3  # tokens of the trial; the last written one is the mask


def probe_convention(
    model: Any, *, size: int, pad_id: int, mask_id: int, type_ids: tuple[int, int] | None = None
) -> MaskedConvention:
    """Return how to call this model; raise `ModelError` with the reason if it cannot write text.

    `size` is the number of its tokens. `type_ids` replaces the token types of source and target.
    """
    _require_masks(model)
    silent = {pad_id, mask_id, getattr(model.config, "pad_token_id", None)}
    tokens = [token for token in range(size) if token not in silent]
    trial = _Trial(model, tokens, mask_id)
    candidates = [
        MaskedConvention(first, type_ids or _type_ids(model), _window(model), cached=False)
        for first in _first_positions(model)
    ]
    convention = trial.first_like_the_defaults(candidates)
    trial.require_mask_followed(convention)
    return replace(convention, cached=trial.is_cacheable(convention))


def _require_masks(model: Any) -> None:
    name = type(model).__name__
    if model.training:
        raise ModelError(f"{name} is in training mode; put it into evaluation mode first: model.eval()")
    if "attention_mask" not in forward_parameters(model):
        raise ModelError(f"{name} takes no attention mask, so nothing keeps it from seeing later tokens")
    if getattr(model.config, "attention_type", None) == "block_sparse":
        # BigBird replaces its own layers when it meets a short text; a trial would change the model.
        raise ModelError(
            f"{name} has block-sparse attention, which takes no mask per pair of positions; "
            'load it with attention_type="original_full"'
        )
    attention = str(getattr(model.config, "_attn_implementation", None))
    if "flash" in attention or "flex" in attention:
        raise ModelError(
            f"{name} runs with {attention}, which takes no mask per pair of positions; "
            'load it with attn_implementation="sdpa"'
        )


def _first_positions(model: Any) -> list[int | None]:
    """Return where positions may start, the likeliest first; None leaves them to the model."""
    if "position_ids" not in forward_parameters(model):
        return [None]
    return [*dict.fromkeys((first_position(model), 0)), None]


def _type_ids(model: Any) -> tuple[int, int] | None:
    """Return the token types of source and target; None if the model has fewer than two types."""
    config = model.config
    types = getattr(config, "type_vocab_size", 0) or 0
    if "token_type_ids" not in forward_parameters(model) or types < 2:
        return None
    # Of UniLM's six types, the first four are for other ways of training, the last two for source and target.
    source, target = (4, 5) if types == 6 else (0, 1)
    return getattr(config, "source_type_id", source), getattr(config, "target_type_id", target)


def _window(model: Any) -> int | None:
    if "sliding_attention" not in (getattr(model.config, "layer_types", None) or ()):
        return None
    try:
        return int(model.config.sliding_window)
    except Exception as error:  # configs with layers of different widths raise an error of their own
        raise ModelError(
            f"{type(model).__name__} has layers with local attention, but its config names no common width"
        ) from error


class _Trial:
    """Compares how the model scores a few fixed random tokens."""

    def __init__(self, model: Any, tokens: Sequence[int], mask_id: int) -> None:
        self._model = model
        self._tokens = tokens
        self._mask_id = mask_id
        # As a part of the largest score; half precision has three digits.
        self._tolerance = 1e-4 if torch.finfo(model.dtype).bits >= 32 else 3e-2

    def first_like_the_defaults(self, candidates: Sequence[MaskedConvention]) -> MaskedConvention:
        """Return the first convention that gives the model's own scores where nothing is masked."""
        # Longer than the window, to find out whether it means what we think.
        length = min(2 * (candidates[0].window or 0) + 9, self._most_positions())
        ids = self._sample(length)
        columns = Columns.padded_behind(torch.tensor([[length]], device=ids.device), length, 0)
        problem = "its scores differ from its default ones"
        cause: Exception | None = None
        for convention in candidates:
            types = {}
            if convention.type_ids is not None:
                types["token_type_ids"] = torch.full_like(ids, convention.type_ids[0])
            try:
                with torch.inference_mode():
                    default = self._model(input_ids=ids, return_dict=True, **types).logits
                if self._agree(default, run(self._model, convention, ids, columns)):
                    return convention
            except Exception as error:  # models raise whatever the first line raises that meets the mask
                problem, cause = "it takes only one per token", error
        raise self._refusal(problem) from cause

    def require_mask_followed(self, convention: MaskedConvention) -> None:
        """Raise if a token reaches a position that must not see it, or the mask token sees no text."""
        length = _SOURCE + _WRITTEN
        ids = self._sample(length)
        ids[0, -1] = self._mask_id
        places = (0, _SOURCE - 1, *range(_SOURCE, length))
        changed = ids.repeat(len(places) + 1, 1)  # [1 + places, length]; row 0 stays as it is
        for row, place in enumerate(places, start=1):
            changed[row, place] = self._another(int(ids[0, place]))
        lengths = torch.full((len(changed), 1), _SOURCE, device=ids.device)
        columns = Columns.padded_behind(lengths, _SOURCE, _WRITTEN)
        scores = run(self._model, convention, changed, columns)  # [1 + places, length, vocabulary]
        visible = columns.visible(length)[0]  # [length, length]
        for row, place in enumerate(places, start=1):
            for position in range(length):
                if not visible[position, place] and not self._agree(
                    scores[0, position], scores[row, position], strict=True
                ):
                    raise self._refusal(
                        "a position sees another in spite of the mask (through a convolution, say)"
                    )
            if place in (_SOURCE - 1, length - 2) and torch.equal(scores[0, -1], scores[row, -1]):
                raise self._refusal("the mask token does not see the text before it")

    def is_cacheable(self, convention: MaskedConvention) -> bool:
        """Return whether running two columns at a time gives the scores of running everything."""
        lengths = torch.tensor([[_SOURCE], [_SOURCE - 2]], device=self._model.device)
        sources = self._sample(_SOURCE).repeat(2, 1)
        text = self._sample(_WRITTEN).repeat(2, 1)
        mask = torch.full_like(text[:, :1], self._mask_id)
        cache = AttentionCache(DynamicCache())
        try:
            for written in range(_WRITTEN):
                new = text[:, written - 1 : written] if written else sources
                columns = Columns.padded_between(lengths, _SOURCE, written + 1)
                cached = run(self._model, convention, torch.cat([new, mask], dim=1), columns, cache)[:, -1]
                cache.cache.crop(-1)
                for row, length in enumerate(lengths[:, 0].tolist()):
                    ids = torch.cat([sources[row, :length], text[row, :written], mask[row]])[None]
                    alone = Columns.padded_behind(lengths[row : row + 1], length, written + 1)
                    if not self._agree(run(self._model, convention, ids, alone)[0, -1], cached[row]):
                        return False
        except (
            Exception
        ):  # models raise anything when attention gets foreign keys; run this one without a cache
            return False
        return True

    def _sample(self, length: int) -> torch.Tensor:
        """Return the same tokens every time, [1, length]."""
        generator = torch.Generator().manual_seed(length)
        drawn = torch.randint(len(self._tokens), (length,), generator=generator).tolist()
        return torch.tensor([[self._tokens[place] for place in drawn]], device=self._model.device)

    def _another(self, token: int) -> int:
        return self._tokens[0] if token != self._tokens[0] else self._tokens[-1]

    def _agree(self, scores: torch.Tensor, others: torch.Tensor, strict: bool = False) -> bool:
        """Compare up to rounding; `strict` for tensors that were computed in the same order."""
        if scores.shape != others.shape or not scores.isfinite().all():
            return False
        tolerance = self._tolerance / (100 if strict else 1)
        return float((scores - others).abs().max()) <= tolerance * float(scores.abs().max())

    def _most_positions(self) -> int:
        limit = getattr(self._model.config, "max_position_embeddings", None)
        return limit - 2 if isinstance(limit, int) else 1 << 30  # RoBERTa's family has two fewer

    def _refusal(self, reason: str) -> ModelError:
        return ModelError(
            f"{type(self._model).__name__} cannot write text from left to right, since it does not follow an "
            f"attention mask for every pair of positions: {reason}"
        )
