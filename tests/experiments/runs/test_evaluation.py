"""Scores, figures, and comparisons with the first system."""

from dataclasses import replace

from experiments.runs.toy import Toy, answer, item
from neurologic.errors import PromptError
from neurologic.experiments.metrics import Difference, Goal, Interval
from neurologic.experiments.runs import Evaluation, Prediction, score_system
from neurologic.experiments.runs.evaluation import significance
from neurologic.generation.result import Result

ITEMS = tuple(item(number, "dog & !cat") for number in range(20))


def system(name, said, items=ITEMS):
    predictions = [Prediction.from_result(asked.id, answer(asked, said), 0.5) for asked in items]
    return score_system(Toy(), items, name, {"decoder": name}, predictions)


def test_scores_with_signatures_and_what_the_run_was():
    document = system("beam", "A dog {}.").to_json()
    assert document["scores"] == {"exact": 100.0}
    assert document["signature"] == "decoder:beam|inputs:20"
    assert document["signatures"]["exact"].startswith("exact|inputs:20|refs:2|data:")
    assert document["run"] == {"decoder": "beam"}
    assert document["figures"]["clauses_satisfied"] == 100


def test_others_are_compared_with_the_first():
    evaluation = Evaluation(
        Toy(), ITEMS, (system("a", "A dog {}."), system("b", "A cat {}."), system("c", "A dog."))
    )
    differences = {name: difference for name, (difference,) in evaluation.differences.items()}
    assert {name: found.difference.value for name, found in differences.items()} == {"b": -100.0, "c": 0.0}
    assert {name: significance(found) for name, found in differences.items()} == {"b": -1, "c": 0}
    document = evaluation.to_json()
    assert (list(document["systems"]), document["compared_with"]) == (["a", "b", "c"], "a")
    assert document["differences"]["b"][0]["p_value"] < 0.01


def test_a_better_system_is_significantly_better():
    evaluation = Evaluation(Toy(), ITEMS, (system("a", "A cat."), system("b", "A dog.")))
    assert significance(evaluation.differences["b"][0]) == 1


def test_where_lower_is_better_the_lower_system_is_better():
    high, low = (Interval(value, value, value) for value in (40.0, 10.0))
    drop = Interval(-30.0, -31.0, -29.0)
    assert significance(Difference("extra", high, low, drop, 0.001, "", Goal.LOW)) == 1
    assert significance(Difference("extra", high, low, drop, 0.001, "", Goal.HIGH)) == -1
    assert significance(Difference("extra", high, low, drop, 0.2, "", Goal.LOW)) == 0


def test_one_input_cannot_be_drawn_from():
    first = ITEMS[:1]
    evaluation = Evaluation(Toy(), first, (system("a", "A dog.", first), system("b", "A dog.", first)))
    assert evaluation.differences == {}
    assert evaluation.differences_table() is None


def test_the_worst_come_first():
    outputs = ["A dog 0.", "A dog and a cat.", "A cat.", "My dog."]
    predictions = [Prediction.from_output(*pair) for pair in zip(ITEMS, outputs, strict=False)]
    predictions.append(Prediction(ITEMS[4].id, Result("", 0.0, error=PromptError("too long"))))
    first = score_system(Toy(), ITEMS[:5], "file", {}, predictions)
    # the failure, two unmet, one unmet, none of the references, the best
    assert Evaluation(Toy(), ITEMS[:5], (first,)).worst_first() == [4, 2, 1, 3, 0]


def test_the_table_of_scores_marks_significant_differences():
    evaluation = Evaluation(Toy(), ITEMS, (system("a", "A dog {}."), system("b", "A cat {}.")))
    table = evaluation.scores_table()
    first, second = table.blocks[0].rows
    assert table.headings[:2] == ("Exact", "clauses %")
    assert [row.cells[0].marked_text for row in (first, second)] == ["100.0", "0.0 ▼"]
    assert second.cells[table.headings.index("clauses %")].text == "0.0"
    assert table.note == "20 inputs; in percent"


def test_the_table_of_differences_has_p_values():
    systems = (system("a", "A dog {}."), system("b", "A dog."))
    table = Evaluation(Toy(), ITEMS, systems).differences_table()
    assert (table.corner, table.headings) == ("minus a", ("Exact (p)",))
    (row,) = table.blocks[0].rows
    assert (row.name, row.cells[0].text) == ("b", "+0.0 (1.000)")


def test_several_parts_of_the_inputs_are_scored_one_by_one():
    items = tuple(
        replace(each, part="even" if number % 2 == 0 else "odd") for number, each in enumerate(ITEMS)
    )

    def half_right(name, right):
        said = ["A dog {}." if each.part == right else "A cat." for each in items]
        predictions = [
            Prediction.from_result(each.id, answer(each, text), 0.5)
            for each, text in zip(items, said, strict=True)
        ]
        return score_system(Toy(), items, name, {}, predictions)

    evaluation = Evaluation(Toy(), items, (half_right("a", "even"), half_right("b", "odd")))
    table = evaluation.scores_table()
    shown = {block.title: [row.cells[0].marked_text for row in block.rows] for block in table.blocks}
    assert shown == {"even": ["100.0", "0.0 ▼"], "odd": ["0.0", "100.0 ▲"], "all inputs": ["50.0", "50.0"]}
    differences = evaluation.differences_table()
    assert differences is not None
    assert [block.title for block in differences.blocks] == list(shown)
    parts = evaluation.to_json()["parts"]
    assert parts["odd"]["systems"]["b"]["scores"] == {"exact": 100.0}
    assert parts["odd"]["systems"]["b"]["figures"]["texts"] == 10


def test_one_part_is_no_part():
    assert "parts" not in Evaluation(Toy(), ITEMS, (system("a", "A dog."),)).to_json()
