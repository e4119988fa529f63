"""Workloads: what all sides of a scenario write, and how large it is.

A workload has settings for all sides. Its prompts and formulas are either fixed, one tuple of formulas per
side of ours, or dealt anew for every run (`FreshInputs`). It runs nothing; `sides` and its neighbours do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from neurologic.logic import Formula

OURS = "neurologic"
HINTED = "neurologic with the hint"
OURS_INT8 = "neurologic int8"
REFERENCE = "Hugging Face"
CTRANSLATE2 = ("CTranslate2 float32", "CTranslate2 int8")
SERVED = "serve"
FROM_FILE = "generate -i"
NEW = "new formulas"
AGAIN = "the same again"

CountTokens = Callable[[str], int]  # counts the tokens of a prompt, with the chat template

BATCH = 8


@dataclass(frozen=True)
class Size:
    """The size of all workloads.

    tokens          tokens per text of fixed length
    prompt_tokens   tokens of the long prompt in (b)
    clauses         numbers of clauses in (d), beside the formula of negatives only
    sweeps          rounds of (d) per round of the others
    inputs          inputs of (e); `batch` is their batch size, `natural_tokens` the most tokens of a text
    batches         batch sizes of (g)
    required        numbers of required words in (h)
    served          inputs of (s), and the `clients` that send them
    sentences       inputs of (i)
    """

    tokens: int
    prompt_tokens: int
    clauses: tuple[int, ...]
    sweeps: int
    inputs: int
    batch: int
    natural_tokens: int
    batches: tuple[int, ...]
    required: tuple[int, ...]
    served: int
    clients: int
    sentences: int


FULL = Size(
    tokens=32,
    prompt_tokens=512,
    clauses=(0, 1, 10, 100, 1_000, 3_000),
    sweeps=3,
    inputs=64,
    batch=8,
    natural_tokens=32,
    batches=(1, 8, 32, 64),
    required=(5, 10, 20, 40, 100),
    served=32,
    clients=16,
    sentences=20,
)
QUICK = Size(
    tokens=6,
    prompt_tokens=128,
    clauses=(1, 1_000),
    sweeps=1,
    inputs=3,
    batch=2,
    natural_tokens=8,
    batches=(1, 8),
    required=(5,),
    served=4,
    clients=2,
    sentences=3,
)


class Inputs(NamedTuple):
    """Prompts with a formula each."""

    prompts: tuple[str, ...]
    formulas: tuple[Formula | None, ...]


@dataclass(frozen=True)
class Workload:
    """Prompts and settings of all sides, and the formulas of neurologic's.

    letter    the letter of its first scenario, followed by a number if the scenario has several workloads
    formulas  per side one formula, or None, per prompt
    fresh     deals new prompts and formulas for every run, instead of `prompts` and `formulas`
    natural   whether texts end by themselves; otherwise all have `max_new_tokens`
    times     rounds per round of the others: ratios near 1 need more
    clients   clients of the server, which send the prompts; 0 without one. Then Hugging Face has no part
    others    sides that are neither neurologic nor Hugging Face, without formulas
    sampling  whether texts are drawn instead of searched for
    """

    letter: str
    title: str
    prompts: tuple[str, ...]
    formulas: Mapping[str, tuple[Formula | None, ...]]
    num_beams: int
    max_new_tokens: int
    fresh: Callable[[], Inputs] | None = field(default=None, compare=False)
    natural: bool = False
    batch_size: int = BATCH
    times: int = 1
    clients: int = 0
    others: tuple[str, ...] = ()
    sampling: bool = False

    @property
    def min_new_tokens(self) -> int:
        return 0 if self.natural else self.max_new_tokens

    @property
    def sides(self) -> tuple[str, ...]:
        if self.fresh is not None:
            return NEW, AGAIN
        return tuple(self.formulas) if self.clients else (*self.formulas, *self.others, REFERENCE)
