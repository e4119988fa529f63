"""Acts and their files."""

from __future__ import annotations

import pytest

from experiments.tasks.dialogue.sample_data import DATA, act, real
from neurologic.errors import DataError
from neurologic.experiments.tasks.dialogue.acts import distinct, natural, read_utterances


def facts(text):
    return [(fact.slot, fact.value) for fact in act(text).facts]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("goodbye()", []),
        ("?request(area)", [("area", None)]),
        ("inform(name=chow;price='22 euro')", [("name", "chow"), ("price", "22 euro")]),
        ("inform(name='joe's diner';area=soma)", [("name", "joe's diner"), ("area", "soma")]),
        ("inform(name='this; and that';area='soma')", [("name", "this; and that"), ("area", "soma")]),
        (
            "?select(goodformeal=dont_care;goodformeal=dinner')",
            [("goodformeal", "dont_care"), ("goodformeal", "dinner")],
        ),
        (
            "inform(food;dogsallowed='true';phone=none;)",
            [("food", None), ("dogsallowed", "yes"), ("phone", "none")],
        ),
        (
            "inform( name = 'Motel  6' ; hasinternet=dontcare )",
            [("name", "motel 6"), ("hasinternet", "dont_care")],
        ),
        ("inform(near='soma';near='soma')", [("near", "soma")]),
    ],
)
def test_facts_of_an_act(text, found):
    assert facts(text) == found


def test_an_act_is_the_same_in_another_order_and_with_other_quotes():
    one, other = act("inform(name='red inn';near=soma)"), act("inform(near='soma';name=red inn)")
    assert one != other
    assert one.identity == other.identity
    assert one.identity != act("inform(name='red inn';near=soma)", "restaurant").identity


def test_an_act_as_text_is_read_back():
    for text in (
        *("inform(name=red inn; dogsallowed=dont_care; food)", "?request(area)", "bye()"),
        *("inform(name='this; and that'; area=soma)", "inform(area=soma; name='joe's; bar')"),
    ):
        assert str(act(text)) == text
        assert act(str(act(text))) == act(text)


@pytest.mark.parametrize("text", ["", "inform", "inform(name='a'", "(name=a)", "say this"])
def test_what_is_no_act_is_reported(text):
    with pytest.raises(DataError, match="is not an act; expected something like inform"):
        act(text)
    with pytest.raises(DataError, match="expected a slot and its value at '=a'"):
        act("inform(=a)")


def test_what_people_said_has_its_usual_spaces():
    assert natural("child -s of the inn 's guests . moderate -ly  priced , no t -shirts") == (
        "children of the inn's guests. moderately priced, no t -shirts"
    )


def test_questions_get_the_question_mark_that_the_data_has_left_out():
    assert natural("what area , please .", question=True) == "what area, please?"
    assert natural("where ?", question=True) == "where?"
    assert natural(" ", question=True) == ""


def test_files_of_both_domains(folder):
    lines = read_utterances(folder, "valid")
    assert [line.act.domain for line in lines] == ["hotel"] * 4 + ["restaurant"] * 2
    assert lines[-1].reference == "2 restaurants allow children"
    assert read_utterances(folder, "dev") == read_utterances(folder, "validation") == lines
    assert read_utterances(folder, "valid", ["restaurant"]) == lines[4:]


def test_a_split_may_really_be_called_dev(folder):
    (folder / "hotel" / "dev.json").write_text('[["bye()", "bye"]]')
    assert [line.reference for line in read_utterances(folder, "dev", ["hotel"])] == ["bye"]


def test_acts_are_distinct_and_in_order_with_all_that_was_said(folder):
    found = distinct(read_utterances(folder, "valid", ["hotel"]))
    assert {str(act): said for act, said in found.items()} == {
        "inform(name=red inn; near=soma)": ("the red inn is near soma", "red inn is a hotel near soma"),
        "goodbye()": ("thank you. goodbye",),
        "inform(name=blue inn; near=nob hill)": ("there is the blue inn near nob hill",),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# head only\n", "after its head: not JSON"),
        ("{}", r"expected a list of \[act, reference\]"),
        ('[["bye()", "bye"], ["bye()"]]', r'entry 2: expected \[act, reference\], found \["bye\(\)"\]'),
        ('[["bye", "bye"]]', "entry 1: 'bye' is not an act"),
    ],
)
def test_files_of_another_kind_are_reported(folder, text, message):
    (folder / "hotel" / "valid.json").write_text(text)
    with pytest.raises(DataError, match=message):
        read_utterances(folder, "valid")


def test_a_missing_split_is_reported_with_those_that_are_there(folder):
    with pytest.raises(DataError, match=r"no .*test\.json; the splits there are valid"):
        read_utterances(folder, "test")
    with pytest.raises(DataError, match=r"no .*dev\.json$"):
        read_utterances(folder / "nowhere", "dev")


@real
@pytest.mark.parametrize(
    ("domain", "split", "lines", "acts"),
    [
        ("hotel", "train", 3223, 761),
        ("hotel", "valid", 1075, 404),
        ("restaurant", "train", 3114, 1355),
        ("restaurant", "valid", 1039, 567),
    ],
)
def test_every_act_is_read(domain, split, lines, acts):
    found = read_utterances(DATA, split, [domain])
    assert (len(found), len(distinct(found))) == (lines, acts)
    assert not [line for line in found if " -" in line.reference or not line.reference]
