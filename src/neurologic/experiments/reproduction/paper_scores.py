"""The paper's scores on CommonGen's test split (Lu et al., NAACL 2021, Tables 2, 3 and 4).

The curves of its figures are pictures without numbers, so they are not here. The row of A*esque is from its
successor (Lu et al., NAACL 2022), which does not print every metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

METRICS = ("rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage")

Values: TypeAlias = tuple[float | None, ...]  # in the order of METRICS

# Supervised models: beam search, NeuroLogic.
TABLE_2: Mapping[str, tuple[Values, Values]] = {
    "GPT-2": ((40.3, 34.2, 24.7, 27.6, 13.4, 27.1, 82.2), (42.8, 36.7, 26.7, 30.2, 14.7, 30.3, 97.7)),
    "BERT-Gen": ((42.4, 37.5, 27.0, 29.5, 14.9, 29.8, 89.2), (43.8, 38.9, 28.2, 30.9, 15.5, 31.4, 97.3)),
    "UniLM": ((44.3, 40.6, 29.9, 30.1, 15.5, 30.6, 90.5), (45.8, 42.8, 31.5, 31.7, 16.6, 32.5, 97.8)),
    "UniLM-v2": ((43.5, 39.2, 28.3, 30.6, 15.2, 30.8, 92.8), (44.2, 39.5, 28.5, 31.3, 16.8, 31.1, 97.9)),
    "BART": ((43.3, 39.9, 29.1, 30.4, 15.2, 30.6, 95.0), (44.7, 41.3, 30.6, 31.0, 15.9, 31.0, 98.7)),
    "T5-Large": ((43.9, 36.6, 26.9, 28.9, 14.3, 29.5, 89.7), (44.8, 38.5, 28.1, 30.7, 15.5, 30.8, 98.5)),
}

# Without supervision: beam search, NeuroLogic.
TABLE_3: Mapping[str, tuple[Values, Values]] = {
    "GPT, zero-shot": ((26.7, 3.0, 1.1, 9.2, 0.9, 8.0, 8.4), (41.3, 25.1, 15.9, 28.8, 11.7, 29.7, 97.4)),
    "GPT-2, zero-shot": ((19.7, 4.1, 1.5, 11.2, 0.4, 7.1, 8.3), (42.9, 34.4, 23.5, 30.7, 13.6, 31.4, 96.0)),
    "GPT-2, after domain adaptation": (
        (29.8, 9.5, 4.0, 11.7, 1.7, 8.0, 9.3),
        (42.4, 36.1, 25.1, 31.3, 13.9, 31.8, 96.1),
    ),
}

# Decoders on the supervised GPT-2 large.
TABLE_4: Mapping[str, Values] = {
    "greedy": (35.3, 25.2, 16.7, 25.8, 10.2, 24.4, 80.3),
    "top-k": (33.8, 22.5, 14.4, 24.9, 9.2, 22.7, 79.4),
    "top-p": (35.3, 25.0, 16.5, 25.7, 10.2, 24.1, 80.1),
    "beam": (40.3, 34.2, 24.7, 27.6, 13.4, 27.1, 82.2),
    "gbs": (37.6, 25.6, 16.8, 25.9, 11.1, 25.1, 97.2),
    "dba": (38.3, 28.1, 18.6, 26.7, 11.8, 26.0, 97.4),
    "vdba": (38.2, 27.8, 18.4, 26.7, 11.7, 26.1, 97.4),
    "neurologic": (42.8, 36.7, 26.7, 30.2, 14.7, 30.3, 97.7),
    "astar": (43.6, None, 28.2, None, 15.2, 30.8, 97.8),
}
