"""Phrases that say a fact."""

from __future__ import annotations

from neurologic.experiments.tasks.dialogue.fact_phrases import indifference


def test_all_values_will_do_is_said_of_nouns():
    assert {"any area", "all areas", "any neighborhood"} <= {*indifference("area")}
    for odd in ("all area", "various where", "various what city", "all close to"):
        assert odd not in indifference("near")
