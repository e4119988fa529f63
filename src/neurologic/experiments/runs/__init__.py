"""Have a model write texts for a task, keep them, score them, and compare decoders.

An evaluation (`neurologic eval`) scores the texts of systems on inputs of a task:

    subset        choose inputs of a split
    shared_setup  what the runs of several decoders share
    manifest      everything that decides the texts of a run
    folder        keep predictions in a folder, and resume there
    finished_runs runs that are on disk, to compare them
    generation    have a model write the missing texts
    prediction    the outcome of one input
    evaluation    scores of systems on the same inputs, and their differences
    result_files  write outputs, scores and report beside the run
    side_by_side  a page to grade texts on, without the names of systems
    grades        figures of such grades

A comparison (`neurologic compare`) puts the texts of decoders side by side, without scores: `comparison`.

Both share `run_statistics` (counts and means over predictions), `diversity` (repeated and different words)
and `report` with the HTML templates. Nothing here loads a model.
"""

from neurologic.experiments.runs.comparison import ComparedInput, Comparison
from neurologic.experiments.runs.evaluation import Evaluation, ScoredSystem, score_system
from neurologic.experiments.runs.finished_runs import finished_runs
from neurologic.experiments.runs.folder import RunFolder
from neurologic.experiments.runs.generation import generate_missing
from neurologic.experiments.runs.prediction import Prediction
from neurologic.experiments.runs.shared_setup import Experiment
from neurologic.experiments.runs.subset import Subset

__all__ = [
    "ComparedInput",
    "Comparison",
    "Evaluation",
    "Experiment",
    "Prediction",
    "RunFolder",
    "ScoredSystem",
    "Subset",
    "finished_runs",
    "generate_missing",
    "score_system",
]
