"""WinoMT (Stanovsky et al., ACL 2019): translation that gives persons the right gender.

`sentences` reads the data, `coreference` says who has which gender, `lexicon` which nouns there are,
`french` and `german` how they show gender, `formulas` what a translation must contain. `alignment`,
`reading`, `judging` and `scores` are the scorer, and `task` makes an experiment of it all.
"""

from __future__ import annotations

from neurologic.experiments.tasks.winomt.coreference import genders
from neurologic.experiments.tasks.winomt.formulas import formula, official
from neurologic.experiments.tasks.winomt.lexicon import Pair, Person, people, read_lexicon
from neurologic.experiments.tasks.winomt.sentences import Sentence, read_sentences
from neurologic.experiments.tasks.winomt.task import SETTINGS, WinoMT

__all__ = [
    "SETTINGS",
    "Pair",
    "Person",
    "Sentence",
    "WinoMT",
    "formula",
    "genders",
    "official",
    "people",
    "read_lexicon",
    "read_sentences",
]
