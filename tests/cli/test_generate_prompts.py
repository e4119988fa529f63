"""`neurologic generate PROMPT …`: what a person sees, `--json`, options and their errors."""

from __future__ import annotations

import pytest

from echo_model import CRASH, INTERRUPT, UNCONSTRAINED

# The options with which the command line always asks for texts.
ALWAYS = {
    "ordered": True,
    "on_error": "return",
    "decoder": "neurologic",
    "reduce": False,
    "trace": None,
}


def test_shows_the_text_and_a_row_per_clause(lm, run):
    ended = run("generate", "a dog", "--include", "dog", "--exclude", "cat", "--hint", "off")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "The text of a dog.",
        "",
        "   state  clause  by",
        "✓  S4     dog     dog",
        "✓  S3     !cat    no cat",
        "score -0.500, 2 of 2 clauses satisfied",
    ]
    assert ended.err == ""


def test_shows_the_marks_of_a_text_on_one_line(lm, run):
    ended = run("generate", "red, green and blue", "--formula", "red & green & blue", *UNCONSTRAINED)
    assert ended.out.splitlines()[-1] == 'marks: list ("red, green and blue")'
    ended = run("generate", "a dog", "--decoder", "greedy", "--max-new-tokens", 10, "--json")
    assert ended.json["marks"] == [{"kind": "cut off", "excerpt": ""}]


def test_exit_code_1_when_a_clause_is_unmet(lm, run):
    ended = run("generate", "a dog", "--include", "frisbee", *UNCONSTRAINED)
    assert ended.code == 1
    assert "✗  S1     frisbee" in ended.out


def test_json_of_one_prompt_is_one_object(lm, run):
    ended = run("generate", "a dog", "--formula", "dog | wolf", "--json", "--hint", "off")
    assert ended.code == 0
    assert ended.json == {
        "prompt": "a dog",
        "text": "The text of a dog.",
        "score": pytest.approx(-0.5),
        "satisfied": True,
        "unmet": [],
        "clauses": [{"clause": "dog | wolf", "satisfied": True, "state": "S4", "by": ["dog"]}],
        "forced": 0,
        "marks": [],
    }


def test_several_prompts_give_a_list_in_their_order(lm, run):
    ended = run("generate", "one", "two", "three", "--json", "--batch-size", 2)
    assert [one["prompt"] for one in ended.json] == ["one", "two", "three"]
    assert lm.options["batch_size"] == 2


def test_prompts_may_stand_on_both_sides_of_an_option(lm, run):
    ended = run("generate", "one", "--include", "text", "two", "--json")
    assert [one["prompt"] for one in ended.json] == ["one", "two"]


def test_several_prompts_are_shown_under_headings(lm, run):
    ended = run("generate", "one", "two")
    assert "[1] one\nThe text of one.\n" in ended.out
    assert "[2] two\nThe text of two.\n" in ended.out


def test_further_texts_are_shown_and_listed(lm, run):
    (other,) = run("generate", "a", "--num-return-sequences", 2, "--json").json["others"]
    assert other["text"] != "The text of a."
    assert f"2.\n{other['text']}" in run("generate", "a", "--num-return-sequences", 2).out


def test_include_is_literal_and_formula_is_not(lm, run):
    ended = run("generate", "a", "--include", "run|ran", "--formula", "x | y", "--formula", "!z", "--json")
    assert [clause["clause"] for clause in ended.json["clauses"]] == ['"run|ran"', "x | y", "!z"]


def test_raw_and_system_change_what_the_model_gets(lm, run):
    assert run("generate", "Once", "--raw").code == 0
    run("generate", "Once", "--system", "Be brief.")
    assert lm.prompts == ["raw Once", "system: Be brief. / user: Once"]


def test_options_reach_the_library_under_its_names(lm, run):
    run(
        *("generate", "a", "--num-beams", 4, "--max-new-tokens", 9, "--min-new-tokens", 2, "--alpha", 50),
        *("--beta", 3, "--lambda", 0.25, "--length-penalty", 0.5, "--no-repeat-ngram", 3),
        *("--early-stopping", "never", "--num-return-sequences", 2, "--stop", ".", "--stop", "!"),
        *("--max-time", 1.5, "--seed", 7, "--batch-size", 3, "--decoder", "neurologic"),
        *("--model", "some/model", "--device", "cpu", "--dtype", "float32", "--threads", 2),
    )
    assert lm.options == {
        **ALWAYS,
        "num_beams": 4,
        "max_new_tokens": 9,
        "min_new_tokens": 2,
        "alpha": 50,
        "beta": 3,
        "lambda_": 0.25,
        "length_penalty": 0.5,
        "no_repeat_ngram_size": 3,
        "early_stopping": "never",
        "max_time": 1.5,
        "num_return_sequences": 2,
        "stop_strings": (".", "!"),
        "seed": 7,
        "batch_size": 3,
    }
    assert lm.loaded_with == {"name": "some/model", "device": "cpu", "dtype": "float32", "threads": 2}


def test_options_that_are_not_given_are_left_to_the_library(lm, run):
    run("generate", "a")
    assert lm.options == {**ALWAYS, "batch_size": 8}
    assert lm.loaded_with == {"name": "smollm2"}


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "give a prompt, or -i FILE"),
        (["a", "-i", "in.jsonl"], "not both"),
        (["a", "--formula", "dog &"], "--formula: formula, line 1, column 6"),
        (["a", "--include", ""], "--include: "),
        (["a", "--formula", "dog & !dog"], "dog is required and also forbidden"),
        (["a", "--num-beams", "0"], "num_beams must be a whole number of at least 1"),
        (["a", "--num-beams", "many"], "invalid int value: 'many'"),
        (["a", "--lambda", "nan"], "lambda_ must be a number of at least 0, not nan"),
        (["a", "--decoder", "magic"], "unknown decoder 'magic'; choose one of neurologic"),
        (["a", "--raw", "--system", "x"], "takes no --system"),
        (["a", "--json", "-o", "-"], "choose one"),
        (["a", "--trace", "-"], "--trace needs a file"),
        (["a", "--unheard-of"], "unknown arguments: --unheard-of"),
    ],
)
def test_bad_usage_is_told_before_a_model_is_loaded(lm, run, argv, message):
    ended = run("generate", *argv)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert lm.loaded_with is None


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["long " * 100], "neurologic: error: the prompt has 500 tokens"),
        (["a", "--include", "☃"], "neurologic: error: the model's vocabulary cannot spell ☃"),
        (["a", "--model", "nowhere"], "neurologic: error: there is no model of this name"),
    ],
)
def test_one_prompt_that_fails_is_bad_input(lm, run, argv, message):
    for extra in ([], ["--json"]):
        ended = run("generate", *argv, *extra)
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert ended.err.startswith(message)


def test_of_several_prompts_one_may_fail(lm, run):
    ended = run("generate", "one", "long " * 100, "three", "--json")
    assert ended.code == 1
    assert [one.get("error") for one in ended.json] == [None, "the prompt has 500 tokens", None]
    assert "warning: prompt 2: the prompt has 500 tokens" in run("generate", "one", "long " * 100).err


def test_warnings_are_one_line_each(lm, run):
    ended = run("generate", "a", "--include", "a" * 9, "--include", "b" * 9, "--max-new-tokens", 17)
    assert ended.err == (
        "warning: the formula may stay unsatisfied within 17 tokens: up to 19 tokens are needed\n"
    )


def test_a_bug_is_told_without_a_traceback_unless_debug_asks(lm, run):
    ended = run("generate", CRASH)
    assert ended.code == 2
    assert "neurologic: error: ZeroDivisionError: oh no" in ended.err
    assert "Traceback" not in ended.err
    assert "Traceback" in run("generate", CRASH, "--debug").err


def test_an_interrupted_prompt_ends_with_130(lm, run):
    ended = run("generate", INTERRUPT)
    assert (ended.code, ended.err) == (130, "neurologic: interrupted after 0 of 1\n")


def test_a_list_is_closed_when_the_run_is_interrupted(lm, run):
    ended = run("generate", "one", INTERRUPT, "--json", "--batch-size", 1)
    assert ended.code == 130
    assert [one["prompt"] for one in ended.json] == ["one"]
