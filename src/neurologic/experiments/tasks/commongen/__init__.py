"""CommonGen (Lin et al., Findings of EMNLP 2020): one sentence with all concepts of a set.

`concept_sets` reads the data from CommonGen's own files and, with `hub_rows`, from the hub's. `prompts` and
`formulas` make the input of a model and the constraint on its text; `task` combines them into an experiment.
"""

from __future__ import annotations

from neurologic.experiments.tasks.commongen.concept_sets import read_concepts
from neurologic.experiments.tasks.commongen.formulas import formula
from neurologic.experiments.tasks.commongen.prompts import SETTINGS, conversation
from neurologic.experiments.tasks.commongen.task import CommonGen

__all__ = ["SETTINGS", "CommonGen", "conversation", "formula", "read_concepts"]
