"""The formula of a concept set."""

from __future__ import annotations

import pytest

from experiments.tasks.commongen.sample_data import DATA, items, real, write
from neurologic.errors import DataError
from neurologic.experiments.tasks.commongen.formulas import formula
from neurologic.logic import check, to_clauses


def forms(one):
    return [[literal.atom.text for literal in clause.literals] for clause in to_clauses(one.formula)]


def test_the_formula_takes_any_inflected_form():
    first, second = to_clauses(formula(("catch", "dog")))
    assert "caught" in [literal.atom.text for literal in first.literals]
    assert second.text == "inflect(dog, any)"


def test_forms_by_part_of_speech_or_all_of_them(tmp_path):
    write(tmp_path, concepts="dog run\n", described=[("dog_N#run_V", [])])
    (tagged,), (every,) = items(tmp_path), items(tmp_path, forms="every")
    assert forms(tagged) == [["dog", "dogs"], ["run", "ran", "running", "runs"]]
    assert "dogged" in forms(every)[0]


def test_the_official_clauses(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\n")
    (tmp_path / "dev.clauses.jsonl").write_text(
        '[["dog", "Dogs"], ["park"]]\n[["hill"], ["ski", "skiing"]]\n'
    )
    (tmp_path / "dev.clauses.concepts.txt").write_text("dog_N#park_N\nhill_N#ski_V")
    first, second = items(tmp_path, forms="official")
    assert (forms(first), forms(second)) == ([["hill"], ["ski", "skiing"]], [["dog", "Dogs"], ["park"]])
    assert all(report.satisfied for report in check(second.formula, "Two dogs in the park"))


def test_official_clauses_of_the_same_words_go_by_part_of_speech(tmp_path):
    described = [("cut_V#style_V", ["a"]), ("cut_V#style_N", ["b"])]
    write(tmp_path, concepts="cut style\nstyle cut\n", sentences="a\nb\n", described=described)
    (tmp_path / "dev.clauses.jsonl").write_text('[["cut"], ["style"]]\n[["cut"], ["styled"]]\n')
    (tmp_path / "dev.clauses.concepts.txt").write_text("cut_V#style_N\ncut_V#style_V\n")
    assert [forms(one)[1] for one in items(tmp_path, forms="official")] == [["styled"], ["style"]]


@pytest.mark.parametrize(
    ("lines", "concepts", "message"),
    [
        (None, "", r"there is no .*dev\.clauses\.jsonl"),
        ('[["dog"]]\n', "a_N\nb_N\n", "has 1 lines, and dev.clauses.concepts.txt has 2"),
        ('[["dog"]]\n', "dog_N\n", "no clauses for the concepts ski hill"),
        ("{}\n", "hill_N#ski_V\n", "line 1: expected a list of clauses"),
        ("[\n", "hill_N#ski_V\n", "line 1: not JSON"),
        ("[[1]]\n", "hill_N#ski_V\n", "line 1: "),
    ],
)
def test_official_clauses_that_do_not_fit_are_reported(tmp_path, lines, concepts, message):
    write(tmp_path, concepts="ski hill\n")
    if lines is not None:
        (tmp_path / "dev.clauses.jsonl").write_text(lines)
        (tmp_path / "dev.clauses.concepts.txt").write_text(concepts)
    with pytest.raises(DataError, match=message):
        items(tmp_path, forms="official")


@real
@pytest.mark.parametrize("forms", ["part-of-speech", "every", "official"])
def test_sentences_of_people_satisfy_the_formulas(forms):
    """Nearly: the concepts were taken from some of them, and people took liberties with others."""
    found = items(DATA, forms=forms)
    reports = [report for one in found[::10] for report in check(one.formula, one.references[-1])]
    assert sum(report.satisfied for report in reports) / len(reports) > (0.8 if forms == "official" else 0.98)
