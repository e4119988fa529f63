"""CommonGen (Lin et al., Findings of EMNLP 2020): one sentence with all concepts of a set.

`concept_sets` reads the data, as CommonGen's own files or (`hub`) as the hub's; `prompts` has what a model is
asked, `formulas` what its text must contain, and `task` makes an experiment of them.
"""

from __future__ import annotations

from neurologic.experiments.tasks.commongen.concept_sets import ConceptSet, read_concepts, read_sets
from neurologic.experiments.tasks.commongen.formulas import formula
from neurologic.experiments.tasks.commongen.prompts import SETTINGS, conversation, instruction, supervised
from neurologic.experiments.tasks.commongen.task import CommonGen

__all__ = [
    "SETTINGS",
    "CommonGen",
    "ConceptSet",
    "conversation",
    "formula",
    "instruction",
    "read_concepts",
    "read_sets",
    "supervised",
]
