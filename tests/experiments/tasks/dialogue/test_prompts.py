"""Prompts of dialogue, and settings that go with them."""

from __future__ import annotations

import pytest

from experiments.tasks.dialogue.sample_data import act, items
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.experiments.tasks.base import Trainable, options_of
from neurologic.experiments.tasks.dialogue import Dialogue
from neurologic.experiments.tasks.dialogue.act_sentences import sentence
from neurologic.experiments.tasks.dialogue.formulas import formula
from neurologic.experiments.tasks.dialogue.prompts import conversation, instruction, supervised
from neurologic.logic import check


def test_the_prompt_is_an_instruction_with_the_sentence():
    (question,) = instruction(act("?request(area)"))
    assert question["role"] == "user"
    assert question["content"] == f"Rewrite this question: {sentence(act('?request(area)'))}"
    (answer,) = instruction(act("inform(name=a)"))
    assert answer["content"] == "Rewrite this sentence: A is a nice hotel."


def test_few_shot_ends_as_zero_shot_and_has_examples_before():
    one = act("inform(name='red inn';near=soma)")
    zero, few = instruction(one), conversation(one)
    assert few[-1:] == zero
    assert [turn["role"] for turn in few[:-1]] == ["user", "assistant"] * 4


def test_the_answers_of_the_examples_obey_their_formulas():
    from neurologic.experiments.tasks.dialogue.prompts import EXAMPLES

    for text, answer in EXAMPLES:
        assert all(report.satisfied for report in check(formula(act(text)), answer)), text


def test_a_supervised_model_reads_what_it_was_trained_on(folder):
    assert isinstance(Dialogue(), Trainable)
    pairs = Dialogue().pairs(folder, "valid")
    assert (pairs[1].source, pairs[1].target) == (
        "hotel inform(name=red inn; near=soma) =",
        "red inn is a hotel near soma",
    )
    assert len(pairs) == 6
    first = items(folder, prompt="supervised")[0]
    assert (first.prompt, first.raw) == (pairs[0].source, True)
    assert supervised(act("bye()", "restaurant")) == "restaurant bye() ="


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_decoder_can_take_its_settings(decoder):
    task = Dialogue()
    settings = task.settings(options_of(task, {}), decoder)
    method = decoder_named(decoder)
    assert method.settings(method.accepted(settings)).max_new_tokens == 64


def test_decoders_without_constraints_may_repeat_the_prompt():
    """Their n-gram blocking counts the prompt, which has the facts."""
    task = Dialogue()
    blocked = {
        decoder: task.settings(options_of(task, {}), decoder)["no_repeat_ngram_size"]
        for decoder in ("beam", "greedy", "neurologic", "dba")
    }
    assert blocked["beam"] == blocked["greedy"] == 0
    assert blocked["neurologic"] == blocked["dba"] > 0
