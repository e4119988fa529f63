"""Top-p or nucleus sampling (Holtzman et al., ICLR 2020).

Draw each token from the smallest set of likeliest tokens that together have probability p.

Costs O(N) model calls per text. Cannot express any constraint. `top_p` is that probability, `temperature`
flattens or sharpens the distribution, `seed` fixes the draws.
"""

from __future__ import annotations

from neurologic.decoders.sampling import Sampler


class TopP(Sampler):
    """Draws from the nucleus of probability p."""

    name = "top-p"
