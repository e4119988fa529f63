"""Top-k sampling (Fan et al., ACL 2018): draw each token from the k likeliest.

Costs O(N) model calls per text. Cannot express any constraint. `top_k` is the number of tokens, `temperature`
flattens or sharpens their distribution, `seed` fixes the draws.
"""

from __future__ import annotations

from neurologic.decoders.sampling import Sampler


class TopK(Sampler):
    """Draws from the k likeliest tokens."""

    name = "top-k"
