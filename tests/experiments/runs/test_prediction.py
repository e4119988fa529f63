"""The outcome of an input as a line of JSON, and back."""

import json
from dataclasses import replace

from experiments.runs.toy import answer, item
from neurologic.errors import ExpressivityError, PromptError
from neurologic.experiments.runs import Prediction, RunFolder
from neurologic.generation.result import Result
from neurologic.marks import Mark


def line_of(asked, result, folder):
    with RunFolder(folder, {}) as run:
        run.add(asked, result, 0.25)
    return json.loads((folder / "predictions.jsonl").read_text())


def failure(error):
    return Result("", 0.0, error=error)


def test_a_line_says_everything_of_an_outcome(tmp_path):
    asked = item(7, "dog & cat", fields={"concepts": ["dog", "cat"]})
    result = replace(answer(asked), marks=(Mark("echo", "A dog"),))
    line = line_of(asked, result, tmp_path)
    assert {name: line[name] for name in ("id", "concepts", "text", "score", "satisfied", "unmet")} == {
        "id": "dev-7",
        "concepts": ["dog", "cat"],
        "text": "A dog 7.",
        "score": -0.5,
        "satisfied": False,
        "unmet": ["cat"],
    }
    assert {name: line[name] for name in ("forced", "ending", "logprob", "tokens", "calls", "seconds")} == {
        "forced": 0,
        "ending": "end",
        "logprob": -1.0,
        "tokens": 2,
        "calls": 3,
        "seconds": 0.25,
    }
    read = Prediction.from_json(line)
    assert read == Prediction.from_result("dev-7", result, 0.25)
    assert (read.output, read.unmet, read.clauses) == ("A dog 7.", ("cat",), result.clauses)


def test_everything_that_a_result_may_say_comes_back(tmp_path):
    result = Result("A", -1.5, forced=2, ending="time", before="x", reduced="base form", calls=9, reused=4)
    assert Prediction.from_json(line_of(item(1), result, tmp_path)).result == result


def test_an_opening_is_part_of_the_output_and_not_of_the_text(tmp_path):
    asked = item(1, opening="The")
    line = line_of(asked, answer(asked, " dog"), tmp_path)
    assert (line["text"], line["output"], Prediction.from_json(line).output) == (" dog", "The dog", "The dog")


def test_a_failure_is_a_line_with_an_error(tmp_path):
    line = line_of(item(1), failure(PromptError("too long")), tmp_path)
    found = Prediction.from_json(line)
    assert (line["error"], found.error, found.output, found.refused) == ("too long", "too long", "", False)


def test_a_refusal_is_reported_from_other_failures(tmp_path):
    found = Prediction.from_json(line_of(item(1), failure(ExpressivityError("no")), tmp_path))
    assert (found.error, found.refused) == ("no", True)


def test_the_outputs_of_other_programs_are_judged_too():
    prediction = Prediction.from_output(item(1, "dog & !cat"), "A dog and a cat.")
    assert (prediction.unmet, prediction.seconds) == (("!cat",), None)


def test_an_opening_in_the_output_of_another_program_is_not_judged():
    prediction = Prediction.from_output(item(1, "dog & !cat", opening="A cat"), "A cat: dog")
    assert (prediction.unmet, prediction.output) == ((), "A cat: dog")
