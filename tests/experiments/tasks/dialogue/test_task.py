"""Dialogue as a task: inputs, outputs of other programs, scores."""

from __future__ import annotations

import pytest

from experiments.tasks.dialogue.sample_data import items
from neurologic.errors import DataError
from neurologic.experiments.tasks.dialogue import Dialogue
from neurologic.experiments.tasks.dialogue.task import spoken


def test_an_input_is_an_act_or_a_line(folder):
    assert [item.title for item in items(folder)] == [
        "hotel inform(name=red inn; near=soma)",
        "hotel goodbye()",
        "hotel inform(name=blue inn; near=nob hill)",
        "restaurant ?request(food)",
        "restaurant inform_count(type=restaurant; count=2; kidsallowed=yes)",
    ]
    lines = items(folder, inputs="lines", domain="hotel")
    assert [len(item.references) for item in lines] == [2, 1, 2, 1]
    assert lines[0].prompt == lines[2].prompt
    assert len({item.id for item in lines}) == 4


def outputs(folder, text, chosen):
    path = folder / "outputs.txt"
    path.write_text(text)
    return Dialogue().outputs(path, folder, "dev", chosen)


def test_outputs_for_acts_lines_or_the_chosen(folder):
    every = items(folder)
    assert outputs(folder, "1\n2\n3\n4\n5\n", every) == ["1", "2", "3", "4", "5"]
    assert outputs(folder, "1\n2\nx\n3\n4\n5\n", every) == ["1", "2", "3", "4", "5"]
    assert outputs(folder, "1\n2\n3\n4\n5\n", items(folder, inputs="lines")) == ["1", "2", "1", "3", "4", "5"]
    lines = items(folder, inputs="lines")
    assert outputs(folder, "1\n2\nx\n3\n4\n5\n", lines) == ["1", "2", "x", "3", "4", "5"]
    assert outputs(folder, "1\n2\nx\n3\n4\n5\n", [lines[5], lines[2]]) == ["5", "x"]
    assert outputs(folder, "4\n1\n", [every[3], every[0]]) == ["4", "1"]
    assert outputs(folder, "1\n2\n3\n4\n5\n", [every[3], every[0]]) == ["4", "1"]


def test_outputs_of_one_domain_or_of_both(folder):
    hotels = items(folder, domain="hotel")
    assert outputs(folder, "1\n2\n3\n", hotels) == ["1", "2", "3"]
    assert outputs(folder, "1\n2\n3\n4\n5\n", hotels) == ["1", "2", "3"]
    for path in (folder / "restaurant").iterdir():
        path.unlink()
    assert outputs(folder, "1\n2\n3\n", hotels) == ["1", "2", "3"]


def test_another_number_of_outputs_is_reported(folder):
    with pytest.raises(DataError, match=r"has 2 lines; expected 5 \(one per act\), or 6 \(one per line of"):
        outputs(folder, "1\n2\n", items(folder))


@pytest.fixture
def metrics(monkeypatch):
    for package in Dialogue.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")  # METEOR takes ten seconds


def test_scores_by_all_metrics(metrics, folder):
    chosen = items(folder)
    perfect = [item.references[0] for item in chosen]
    scores = {score.name: score.value for score in Dialogue().measure(perfect, chosen)}
    assert [*scores] == [
        *("rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage", "slot_error")
    ]
    assert (scores["slot_error"], scores["coverage"]) == (0, 100)
    assert scores["bleu_4"] == pytest.approx(100)


def test_case_and_punctuation_do_not_count(metrics, folder):
    chosen = items(folder)
    plain = [item.references[0] for item in chosen]
    written = [f"{text.capitalize()}." for text in plain]
    assert [score.value for score in Dialogue().measure(written, chosen)] == [
        score.value for score in Dialogue().measure(plain, chosen)
    ]
    assert spoken("It’s “Red Inn”, a\nplace.") == "it's red inn a place"


def test_an_act_for_which_nobody_said_anything_has_scores_without_references(metrics, folder):
    (folder / "hotel" / "valid.json").write_text('[["bye()", "bye"], ["goodbye()", " "]]')
    chosen = items(folder, domain="hotel")
    scores = {score.name: score for score in Dialogue().measure(["bye", "bye, no dogs"], chosen)}
    assert (scores["coverage"].value, scores["slot_error"].value) == (100, 100)
    assert len(scores) == 8
    for name in {*scores} - {"coverage", "slot_error"}:
        assert scores[name].value is None
        assert scores[name].reason == "hotel goodbye() has no references"
