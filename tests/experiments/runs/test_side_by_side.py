"""The page on which people grade texts: it hides who wrote them."""

from __future__ import annotations

from dataclasses import replace

from experiments.runs.toy import Toy, item
from neurologic.experiments.runs import Evaluation, Prediction, score_system
from neurologic.experiments.runs.side_by_side import (
    blind_inputs,
    key_document,
    side_by_side_page,
    text_id,
)

ITEMS = tuple(item(number, "dog & !cat") for number in range(1, 9))


def evaluation(*names: str, said: str = "The {name} of dog {number}.") -> Evaluation:
    systems = []
    for name in names:
        outputs = [said.format(name=name, number=number) for number, _ in enumerate(ITEMS)]
        predictions = [Prediction.from_output(*pair) for pair in zip(ITEMS, outputs, strict=True)]
        systems.append(score_system(Toy(), ITEMS, name, {}, predictions))
    return Evaluation(Toy(), ITEMS, tuple(systems))


def order(*names: str) -> list[list[str]]:
    return [[text.text for text in each.texts] for each in blind_inputs(evaluation(*names))]


def test_the_page_shows_prompts_clauses_and_texts_but_no_system():
    page = side_by_side_page(evaluation("first-run", "second-run", said="A <dog> {number}, {name[0]}."))
    assert "prompt 3" in page
    assert "<li>dog</li><li>!cat</li>" in page
    assert "A &lt;dog&gt; 3, s." in page
    assert "first-run" not in page
    assert "0 of 16 texts graded" in page


def test_it_loads_nothing_from_elsewhere():
    page = side_by_side_page(evaluation("a"))
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page


def test_the_order_of_texts_does_not_depend_on_the_order_of_systems_and_mixes_them():
    assert order("a", "b") == order("b", "a")
    firsts = {texts[0].split()[1] for texts in order("a", "b")}
    assert firsts == {"a", "b"}


def test_inputs_are_mixed():
    prompts = [each.prompt for each in blind_inputs(evaluation("a"))]
    assert sorted(prompts) == [each.prompt for each in ITEMS]
    assert prompts != [each.prompt for each in ITEMS]


def test_equal_texts_appear_once_and_have_one_grade_for_all():
    both = evaluation("a", "b", said="A dog {number}.")
    assert [len(each.texts) for each in blind_inputs(both)] == [1] * len(ITEMS)
    key = key_document(both)
    assert key["systems"] == ["a", "b"]
    assert key["inputs"]["dev-1"] == dict.fromkeys("ab", text_id("dev-1", "A dog 0."))


def test_an_input_without_texts_is_left_out():
    nothing = evaluation("a", said=" ")
    assert blind_inputs(nothing) == []
    assert not any(key_document(nothing)["inputs"].values())


def test_the_last_message_of_a_conversation_is_its_prompt():
    talk = [{"role": "user", "content": "Hi."}, {"role": "user", "content": "A dog, please."}]
    whole = evaluation("a")
    asked = replace(whole, items=(replace(ITEMS[0], prompt=talk), *ITEMS[1:]))
    assert "A dog, please." in {each.prompt for each in blind_inputs(asked)}
