"""WinoMT (Stanovsky et al., ACL 2019): translation that gives persons the right gender.

`sentences` reads the data, `coreference` says who has which gender, `lexicon` has the nouns, `french` and
`german` know how they show gender, and `formulas` makes the constraint on a translation. `alignment`,
`gender_scorer` and `gender_metrics` score translations; `task` makes an experiment of it all.
"""

from __future__ import annotations

from neurologic.experiments.tasks.winomt.task import WinoMT

__all__ = ["WinoMT"]
