"""The page: worst first, words marked, everything escaped, nothing from outside."""

from dataclasses import replace

from experiments.comparison.test_page import Reader
from experiments.runs.toy import Toy, item
from neurologic.experiments.runs import Contest, of_output, page_of, scored
from neurologic.experiments.runs.keeping import keep_contest, keep_system
from neurologic.experiments.runs.predictions import Prediction

EVIL = "<script>alert('&')</script>\""


def system(name, items, outputs):
    predictions = [of_output(one, output) for one, output in zip(items, outputs, strict=True)]
    return scored(Toy(), items, name, {"predictions": name}, predictions)


def contest(*outputs_of_each, title="", reference=""):
    items = [item(number, "inflect(dog) & !cat") for number in range(len(outputs_of_each[0]))]
    if title or reference:
        items[0] = replace(items[0], title=title, references=(reference,))
    systems = (system(f"system {n}", items, outputs) for n, outputs in enumerate(outputs_of_each))
    return Contest(Toy(), tuple(items), tuple(systems), {"split": "dev"})


def test_inputs_come_worst_first():
    page = page_of(contest(["A dog 0.", "A bird.", "My dogs."]))
    places = [page.index(f'<span class="rank">dev-{number}</span>') for number in (1, 2, 0)]
    assert places == sorted(places)


def test_words_that_were_asked_for_are_marked_and_unmet_clauses_listed():
    page = page_of(contest(["Two dogs.", "A cat."]))
    assert 'Two <mark class="found">dogs</mark>.' in page
    assert '<span class="unseen">forbidden: </span>cat</mark>' in page
    assert page.count("✗ unmet: inflect(dog)") == 1
    assert "✗ unmet: !cat" in page


def test_scores_references_and_signatures_are_shown():
    page = page_of(contest(["A dog 0.", "A dog."]))
    text = "".join(Reader(page).text)
    assert "Exact 100" in text
    assert "2 references" in text
    assert "A dog 1." in text
    assert "exact|inputs:2|" in text
    assert "predictions:system 0|inputs:2" in text


def test_several_systems_stand_side_by_side_with_their_significance():
    right = [f"A dog {number}." for number in range(20)]
    page = page_of(contest(right, ["A dog is it."] * 20))
    assert page.count("<article>") == 40
    assert 'class="number worse">0.0<span class="unseen"> worse than the first</span>' in page
    assert "significantly better or worse than system 0" in page


def test_a_failure_and_an_empty_output_are_shown():
    items = (item(0), item(1))
    predictions = [Prediction("dev-0", "", error=f"too long {EVIL}"), of_output(items[1], "")]
    page = page_of(Contest(Toy(), items, (scored(Toy(), items, "file", {}, predictions),)))
    assert "failed: too long &lt;script&gt;" in page
    assert "<em>nothing</em>" in page


def test_all_text_is_escaped_and_nothing_is_fetched():
    page = page_of(contest([f"A dog {EVIL}", "A dog."], title=EVIL, reference=EVIL))
    reader = Reader(page)
    assert "script" not in reader.tags
    assert "".join(reader.text).count("alert('&')") == 3
    assert not {"src", "href", "onclick", "style"} & {name for name, _ in reader.attributes}
    assert "url(" not in page
    assert "@import" not in page


def test_files_of_a_system_and_of_several(tmp_path):
    both = contest(["A dog\n0.", "\ud800"], ["A dog.", "My dog."])
    keep_system(tmp_path, replace(both, systems=both.systems[:1]))
    assert (tmp_path / "outputs.txt").read_text() == "A dog 0.\n?\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outputs.txt", "report.html", "scores.json"]
    keep_contest(tmp_path, both)
    assert "system 1" in (tmp_path / "report.html").read_text()
