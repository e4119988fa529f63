"""Dialogue responses (Wen et al., NAACL 2016): what an assistant for hotels or restaurants says.

`acts` reads the data; `slots` has the words of its slots, `forms` those of their values, `formulas` what a
text must say; `templates` makes a sentence of an act, `prompts` what a model is asked; `slot_error` counts
what a text misses or adds, `exchange` makes references of other acts; `task` makes an experiment of them.
"""

from __future__ import annotations

from neurologic.experiments.tasks.dialogue.acts import Act, Fact, distinct, parse_act, read_lines
from neurologic.experiments.tasks.dialogue.formulas import formula
from neurologic.experiments.tasks.dialogue.prompts import SETTINGS, conversation, instruction, supervised
from neurologic.experiments.tasks.dialogue.task import Dialogue
from neurologic.experiments.tasks.dialogue.templates import sentence

__all__ = [
    "SETTINGS",
    "Act",
    "Dialogue",
    "Fact",
    "conversation",
    "distinct",
    "formula",
    "instruction",
    "parse_act",
    "read_lines",
    "sentence",
    "supervised",
]
