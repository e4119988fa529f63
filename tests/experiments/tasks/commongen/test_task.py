"""CommonGen as a task: prompts, formulas, others' outputs, scores."""

from __future__ import annotations

import json

import pytest

import paths
from experiments.tasks.commongen.files import write
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.errors import DataError
from neurologic.experiments.tasks import TASKS
from neurologic.experiments.tasks.base import options_of
from neurologic.experiments.tasks.commongen import (
    CommonGen,
    conversation,
    formula,
    read_sets,
    supervised,
)
from neurologic.experiments.training.pairs import sample
from neurologic.logic import check, to_clauses

DATA = paths.DATA / "commongen"

# -- what is kept apart ---------------------------------------------------------------------------


def test_held_out_sets_are_those_that_training_leaves_out(tmp_path):
    words = [f"w{number} dog" for number in range(40)]
    (tmp_path / "commongen.train.src_alpha.txt").write_text("".join(f"{line}\n{line}\n" for line in words))
    (tmp_path / "commongen.train.tgt.txt").write_text("One.\nTwo.\n" * len(words))
    task = CommonGen()
    items = task.items(tmp_path, "held-out", options_of(task, {"prompt": "supervised"}))
    trained = {pair.source for pair in sample(task.pairs(tmp_path, "train"), held_out=256).training}
    assert len(items) == 4  # a tenth
    assert {item.prompt for item in items}.isdisjoint(trained)
    assert len(trained) + len(items) == 40
    assert items[0].references == ("One.", "Two.")
    (tmp_path / "out.txt").write_text("One.\n" * 4)
    assert task.outputs(tmp_path / "out.txt", tmp_path, "held-out", items) == ["One."] * 4


# -- prompts --------------------------------------------------------------------------------------


def items(folder, **options):
    task = CommonGen()
    return task.items(folder, "dev", options_of(task, options))


def test_the_prompt_ends_with_the_concepts_of_now():
    messages = conversation(("dog", "park"))
    assert [message["role"] for message in messages] == ["user", "assistant"] * 8 + ["user"]
    assert messages[-1]["content"] == "Write one simple sentence that uses all of these words: dog, park."


def test_zero_shot_has_no_examples_and_few_shot_ends_alike(tmp_path):
    write(tmp_path, concepts="dog park\n")
    (zero,), (few,) = items(tmp_path, prompt="zero-shot"), items(tmp_path)
    assert list(zero.prompt) == list(few.prompt)[-1:]
    assert (zero.raw, few.raw, zero.opening) == (False, False, "")


def test_an_opening_says_nothing_of_the_concepts(tmp_path):
    write(tmp_path, concepts="dog park\n")
    options = {"prompt": "opening", "lead-in": "A scene: ", "opening": "Two"}
    (one,) = items(tmp_path, **options)
    assert (one.prompt, one.raw, one.opening) == ("A scene: Two", True, "Two")
    (one,) = items(tmp_path, **options | {"lead-in": "", "opening": ""})
    assert (one.prompt, one.raw, one.opening) == ("", True, "")


def test_a_supervised_model_reads_what_it_was_trained_on(tmp_path):
    write(tmp_path, concepts="dog park\n")
    (one,) = items(tmp_path, prompt="supervised")
    assert (one.prompt, one.raw, one.opening) == (supervised(("dog", "park")), True, "")
    assert one.prompt == "dog park ="


def test_an_unknown_choice_is_told(tmp_path):
    with pytest.raises(DataError, match="prompt 'many-shot': choose one of few-shot, zero-shot"):
        items(tmp_path, prompt="many-shot")


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("prompt", ["few-shot", "zero-shot", "opening", "supervised"])
def test_every_decoder_can_take_its_settings(prompt, decoder):
    task = CommonGen()
    settings = task.settings(options_of(task, {"prompt": prompt}), decoder)
    method = decoder_named(decoder)
    assert method.settings(method.accepted(settings)).max_new_tokens == 32


def test_examples_in_the_prompt_do_not_block_the_words_of_decoders_without_constraints():
    """Their n-gram blocking counts the prompt, so that no sentence could begin as an example does."""
    task = CommonGen()

    def blocked(prompt, decoder):
        return task.settings(options_of(task, {"prompt": prompt}), decoder)["no_repeat_ngram_size"]

    blocking = {decoder: blocked("few-shot", decoder) for decoder in ("beam", "greedy", "neurologic", "dba")}
    assert blocking == {"beam": 0, "greedy": 0, "neurologic": 2, "dba": 2}
    assert blocked("supervised", "beam") == blocked("zero-shot", "neurologic") == 3


# -- formulas -------------------------------------------------------------------------------------


def forms(one):
    return [[literal.phrase.text for literal in clause.literals] for clause in to_clauses(one.formula)]


def test_the_formula_takes_any_inflected_form():
    first, second = to_clauses(formula(("catch", "dog")))
    assert "caught" in [literal.phrase.text for literal in first.literals]
    assert second.text == "inflect(dog)"


def test_forms_by_part_of_speech_or_all_of_them(tmp_path):
    write(tmp_path, concepts="dog run\n", described=[("dog_N#run_V", [])])
    (tagged,), (every,) = items(tmp_path, lists="allowed"), items(tmp_path, lists="allowed", forms="every")
    assert forms(tagged) == [["dog", "dogs"], ["run", "ran", "running", "runs"]]
    assert "dogged" in forms(every)[0]


@pytest.mark.parametrize("prompt", ["few-shot", "zero-shot"])
def test_the_list_of_the_prompt_is_no_sentence(tmp_path, prompt):
    write(tmp_path, concepts="dog run park\nski\n", described=[("dog_N#run_V#park_N", [])])
    first, second = items(tmp_path, prompt=prompt)

    def obeys(text):
        return all(report.satisfied for report in check(first.formula, text))

    assert not obeys("Dog, run, park.")
    assert not obeys("A park for the dog, run by us.")
    assert obeys("In the park, dogs run.")
    assert obeys("Dogs run, and the park is empty.")
    assert str(second.formula) == "inflect(ski)"


def test_lists_are_forbidden_only_where_the_prompt_has_one(tmp_path):
    write(tmp_path, concepts="dog run\n")
    for options in ({"lists": "allowed"}, {"prompt": "opening"}, {"prompt": "supervised"}):
        (only,) = items(tmp_path, **options)
        assert str(only.formula) == "inflect(dog) & inflect(run)"


def test_the_official_clauses(tmp_path):
    write(tmp_path, concepts="ski hill\ndog park\n")
    (tmp_path / "dev.clauses.jsonl").write_text(
        '[["dog", "Dogs"], ["park"]]\n[["hill"], ["ski", "skiing"]]\n'
    )
    (tmp_path / "dev.clauses.concepts.txt").write_text("dog_N#park_N\nhill_N#ski_V")
    first, second = items(tmp_path, forms="official", lists="allowed")
    assert (forms(first), forms(second)) == ([["hill"], ["ski", "skiing"]], [["dog", "Dogs"], ["park"]])
    assert all(report.satisfied for report in check(second.formula, "Two dogs in the park"))


def test_official_clauses_of_the_same_words_go_by_part_of_speech(tmp_path):
    described = [("cut_V#style_V", ["a"]), ("cut_V#style_N", ["b"])]
    write(tmp_path, concepts="cut style\nstyle cut\n", sentences="a\nb\n", described=described)
    (tmp_path / "dev.clauses.jsonl").write_text('[["cut"], ["style"]]\n[["cut"], ["styled"]]\n')
    (tmp_path / "dev.clauses.concepts.txt").write_text("cut_V#style_N\ncut_V#style_V\n")
    assert [forms(one)[1] for one in items(tmp_path, forms="official")] == [["styled"], ["style"]]


@pytest.mark.parametrize(
    ("lines", "concepts", "told"),
    [
        (None, "", r"there is no .*dev\.clauses\.jsonl"),
        ('[["dog"]]\n', "a_N\nb_N\n", "has 1 lines, and dev.clauses.concepts.txt has 2"),
        ('[["dog"]]\n', "dog_N\n", "no clauses for the concepts ski hill"),
        ("{}\n", "hill_N#ski_V\n", "line 1: expected a list of clauses"),
        ("[\n", "hill_N#ski_V\n", "line 1: not JSON"),
        ("[[1]]\n", "hill_N#ski_V\n", "line 1: "),
    ],
)
def test_official_clauses_that_do_not_fit_are_told(tmp_path, lines, concepts, told):
    write(tmp_path, concepts="ski hill\n")
    if lines is not None:
        (tmp_path / "dev.clauses.jsonl").write_text(lines)
        (tmp_path / "dev.clauses.concepts.txt").write_text(concepts)
    with pytest.raises(DataError, match=told):
        items(tmp_path, forms="official")


# -- outputs of others ----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    return write(
        tmp_path,
        concepts="ski hill\nski hill\ndog park\ndog park\nice rink\n",
        sentences="A.\nB.\nC.\nD.\nE.\n",
    )


def outputs(folder, text, items_=None):
    path = folder / "outputs.txt"
    path.write_bytes(text.encode())
    return CommonGen().outputs(path, folder, "dev", items(folder) if items_ is None else items_)


@pytest.mark.parametrize(
    "text", ["1\n2\n3\n", "1\n2\n3", "1\r\n2\r\n3\r\n", "\ufeff1\n2\n3\n\n", "1\na\n2\nb\n3\n"]
)
def test_one_output_a_set_or_a_reference(folder, text):
    """Of several outputs for a set the first one counts, as in CommonGen's script."""
    assert outputs(folder, text) == ["1", "2", "3"]


def test_outputs_may_be_blank(folder):
    assert outputs(folder, "1\n\n3\n") == ["1", "", "3"]
    assert outputs(folder, "1\n2\n\n") == ["1", "2", ""]
    assert outputs(folder, "\n\n\n") == ["", "", ""]
    assert outputs(folder, "1\n\n2\n\n\n") == ["1", "2", ""]


def test_outputs_of_all_inputs_or_of_the_chosen_ones(folder):
    chosen = [items(folder)[0], items(folder)[2]]
    assert outputs(folder, "1\n2\n3\n", chosen) == ["1", "3"]
    assert outputs(folder, "1\n3\n", chosen) == ["1", "3"]
    assert outputs(folder, "1\na\n2\nb\n3\n", chosen) == ["1", "3"]


@pytest.mark.parametrize(("text", "found"), [("", 0), ("1\n", 1), ("1\n2\n3\n4\n", 4), ("1\n" * 6, 6)])
def test_another_number_of_outputs_is_told(folder, text, found):
    with pytest.raises(DataError) as error:
        outputs(folder, text)
    assert f"has {found} line{'s' if found != 1 else ''}; expected 3 (one a concept set)" in str(error.value)
    assert "or 5 (one a reference)" in str(error.value)


def test_outputs_for_the_hubs_layout(tmp_path):
    rows = [{"concept_set_idx": 0, "concepts": [word], "target": "One."} for word in ("ski", "hill")]
    (tmp_path / "validation.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert outputs(tmp_path, "1\n2\n") == ["1", "2"]


def test_outputs_for_sets_that_differ_in_parts_of_speech_alone(tmp_path):
    sets = ["hair_N#style_N", "hair_N#style_V", "ski_V#hill_N"]
    rows = [{"concept_set": one, "scene": ["One."]} for one in sets]
    (tmp_path / "commongen.dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert outputs(tmp_path, "1\n2\n3\n") == ["1", "2", "3"]


def test_a_missing_file_of_outputs_is_told(folder):
    with pytest.raises(DataError, match=r"there is no .*none\.txt"):
        CommonGen().outputs(folder / "none.txt", folder, "dev", items(folder))


# -- scores ---------------------------------------------------------------------------------------


@pytest.fixture
def metrics(monkeypatch):
    for package in CommonGen.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")  # METEOR takes ten seconds


def test_scores_in_the_order_of_the_papers_tables(metrics, folder):
    scores = CommonGen().measure(["A hill to ski.", "A dog.", "An ice rink."], items(folder))
    assert [score.name for score in scores] == [
        *("rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage")
    ]
    values = {score.name: score.value for score in scores}
    assert values["coverage"] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    assert values["spice"] is None


def test_without_references_only_coverage_has_a_value(metrics, tmp_path):
    write(tmp_path, concepts="dog run\nice rink\n")
    scores = CommonGen().measure(["A dog\nruns.", ""], items(tmp_path))
    assert {score.name: score.value for score in scores if score.value is not None} == {"coverage": 50}
    assert {score.reason for score in scores if score.value is None} == {"the data has no references"}


def test_references_for_some_inputs_only_are_told(metrics, tmp_path):
    write(tmp_path, concepts="dog run\nice rink\n", sentences="A.\n\n")
    scores = CommonGen().measure(["A", "B"], items(tmp_path))
    assert {score.reason for score in scores if score.value is None} == {"ice rink has no references"}
    assert [score.name for score in scores if score.value is not None] == ["coverage"]


# -- the real data --------------------------------------------------------------------------------

real = pytest.mark.skipif(not DATA.is_dir(), reason=f"CommonGen is not at {DATA}")


@real
def test_the_dev_split():
    sets = read_sets(DATA, "dev")
    assert (len(sets), sum(len(one.references) for one in sets)) == (993, 4018)
    assert {tag for one in sets for tag in one.parts_of_speech} == {"noun", "verb"}
    by_concepts = {one.concepts: one for one in sets}
    assert by_concepts["cut", "style", "hair"].parts_of_speech == ("verb", "verb", "noun")
    assert by_concepts["hair", "cut", "style"].parts_of_speech == ("noun", "verb", "noun")


@real
def test_the_train_split():
    """The file has 32,651 runs of lines; 22 sets come back later."""
    sets = read_sets(DATA, "train")
    assert (len(sets), sum(len(one.references) for one in sets)) == (32629, 67389)
    assert {tag for one in sets for tag in one.parts_of_speech} == {None}


@real
@pytest.mark.parametrize("forms", ["part-of-speech", "every", "official"])
def test_sentences_of_people_satisfy_the_formulas(forms):
    """Nearly: the concepts were taken from some of them, and people took liberties with others."""
    found = items(DATA, forms=forms)
    reports = [report for one in found[::10] for report in check(one.formula, one.references[-1])]
    assert sum(report.satisfied for report in reports) / len(reports) > (0.8 if forms == "official" else 0.98)


def test_every_task_keeps_its_part_of_the_contract():
    for name, task in TASKS.items():
        assert task.name == name
        assert all(option.default or not option.choices for option in task.options)
        assert task.examples.strip().startswith(f"neurologic eval {name}")
