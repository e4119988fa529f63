"""Scores against references."""

from __future__ import annotations

from neurologic.experiments.tasks.base import Item
from neurologic.experiments.tasks.reference_scores import corpus_of, reference_scores


def test_one_item_without_references_makes_all_scores_unavailable():
    items = [Item("1", "first", "", references=("A dog.",)), Item("2", "second", "")]
    scores = reference_scores(corpus_of(["A dog.", "A\ncat."], items), items)
    assert [score.name for score in scores] == ["rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice"]
    assert {score.reason for score in scores} == {"second has no references"}
    scores = reference_scores(corpus_of(["A cat."], items[1:]), items[1:])
    assert {score.reason for score in scores} == {"the data has no references"}
