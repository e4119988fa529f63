"""Words of translations aligned with those of their sources."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from neurologic.experiments.metrics import UnavailableError

needs_aligner = pytest.mark.skipif(
    importlib.util.find_spec("thot") is None, reason="the aligner (sil-thot) is not installed"
)


def test_a_missing_aligner_names_the_extra(monkeypatch):
    from neurologic.experiments.tasks.winomt.alignment import align

    monkeypatch.setitem(sys.modules, "thot", None)
    monkeypatch.delitem(sys.modules, "thot.alignment", raising=False)
    with pytest.raises(UnavailableError, match=r"thot is not installed: .*neurologic.*\[winomt\]"):
        align([["the", "cook"]], [["die", "Köchin"]])


@needs_aligner
def test_an_aligner_finds_the_words_of_a_noun():
    from neurologic.experiments.tasks.winomt.alignment import align

    pairs = [("the cook", "die Köchin"), ("the baker", "der Bäcker"), ("the cook", "die Köchin")] * 20
    pairs += [("the baker saw the cook", "der Bäcker sah die Köchin")] * 20
    sources, targets = ([pair[side].split() for pair in pairs] for side in (0, 1))
    found = align(sources, targets)
    assert len(found) == len(pairs)
    assert found[-1][4] == (4,)
    assert found == align(sources, targets)  # nothing is left to chance


@needs_aligner
def test_an_empty_translation_is_aligned_to_nothing():
    from neurologic.experiments.tasks.winomt.alignment import align

    assert align([["the", "cook"], ["the", "cook"]], [[], ["die", "Köchin"]])[0] == {}
