"""Train models on pairs of a source and a target text, or on the targets alone (domain adaptation).

`train.train` does everything in one call, and continues a training that was stopped. transformers' trainer
does the work. Tasks make the pairs.
"""

from neurologic.experiments.training.folder import TrainingError
from neurologic.experiments.training.pairs import Pair
from neurologic.experiments.training.settings import TrainingSettings

__all__ = ["Pair", "TrainingError", "TrainingSettings"]
