"""Everyday texts as a task: which inputs it gives, and how it scores texts."""

from __future__ import annotations

import pytest

from neurologic.experiments.metrics import Score, measure
from neurologic.experiments.metrics.base import Corpus
from neurologic.experiments.tasks.base import Item, WrittenText, options_of
from neurologic.experiments.tasks.everyday import Everyday
from neurologic.experiments.tasks.everyday.mark_metrics import FailureFree, mark_scores, marked_texts
from neurologic.logic import parse

TASK = Everyday()
MUG = Item("mug", "mug", "Write about a mug.", parse("ceramic & lid & handle"))


def items(**options: str) -> list[Item]:
    return TASK.items("", "", options_of(TASK, options))


def scores(*texts: WrittenText) -> dict[str, Score]:
    found = mark_scores(marked_texts(texts, [MUG] * len(texts)))
    return {score.name: score for score in found}


def test_options_choose_half_and_prompts():
    everything = items()
    assert len(everything) == 160
    naming, plain = items(prompts="naming"), items(prompts="plain")
    assert len(naming) == len(plain) == 80
    assert {item.id for item in naming} | {item.id for item in plain} == {item.id for item in everything}
    tune, report = items(half="tune"), items(half="report")
    assert sorted(item.id for item in (*tune, *report)) == sorted(item.id for item in everything)
    assert {item.part for item in everything} == {naming[0].part, plain[0].part}


def test_both_prompts_of_a_task_have_the_same_formula_and_budget():
    naming, plain = items()[:2]
    assert naming.prompt != plain.prompt
    assert str(naming.formula) == str(plain.formula)
    assert naming.settings == plain.settings == {"max_new_tokens": 80}


def test_a_text_with_a_mark_is_not_failure_free():
    good = "The mug is ceramic. It has a lid, and its handle stays cool."
    found = scores(WrittenText(good), WrittenText("Ceramic lid handle. A mug for you."))
    assert found["failure_free"].per_input == (100.0, 0.0)
    assert found["failure_free"].value == 50
    assert found["mark_clump"].per_input == (0.0, 100.0)


def test_an_input_without_a_text_is_not_failure_free():
    assert scores(WrittenText(" "))["failure_free"].value == 0


def test_the_end_of_a_run_decides_whether_a_text_is_cut_off():
    headline = "A ceramic mug with a lid and a handle"
    whole, cut = (scores(WrittenText(headline, cut_off)) for cut_off in (False, True))
    assert (whole["mark_cut_off"].value, cut["mark_cut_off"].value) == (0, 100)


def test_scores_of_the_same_inputs_compare_and_others_do_not():
    first, again = (scores(WrittenText(text))["failure_free"] for text in ("A lid.", "A mug."))
    assert first.signature == again.signature
    other = mark_scores(marked_texts([WrittenText("A lid.")], [items()[0]]))[0]
    assert other.signature != first.signature


def test_texts_that_nobody_searched_for_marks_have_no_score():
    score = measure(FailureFree(), Corpus(("A lid.",), ((),)))
    assert score.value is None
    assert "marks" in score.reason


def test_judges_come_after_the_marks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    names = [score.name for score in TASK.measure(["A lid."], [MUG])]
    assert names[0] == "failure_free"
    assert names[-2:] == ["unlinked", "fluency"]
    *_, unlinked, fluency = TASK.measure(["A lid."], [MUG])
    assert "link-parser" in unlinked.reason
    assert "--judge-model" in fluency.reason


def test_outputs_of_another_program_are_lines(tmp_path):
    chosen = items(half="tune", prompts="plain")
    path = tmp_path / "outputs.txt"
    path.write_text("".join(f"Text {number}.\n" for number in range(len(chosen))))
    assert TASK.outputs(path, "", "", chosen)[:2] == ["Text 0.", "Text 1."]
