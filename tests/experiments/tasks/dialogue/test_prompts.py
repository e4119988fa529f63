"""Acts as sentences, and what a model is asked."""

from __future__ import annotations

import pytest

from experiments.tasks.dialogue.acts_and_files import act, items
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.experiments.tasks.base import Trainable, options_of
from neurologic.experiments.tasks.dialogue import (
    Dialogue,
    conversation,
    formula,
    instruction,
    sentence,
    supervised,
)
from neurologic.logic import check


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inform(name='inn on castro';type=hotel)", "Inn on Castro is a nice hotel."),
        ("inform(name='red inn';near=soma;type=hotel)", "Red Inn is a nice hotel near Soma."),
        (
            "inform(name='red inn';type=hotel;dogsallowed=no)",
            "Red Inn is a nice hotel and does not allow dogs.",
        ),
        ("inform(name='red inn')", "Red Inn is a nice hotel."),
        (
            "inform(name='red inn';phone=none;area='the castro';near='soma or marina')",
            "Red Inn is in the Castro area and is near Soma or Marina, but I do not know its phone number.",
        ),
        ("inform(name='red inn';food)", "Red Inn is a nice hotel."),
        (
            "inform(name='a 16';address='5 main street . oakland';phone='4150000000')",
            "A 16 is located at 5 Main Street, Oakland and has the phone number 4150000000.",
        ),
        (
            "inform_count(type=hotel;count='2';hasinternet=dont_care;area=dont_care)",
            "If you do not care about the area and whether they have internet, there are 2 hotels.",
        ),
        (
            "inform_no_match(food='new american';kidsallowed=no)",
            "I am sorry, but there are no hotels that serve new American food and do not allow kids.",
        ),
        (
            "inform_only_match(name='bed and breakfast inn';goodformeal=lunch)",
            "Bed and Breakfast Inn is the only hotel that is good for lunch.",
        ),
        (
            "inform_only_match(name='fresca and chow';goodformeal=lunch)",
            "Fresca and Chow are the only hotels that are good for lunch.",
        ),
        ("?confirm(near=dont_care)", "So you do not care about the location?"),
        ("?confirm(price='22 euro')", "Can I confirm that you want a hotel that costs 22 euros?"),
        ("?select(dogsallowed=yes;dogsallowed=no)", "Would you like a hotel that allows dogs?"),
        (
            "?select(food=sushi;food=dont_care)",
            "Would you like a hotel that serves sushi, or do you have no preference?",
        ),
        ("?request(pricerange)", "Which price range would you like?"),
        ("?request(stars)", "What stars would you like?"),
        ("?wonder(near=soma)", "Are you looking for a hotel near Soma?"),
        ("inform(name='red inn';stars='4')", "Red Inn has the stars 4."),
    ],
)
def test_an_act_as_a_sentence(text, said):
    assert sentence(act(text)) == said


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
