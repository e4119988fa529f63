"""Which words of a translation stand for which words of its source: fast_align (Dyer et al., NAACL 2013).

It is the model of the published scorer. The implementation is Thot's (`sil-thot`), whose alignments of both
directions are put together by grow-diag-final-and, which comes nearest to the published figures
(docs/winomt.md). It is trained on the very pairs that it aligns, always from the same start, so the same
pairs in the same order give the same alignments. Words are what white space separates, case and punctuation
kept, as in the published scorer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neurologic.experiments.metrics.requirements import package, version

Words = Sequence[str]

ITERATIONS = 5


def align(sources: Sequence[Words], targets: Sequence[Words]) -> list[dict[int, tuple[int, ...]]]:
    """For each pair, the places of target words by the place of the source word that they stand for."""
    thot = package("thot.alignment", extra="winomt")
    pairs = [(list(source), list(target)) for source, target in zip(sources, targets, strict=True)]
    aligner = thot.SymmetrizedAligner(
        _trained(thot, pairs), _trained(thot, [(target, source) for source, target in pairs])
    )
    aligner.heuristic = thot.SymmetrizationHeuristic.GROW_DIAG_FINAL_AND
    return [_places(aligner, source, target) if source and target else {} for source, target in pairs]


def signature(pairs: int) -> str:
    """The part of a score's signature that says how words were aligned."""
    return (
        f"aligner:fast_align-thot-{version('sil-thot', extra='winomt')}|iterations:{ITERATIONS}|"
        f"symmetrized:grow-diag-final-and|trained_on:{pairs}-pairs-scored"
    )


def _trained(thot: Any, pairs: Sequence[tuple[list[str], list[str]]]) -> Any:
    model = thot.FastAlignModel()
    for source, target in pairs:
        if source and target:
            model.add_sentence_pair(source, target, 1)
    model.start_training()
    for _ in range(ITERATIONS):
        model.train()
    model.end_training()
    return model


def _places(aligner: Any, source: list[str], target: list[str]) -> dict[int, tuple[int, ...]]:
    _, matrix = aligner.get_best_alignment(source, target)
    rows = matrix.to_numpy()  # [source words, target words], 1 where aligned
    return {
        place: tuple(int(other) for other in row.nonzero()[0]) for place, row in enumerate(rows) if row.any()
    }
