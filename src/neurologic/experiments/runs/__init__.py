"""A task, a model and a decoder: texts kept as they are written, their scores, and a page to read them.

`selection` chooses inputs, `experiment` is what the runs of several decoders share, `writing` has a model
write, `predictions` is what became of an input, `runs` keeps predictions in a folder and goes on where an
earlier process stopped, `manifest` says what a run is, `scoring` scores, `figures` sums up what scores do not
say, `report` writes HTML, and `keeping` puts the results beside the run. All of it is the same for every task
(see `tasks.base`). Nothing here loads a model: `neurologic eval` and `neurologic reproduce` do.
"""

from neurologic.experiments.runs.experiment import Experiment
from neurologic.experiments.runs.manifest import manifest
from neurologic.experiments.runs.predictions import Prediction, of_output
from neurologic.experiments.runs.report import page_of
from neurologic.experiments.runs.runs import Run, kept
from neurologic.experiments.runs.scoring import Contest, System, scored
from neurologic.experiments.runs.selection import Selection
from neurologic.experiments.runs.writing import continued

__all__ = [
    "Contest",
    "Experiment",
    "Prediction",
    "Run",
    "Selection",
    "System",
    "continued",
    "kept",
    "manifest",
    "of_output",
    "page_of",
    "scored",
]
