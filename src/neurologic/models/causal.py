"""Run causal language models (GPT-2, Llama, Qwen, Mistral, Mamba, …) behind the protocol of `base`.

The model reads each prompt once, and a beginning that all prompts share only once for all of them. Every
later step reads one token per row: as branches of one tree per input where the model supports that
(`causal_tree`), otherwise row by row (`causal_rows`). Models that cannot be padded read prompts of different
lengths in separate batches (`rows_by_length`). Limit: text only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from neurologic.errors import PromptError
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.base import EncodedPrompt
from neurologic.models.cached_rows import CachedRows
from neurologic.models.causal_rows import CausalReader
from neurologic.models.causal_tree import TreeRows, reads_trees
from neurologic.models.internals.calling_convention import CausalConvention
from neurologic.models.internals.supported_models import require_supported
from neurologic.models.rows_by_length import RowsByLength, start_by_length


class CausalModel:
    """A causal model that can start decodings; it keeps no state between them."""

    is_encoder_decoder = False

    def __init__(self, model: Any, vocabulary: Vocabulary, *, pad_id: int = 0) -> None:
        require_supported(model)
        self.model = model
        self.vocabulary = vocabulary
        self.pad_id = pad_id
        self._reader = CausalReader(model, pad_id)

    @property
    def convention(self) -> CausalConvention:
        """How to call the model."""
        return self._reader.convention

    @cached_property
    def reads_trees(self) -> bool:
        """Whether the rows of an input can share one line of the cache; tried when first needed."""
        return reads_trees(self._reader, self.vocabulary)

    def start(self, prompts: Sequence[EncodedPrompt]) -> TreeRows | CachedRows | RowsByLength:
        """Read every prompt; see `LanguageModel.start`."""
        if not prompts or not all(prompt.ids for prompt in prompts):
            raise PromptError("a causal model needs at least one token of prompt")
        ids = [prompt.ids for prompt in prompts]
        if not self.convention.can_pad:
            return start_by_length(ids, len, self._reader.read, pad_id=self.pad_id)
        rows = self._reader.read(ids)
        return TreeRows(self._reader, rows) if self.reads_trees else rows
