"""Dialogue responses (Wen et al., NAACL 2016): what an assistant for hotels or restaurants says.

`acts` reads the data. `slots` has the words that name a slot, `fact_phrases` those that say a fact, and
`formulas` makes the constraint on a text. `act_sentences` turns an act into a plain sentence, from which
`prompts` makes the input of a model. `slot_error` counts the facts that a text misses or adds,
`shared_references` borrows references from similar acts, and `task` combines all this into an experiment.
"""

from __future__ import annotations

from neurologic.experiments.tasks.dialogue.acts import parse_act
from neurologic.experiments.tasks.dialogue.formulas import formula
from neurologic.experiments.tasks.dialogue.prompts import instruction
from neurologic.experiments.tasks.dialogue.task import Dialogue

__all__ = ["Dialogue", "formula", "instruction", "parse_act"]
