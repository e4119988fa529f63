"""The sides of scenario (i) beside neurologic and Hugging Face: neurologic in int8, and CTranslate2.

CTranslate2 gets the same tokens, batches, beams and longest length as the others, and as many threads. It
ranks finished texts by its own rule for the length penalty of 1. Converting and loading precede the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from neurologic.experiments.bench.results import Run
from neurologic.experiments.bench.workload import Workload
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.models.internals.quiet import quiet
from neurologic.models.loading import load

Batches = Sequence[Sequence[Sequence[str]]]  # batches of sentences of tokens


def in_int8(lm: ConstrainedModel) -> ConstrainedModel:
    """Load the same model once more, in int8."""
    return ConstrainedModel(load(lm.model.name_or_path, device="cpu", dtype="int8"))


def prepare_ctranslate2(
    lm: ConstrainedModel,
    workload: Workload,
    side: str,
    prompts: Sequence[Sequence[int]],
    clock: Callable[[], float],
    opened: ExitStack,
) -> Callable[[], Run]:
    """Convert the model for CTranslate2 and return a function that translates everything with it."""
    import ctranslate2

    folder = Path(opened.enter_context(TemporaryDirectory())) / "model"
    with quiet():
        ctranslate2.converters.TransformersConverter(lm.model.name_or_path).convert(str(folder))
    translator = ctranslate2.Translator(
        str(folder),
        compute_type=side.rpartition(" ")[2],
        inter_threads=1,
        intra_threads=torch.get_num_threads(),
    )
    sentences = [lm.tokenizer.convert_ids_to_tokens(list(ids)) for ids in prompts]
    size = workload.batch_size
    batches = [sentences[start : start + size] for start in range(0, len(sentences), size)]
    return partial(_translate, translator, workload, batches, clock)


def _translate(translator: Any, workload: Workload, batches: Batches, clock: Callable[[], float]) -> Run:
    started = clock()
    texts = [
        translated.hypotheses[0]
        for batch in batches
        for translated in translator.translate_batch(
            batch,
            beam_size=workload.num_beams,
            max_decoding_length=workload.max_new_tokens,
            length_penalty=1.0,
        )
    ]
    seconds = clock() - started
    return Run(seconds, texts=len(texts), tokens=sum(len(text) + 1 for text in texts))  # with the end token
