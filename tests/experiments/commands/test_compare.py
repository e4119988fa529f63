"""`neurologic compare`: several decoders on the same inputs, with a tiny real model or a stand-in."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import replace
from typing import Any

import pytest

import neurologic
from echo_model import INTERRUPT
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.generation.constrained_model import ConstrainedModel

SMALL = ("--num-beams", 3, "--max-new-tokens", 12)
FIGURES = (
    *("formula", "texts", "refused", "failed", "clauses_satisfied", "texts_satisfied", "log_likelihood"),
    *("distinct_1", "distinct_2", "repetition_1", "repetition_2", "seconds", "calls", "reused"),
    *("forced", "cut_off"),
)


@pytest.fixture(scope="module")
def tiny() -> Any:
    """A model of random weights: what it writes is nonsense, which obeys formulas all the same."""
    from decoders.editing.tiny import tiny_model

    return ConstrainedModel(tiny_model())


@pytest.fixture
def model(tiny, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(neurologic, "load", lambda name, **options: tiny)
    return tiny


@pytest.fixture
def batches(lm, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Decoder and size of each batch that the model of characters gets."""
    found: list[str] = []
    plain = lm.stream

    def stream(requests, *, decoder, **options):
        batch = list(requests)
        found.append(f"{decoder} {len(batch)}")
        return plain(batch, decoder=decoder, **options)

    monkeypatch.setattr(lm, "stream", stream)
    return found


# -- a real model ---------------------------------------------------------------------------------


def test_formulas_are_refused_by_decoders_that_cannot_express_them(model, run, write_lines):
    path = write_lines({"prompt": "dog", "include": ["fox"]}, {"prompt": "run", "formula": "sea & !dog"})
    ended = run("compare", "-i", path, "--decoders", "neurologic,dba,beam", "--json", *SMALL)
    assert ended.code == 1
    neurologic_, dba, beam = ended.json["decoders"]
    assert (neurologic_["texts"], neurologic_["clauses_satisfied"]) == (2, 100)
    assert (dba["texts"], dba["refused"], dba["formula"]) == (1, 1, "whole")
    assert (beam["texts"], beam["refused"], beam["log_likelihood"]) == (0, 2, None)
    lines = ended.err.splitlines()
    assert len(lines) == 2, "once per decoder"
    assert lines[0].startswith("warning: line 2: the decoder dba expresses required phrases only")
    assert "cannot obey !dog" in lines[0]
    assert lines[1].startswith(
        "warning: line 1: the decoder beam expresses no constraint, and cannot obey fox"
    )


def test_reduced_formulas_are_labelled_and_judged_as_a_whole(model, run, write_lines):
    path = write_lines(
        {"prompt": "dog", "formula": "(fox | sea) & !the"}, {"prompt": "run", "include": ["dog"]}
    )
    ended = run(
        "compare", "-i", path, "--decoders", "neurologic,cbs,dba,greedy", "--reduce", "--json", *SMALL
    )
    assert (ended.code, ended.err) == (0, "")
    rows = {row["decoder"]: row for row in ended.json["decoders"]}
    assert {name: row["formula"] for name, row in rows.items()} == {
        "neurologic": "whole",
        "cbs": "negatives left out (1); whole (1)",
        "dba": "sets → base form, negatives left out (1); whole (1)",
        "greedy": "constraints left out",
    }
    assert rows["neurologic"]["texts_satisfied"] == 100
    first = ended.json["inputs"][0]
    assert first["clauses"] == ["fox | sea", "!the"]
    assert [clause["clause"] for clause in first["texts"]["greedy"]["clauses"]] == first["clauses"]


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_likelihood_is_the_plain_models(model, run, write_lines, decoder):
    """Of whichever decoder: the sum that the model itself gives the text's tokens after the prompt."""
    import torch

    settings = decoder_named(decoder).accepted({"num_beams": 3, "max_new_tokens": 12, "edit_steps": 9})
    result = model.generate("The quick", "fox", decoder=decoder, reduce=True, **settings)
    prompt = model.tokenizer("The quick").input_ids
    with torch.no_grad():
        logits = model.model(torch.tensor([prompt + list(result.tokens)])).logits[0]
    following = torch.log_softmax(logits.float(), -1)[len(prompt) - 1 : -1]
    plain = following.gather(-1, torch.tensor(result.tokens).unsqueeze(-1)).sum().item()
    path = write_lines({"prompt": "The quick", "include": ["fox"]})
    edits = ("--edit-steps", 9) if "edit_steps" in settings else ()
    ended = run(
        "compare", "-i", path, "--decoders", f"{decoder},neurologic", "--reduce", "--json", *SMALL, *edits
    )
    compared = ended.json["inputs"][0]["texts"][decoder]
    assert compared["text"] == result.text
    assert compared["logprob"] == pytest.approx(plain, abs=1e-3)


def test_a_refused_input_does_not_harm_its_batch(model, run, write_lines):
    path = write_lines(
        {"prompt": "a", "include": ["fox"]}, {"prompt": "b", "exclude": ["the"]}, {"prompt": "c"}
    )
    ended = run("compare", "-i", path, "--decoders", "dba", "--json", *SMALL)
    assert ["error" in given["texts"]["dba"] for given in ended.json["inputs"]] == [False, True, False]


def test_the_page_and_the_lines(model, run, write_lines, read_output, tmp_path):
    path = write_lines(
        {"id": 5, "prompt": "<dog>", "include": ["fox"]}, {"id": 6, "prompt": "b", "include": ["sea"]}
    )
    page, out = tmp_path / "page.html", tmp_path / "out.jsonl"
    argv = ("--decoders", "dba,vdba", "--batch-size", 1, "--html", page, "-o", out, *SMALL)
    ended = run("compare", "-i", path, *argv)
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == ["decoder", "dba", "vdba"]
    assert [(line["decoder"], line["id"]) for line in read_output(out)] == [
        *(("dba", 5), ("vdba", 5), ("vdba", 6), ("dba", 6))
    ]
    assert {"text", "score", "clauses", "ending", "calls", "seconds"} <= read_output(out)[0].keys()
    assert run("check", "-i", out, "--json").json["lines"] == 4
    assert '<mark class="found">fox</mark>' in page.read_text(encoding="utf-8")
    assert "1.</span> &lt;dog&gt;" in page.read_text(encoding="utf-8")


def test_a_sample_of_commongen(model, run, tmp_path, monkeypatch):
    # The tiny tokenizer has no chat template: the last message is the prompt.
    plain = type(model).stream

    def stream(self, requests, **options):
        asked = [replace(given, prompt=given.prompt[-1]["content"], raw=True) for given in requests]
        return plain(self, asked, **options)

    monkeypatch.setattr(type(model), "stream", stream)
    (tmp_path / "commongen.dev.src_alpha.txt").write_text("dog run\ndog run\nsea cost\nfox jump\n")
    argv = ("--task", "commongen", "--data", tmp_path, "--limit", 2, "--decoders", "neurologic,dba,beam")
    ended = run("compare", *argv, "--reduce", "--num-beams", 2, "--json")
    assert ended.code == 0
    assert ended.json["settings"]["given"] == {"num_beams": 2}
    accepted = ended.json["settings"]["heeded"]
    assert {name: settings["no_repeat_ngram_size"] for name, settings in accepted.items()} == {
        "neurologic": 2,
        "dba": 2,
        "beam": 0,  # Hugging Face's blocking would count the n-grams of the examples in the prompt
    }
    assert [given["input"]["concepts"] for given in ended.json["inputs"]] == [["dog", "run"], ["sea", "cost"]]
    assert ended.json["decoders"][0]["texts_satisfied"] == 100
    assert ended.json["decoders"][1]["formula"] == "sets → base form"


def test_all_decoders_are_the_default_in_their_order(model, run):
    ended = run("compare", "dog", "--json", "--edit-steps", 5, *SMALL)
    assert (ended.code, ended.err) == (0, "")
    assert [row["decoder"] for row in ended.json["decoders"]] == list(DECODERS)
    assert sorted(ended.json["decoders"][0]) == sorted(("decoder", *FIGURES))
    assert sorted(ended.json["inputs"][0]["texts"]) == sorted(DECODERS)


# -- a model of characters ------------------------------------------------------------------------


def test_each_decoder_gets_the_settings_it_accepts(lm, run):
    argv = ("--decoders", "beam,gbs, top-k", "--num-beams", 4, "--rows", 20, "--top-k", 5, "--seed", 1)
    accepted = run("compare", "p", *argv, "--json").json["settings"]["heeded"]
    assert accepted == {
        "beam": {"num_beams": 4, "seed": 1},
        "gbs": {"num_beams": 4, "rows": 20, "seed": 1},
        "top-k": {"top_k": 5, "seed": 1},
    }


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["p", "--decoders", "beam,greedy", "--rows", 3], "rows has no effect on the decoders beam, greedy"),
        (["p", "--decoders", "beam,best"], "unknown decoder 'best'; choose one of neurologic"),
        (["p", "--decoders", ","], "--decoders needs names"),
        (["p", "--num-beams", 0], "num_beams must be a whole number of at least 1"),
        ([], "give a prompt, -i FILE or --task TASK"),
        (["p", "--task", "commongen"], "only one"),
        (["--task", "commongen"], "needs --data"),
        (["--task", "commongen", "--data", "/nowhere"], "there is no /nowhere/commongen.dev.src_alpha.txt"),
        (["--task", "commongen", "--data", ".", "--raw"], "neither --raw nor --system"),
        (["p", "--data", "."], "--data and --split are for --task"),
        (["p", "-o", "-"], "-o and --html need a file"),
        (["p", "--html", "same", "-o", "same"], "-o and --html are the same file"),
        (["p", "--include", "dog", "--exclude", "dog"], "required and also forbidden"),
        (["p", "--num-return-sequences", 2], "unknown arguments: --num-return-sequences 2"),
        (["p", "--html", "/nowhere/page.html"], "cannot write /nowhere/page.html"),
    ],
)
def test_bad_usage_is_reported_before_the_model_is_loaded(lm, run, tmp_path, monkeypatch, argv, message):
    monkeypatch.chdir(tmp_path)
    ended = run("compare", *argv)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert lm.loaded_with is None
    assert list(tmp_path.iterdir()) == [], "no file is left behind"


def test_every_batch_goes_to_all_decoders_in_turn(batches, run, write_lines):
    path = write_lines(*({"prompt": f"p{number}"} for number in range(3)))
    run("compare", "-i", path, "--decoders", "dba,beam", "--batch-size", 2)
    assert batches == ["dba 2", "beam 2", "beam 1", "dba 1"]


def test_bad_lines_are_kept_to_themselves(lm, run, write_lines, read_output, tmp_path):
    out = tmp_path / "out.jsonl"
    path = write_lines({"prompt": "a"}, "{", {"prompt": "long " * 100}, {"prompt": "b"}, {"prompt": "c"})
    ended = run("compare", "-i", path, "--decoders", "dba,beam", "--limit", 4, "--json", "-o", out)
    assert ended.code == 1
    assert [(row["texts"], row["failed"], row["refused"]) for row in ended.json["decoders"]] == [
        (2, 2, 0)
    ] * 2
    assert [line.partition(": not")[0] for line in ended.err.splitlines()] == [
        "warning: line 2",
        "warning: line 3: the prompt has 500 tokens",
    ], "once, not once per decoder"
    lines = read_output(out)
    assert [line["decoder"] for line in lines] == ["dba"] * 4 + ["beam"] * 4
    assert ["error" in line for line in lines] == [False, True, True, False] * 2


def test_inputs_of_which_none_can_be_used(lm, run, write_lines):
    ended = run("compare", "-i", write_lines("{", "["), "--decoders", "beam")
    assert (ended.code, ended.out) == (2, "")
    assert "no input can be used; line 1: not JSON" in ended.err
    assert "has no inputs" in run("compare", "-i", write_lines()).err
    assert lm.loaded_with is None


def test_ctrl_c_shows_what_was_done(lm, run, write_lines, read_output, tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "out.jsonl"
    path = write_lines({"prompt": "one"}, {"prompt": INTERRUPT}, {"prompt": "three"})
    argv = ("-i", path, "--decoders", "dba,beam", "--batch-size", 1, "--html", page, "-o", out)
    ended = run("compare", *argv, "--json")
    assert (ended.code, ended.err) == (130, "neurologic: interrupted after 2 of 6 texts\n")
    assert [row["texts"] for row in ended.json["decoders"]] == [1, 1]
    assert len(read_output(out)) == 2
    assert page.read_text(encoding="utf-8").endswith("</html>\n")


def test_older_files_survive_a_run_that_never_starts(lm, run, tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "out.jsonl"
    page.write_text("old")
    assert run("compare", "p", "--html", page, "-o", out, "--model", "nowhere").code == 2
    assert page.read_text() == "old"
    assert not out.exists()


def test_warnings_name_the_decoder(lm, run, write_lines):
    path = write_lines({"prompt": "one", "include": ["a" * 9, "b" * 9]})
    argv = ("--decoders", "neurologic,astar", "--max-new-tokens", 17, "--num-beams", 2)
    ended = run("compare", "-i", path, *argv)
    assert [line.partition(" within")[0] for line in ended.err.splitlines()] == [
        f"warning: {name}, line 1: the formula may stay unsatisfied" for name in ("neurologic", "astar")
    ]


def test_prompts_behind_options_and_their_constraint(lm, run):
    argv = ("--decoders", "beam", "--reduce", "--include", "text", "--exclude", "one")
    ended = run("compare", *argv, "one", "two", "--json")
    assert [given["texts"]["beam"]["unmet"] for given in ended.json["inputs"]] == [["!one"], []]
    assert ended.code == 0, "unmet clauses are what a comparison shows"


def test_other_encodings_get_a_table_too(lm, run, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", write_through=True))
    run("compare", "p", "--formula", "dog | cat", "--decoders", "dba,beam", "--reduce")
    written = raw.getvalue().decode("ascii")
    assert "sets \\u2192 base form" in written
    assert written.splitlines()[2].startswith("beam     constraints left out")


def test_a_narrow_terminal_gets_the_table_in_parts(lm, run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    ended = run("compare", "p", "--decoders", "dba,beam")
    lines = re.sub(r"\x1b\[[0-9;]*m", "", ended.out).splitlines()
    assert max(map(len, lines)) <= 80
    assert ended.out.count("decoder") > 1
    assert ended.out.count("cut off %") == 1


@pytest.mark.real_model
def test_the_default_model(run, write_lines, smollm2, monkeypatch):
    monkeypatch.setattr(neurologic, "load", lambda name, **options: ConstrainedModel(smollm2))
    path = write_lines({"prompt": "Write one sentence about a park.", "formula": "(dog | cat) & !the"})
    argv = (
        "--decoders",
        "neurologic,cbs,greedy",
        "--num-beams",
        2,
        "--max-new-tokens",
        12,
        "--reduce",
        "--json",
    )
    ended = run("compare", "-i", path, *argv)
    assert ended.code == 0
    first, second, third = ended.json["decoders"]
    assert first["texts_satisfied"] == 100
    assert (second["formula"], third["formula"]) == ("negatives left out", "constraints left out")
    assert third["calls"] < first["calls"] < second["calls"]
