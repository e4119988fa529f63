"""Beam search as Hugging Face transformers does it, text for text: the yardstick without constraints.

Costs O(N·k) model calls for texts of N tokens and k beams. Cannot express any constraint: special tokens and
bytes that are no text may appear, a text may end at any time, and texts that read the same both take a place;
of `num_return_sequences` texts that read the same one is returned. N-gram blocking looks at generated tokens
only, where Hugging Face's looks at the prompt as well.
"""

from __future__ import annotations

import torch

from neurologic.search.beam import Beam, Rule
from neurologic.search.decoder import Decoder, Selection


class BeamSearch(Decoder):
    """The k likeliest continuations of the whole matrix go on; an end counts if it is among them."""

    name = "beam"
    rule = Rule.FREE

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        k = beam.settings.num_beams
        flat, size = scores.reshape(-1), scores.shape[-1]
        # Should all of the first k end, there are still k others: one more for every token that ends.
        spare = max(2, 1 + len(beam.constraint.vocabulary.end_ids))
        values, indices = flat.topk(min(spare * k, flat.numel()))
        selection = Selection()
        is_last = beam.length + 1 == beam.settings.max_new_tokens
        for rank, (logprob, index) in enumerate(zip(values.tolist(), indices.tolist(), strict=True)):
            if logprob == float("-inf"):
                break
            candidate = beam.consider(index // size, index % size, logprob)
            selection.considered.append(candidate)
            if candidate.ends and rank < k:
                candidate.fate = "finished"
                selection.ending.append(candidate)
            elif not candidate.ends and len(selection.running) < k and (rank < k or not is_last):
                candidate.fate = "selected"
                selection.running.append(candidate)
            else:
                candidate.fate = "not selected"
        return selection
