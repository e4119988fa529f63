"""Align the words of a translation with those of its source: fast_align (Dyer et al., NAACL 2013).

The published scorer uses the same model. The implementation is Thot's (`sil-thot`); grow-diag-final-and
combines the alignments of both directions, which comes nearest to the published figures
(docs/experiments/winomt.md). The aligner trains on the very pairs that it aligns and always starts from the
same point, so the same pairs in the same order give the same alignments. White space separates words; they
keep case and punctuation, as in the published scorer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neurologic.experiments.metrics.optional_packages import package, version

ITERATIONS = 5


def align(
    sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]
) -> list[dict[int, tuple[int, ...]]]:
    """Return for each pair the places of target words by the place of the source word that they translate."""
    thot = package("thot.alignment", extra="winomt")
    pairs = [(list(source), list(target)) for source, target in zip(sources, targets, strict=True)]
    aligner = thot.SymmetrizedAligner(
        _trained(thot, pairs), _trained(thot, [(target, source) for source, target in pairs])
    )
    aligner.heuristic = thot.SymmetrizationHeuristic.GROW_DIAG_FINAL_AND
    return [_places(aligner, source, target) if source and target else {} for source, target in pairs]


def signature(pairs: int) -> str:
    """Return the part of a score's signature that names the aligner."""
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
