"""Several decoders on the same inputs: their figures, and a page to read their texts side by side.

`attempts` is what was tried and `record` keeps it, `figures` sums it up, `words` counts words for that,
`columns` says how a figure is called and shown, `spans` finds phrases in texts, `marking` says which parts of
a text matter, and `page` writes HTML. Nothing here imports torch or runs a model: `neurologic compare` does.
"""

from neurologic.experiments.comparison.attempts import Attempt, Input
from neurologic.experiments.comparison.figures import Figures, figures_of
from neurologic.experiments.comparison.page import page_of
from neurologic.experiments.comparison.record import Comparison

__all__ = ["Attempt", "Comparison", "Figures", "Input", "figures_of", "page_of"]
