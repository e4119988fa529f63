"""Training on pairs of a source and a target text: supervised, or on the targets alone (domain adaptation).

The trainer is transformers' own. `Training` ties a base model, pairs, settings and a folder together: it says
how long it will take, runs, and goes on where an earlier run was stopped. What the pairs are about is no
business of this package: tasks make them.
"""

from neurologic.experiments.training.folder import TrainingError
from neurologic.experiments.training.pairs import Pair
from neurologic.experiments.training.settings import TrainingSettings

__all__ = ["Pair", "TrainingError", "TrainingSettings"]
