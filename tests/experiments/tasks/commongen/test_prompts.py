"""Prompts of CommonGen, and settings that go with them."""

from __future__ import annotations

import pytest

from experiments.tasks.commongen.sample_data import items, write
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.experiments.tasks.base import options_of
from neurologic.experiments.tasks.commongen import CommonGen
from neurologic.experiments.tasks.commongen.prompts import conversation, supervised


def test_the_prompt_ends_with_the_concepts_of_now():
    messages = conversation(("dog", "park"))
    assert [message["role"] for message in messages] == ["user", "assistant"] * 8 + ["user"]
    assert messages[-1]["content"] == "Write one simple sentence that uses all of these words: dog, park."


def test_zero_shot_has_no_examples_and_few_shot_ends_alike(tmp_path):
    write(tmp_path, concepts="dog park\n")
    (zero,), (few,) = items(tmp_path, prompt="zero-shot"), items(tmp_path)
    assert list(zero.prompt) == list(few.prompt)[-1:]
    assert (zero.raw, few.raw, zero.opening) == (False, False, "")


def test_the_twin_of_examples_names_no_concept_and_the_other_turns_the_list_round(tmp_path):
    write(tmp_path, concepts="dog park run\n")
    (few,), (zero,) = items(tmp_path), items(tmp_path, prompt="zero-shot")
    assert [message["content"] for message in few.twin[1::2]] == [m["content"] for m in few.prompt[1::2]]
    assert not any("dog" in message["content"] for message in few.twin)
    assert zero.twin[-1]["content"].endswith("run, park, dog.")


@pytest.mark.parametrize("prompt", ["opening", "supervised"])
def test_texts_to_continue_have_no_twin(tmp_path, prompt):
    write(tmp_path, concepts="dog park\n")
    (only,) = items(tmp_path, prompt=prompt)
    assert only.twin is None


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
