"""Dialogue responses: acts and their files, sentences, prompts, formulas, others' outputs, scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neurologic.errors import DataError
from neurologic.logic import check, find_contradiction, occurs, to_clauses
from neurologic.methods import METHODS, method_named
from neurologic.tasks import TASKS
from neurologic.tasks.base import Trainable, options_of
from neurologic.tasks.dialogue import (
    Act,
    Dialogue,
    conversation,
    distinct,
    formula,
    instruction,
    parse_act,
    read_lines,
    sentence,
    supervised,
)
from neurologic.tasks.dialogue.acts import natural
from neurologic.tasks.dialogue.exchange import exchanged, with_exchanged
from neurologic.tasks.dialogue.forms import of_carelessness
from neurologic.tasks.dialogue.formulas import names_in
from neurologic.tasks.dialogue.slots import NAMES, YES_OR_NO
from neurologic.tasks.dialogue.task import spoken

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "dialogue"

HEAD = "#####\n# Copyright somebody\n#####\n"
HOTELS = [
    ["inform(name='red inn';near='soma')", "the red inn is near soma", "baseline"],
    ["goodbye()", "thank you . goodbye", "baseline"],
    ["inform(near='soma';name='red inn')", "red inn is a hotel near soma", "baseline"],
    ["inform(name='blue inn';near='nob hill')", "there is the blue inn near nob hill", "baseline"],
]
RESTAURANTS = [
    ["?request(food)", "what kind of food would you like", "baseline"],
    ["inform_count(type=restaurant;count='2';kidsallowed=yes)", "2 restaurant -s allow child -s", "baseline"],
]


@pytest.fixture
def folder(tmp_path):
    for domain, rows in (("hotel", HOTELS), ("restaurant", RESTAURANTS)):
        (tmp_path / domain).mkdir()
        (tmp_path / domain / "valid.json").write_text(HEAD + json.dumps(rows, indent=4))
    return tmp_path


def act(text, domain="hotel"):
    return parse_act(text, domain)


def items(folder, split="dev", **options):
    task = Dialogue()
    return task.items(folder, split, options_of(task, options))


# -- acts -----------------------------------------------------------------------------------------


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
def test_what_is_no_act_is_told(text):
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
    lines = read_lines(folder, "valid")
    assert [line.act.domain for line in lines] == ["hotel"] * 4 + ["restaurant"] * 2
    assert lines[-1].reference == "2 restaurants allow children"
    assert read_lines(folder, "dev") == read_lines(folder, "validation") == lines
    assert read_lines(folder, "valid", ["restaurant"]) == lines[4:]


def test_a_split_may_really_be_called_dev(folder):
    (folder / "hotel" / "dev.json").write_text('[["bye()", "bye"]]')
    assert [line.reference for line in read_lines(folder, "dev", ["hotel"])] == ["bye"]


def test_acts_are_distinct_and_in_order_with_all_that_was_said(folder):
    found = distinct(read_lines(folder, "valid", ["hotel"]))
    assert {str(act): said for act, said in found.items()} == {
        "inform(name=red inn; near=soma)": ("the red inn is near soma", "red inn is a hotel near soma"),
        "goodbye()": ("thank you. goodbye",),
        "inform(name=blue inn; near=nob hill)": ("there is the blue inn near nob hill",),
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# head only\n", "is not JSON after its head"),
        ("{}", r"expected a list of \[act, reference\]"),
        ('[["bye()", "bye"], ["bye()"]]', r'entry 2: expected \[act, reference\], found \["bye\(\)"\]'),
        ('[["bye", "bye"]]', "entry 1: 'bye' is not an act"),
    ],
)
def test_files_of_another_kind_are_told(folder, text, told):
    (folder / "hotel" / "valid.json").write_text(text)
    with pytest.raises(DataError, match=told):
        read_lines(folder, "valid")


def test_a_missing_split_is_told_with_those_that_are_there(folder):
    with pytest.raises(DataError, match=r"no .*test\.json; the splits there are valid"):
        read_lines(folder, "test")
    with pytest.raises(DataError, match=r"no .*valid\.json$"):
        read_lines(folder / "nowhere", "dev")


# -- sentences and prompts ------------------------------------------------------------------------


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
    from neurologic.tasks.dialogue.prompts import EXAMPLES

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


@pytest.mark.parametrize("decoder", METHODS)
def test_every_decoder_can_take_its_settings(decoder):
    task = Dialogue()
    settings = task.settings(options_of(task, {}), decoder)
    method = method_named(decoder)
    assert method.settings(method.heeded(settings)).max_new_tokens == 64


def test_decoders_without_constraints_may_repeat_the_prompt():
    """Their n-gram blocking counts the prompt, which has the facts."""
    task = Dialogue()
    blocked = {
        decoder: task.settings(options_of(task, {}), decoder)["no_repeat_ngram_size"]
        for decoder in ("beam", "greedy", "neurologic", "dba")
    }
    assert blocked["beam"] == blocked["greedy"] == 0
    assert blocked["neurologic"] == blocked["dba"] > 0


# -- formulas -------------------------------------------------------------------------------------


def obeys(text, said, unasked="forbidden", domain="hotel"):
    return all(report.satisfied for report in check(formula(act(text, domain), unasked), said))


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("inform(name='hotel kabuki')", "Try the Hotel Kabuki's bar.", "Try the Kabuki."),
        ("inform(dogsallowed=yes)", "It allows dogs.", "It does not allow dogs."),
        ("inform(dogsallowed=yes)", "Dogs are allowed.", "Dogs aren’t allowed, it allows dogs."),
        ("inform(dogsallowed=no)", "It doesn't allow dogs.", "It allows dogs."),
        ("inform(dogsallowed=no)", "No dogs, sorry.", "It allows dogs, no dogs."),
        ("inform(kidsallowed=no)", "It doesn’t allow children.", "Children are welcome."),
        ("inform(kidsallowed=yes)", "It is kid-friendly.", "It is not kid-friendly."),
        ("inform(hasinternet=no)", "It has no internet.", "It has internet."),
        ("inform(hasinternet=yes)", "It offers internet access.", "It does not have internet access."),
        ("inform(acceptscreditcards=no)", "It doesn't accept credit cards.", "It accepts credit cards."),
        ("inform(acceptscreditcards=yes)", "Credit cards are accepted.", "No credit cards are accepted."),
        ("inform(dogsallowed=none)", "I don't know whether dogs are allowed.", "Dogs are allowed."),
        ("inform(phone=none)", "I do not have a phone number.", "Its phone number is 5."),
        ("?confirm(area=dont_care)", "Would any area do, right?", "Would any area do, right."),
        ("inform_count(count='3')", "There are three of them.", "There are 33 of them."),
        ("inform_count(type=hotel)", "There are places.", "There are motels."),
        ("inform(address='5 main street')", "It is at 5 Main St.", "It is at 5 Main Road."),
        ("inform(address='5 main street . oakland')", "At 5 Main Street, Oakland.", "At 5 Main Street."),
        ("inform(price='between 5 and 9 euro')", "It costs 5 to 9 euros.", "It costs 5 euros."),
        ("inform(pricerange=moderate)", "It is moderately priced.", "It is cheap."),
        ("inform(pricerange='ultra high end')", "It is ultra-high-end.", "It is high end."),
        ("inform(food='sea food')", "They serve seafood.", "They serve food from the sea."),
        ("inform(area='soma or nob hill')", "It is in Nob Hill or Soma.", "It is in Soma."),
        (
            "?select(area='nob hill or lower nob hill')",
            "Is it Lower Nob Hill or Nob Hill?",
            "Is it Lower Nob Hill?",
        ),
        ("inform(name='inn on castro';area=castro)", "Inn on Castro is in the Castro.", "Inn on Castro."),
        ("inform(name='thai hut';food=thai)", "Thai Hut serves Thai food.", "Thai Hut is good."),
        ("?select(dogsallowed=yes;dogsallowed=no)", "Do you have a dog?", "Do you have a cat?"),
        ("?request(area)", "In which part of town?", "Which one?"),
        ("?request(goodformeal)", "Do you want lunch or dinner?", "What would you like?"),
        ("?request(stars)", "How many stars?", "How many?"),
        ("?reqmore()", "Is there anything else?", "Can I help you?"),
        ("goodbye()", "Have a nice day!", "Hello."),
        ("bye()", "Bye.", "By the way."),
        ("inform_no_match(area=soma)", "There's nothing in Soma.", "There is one in Soma."),
        ("inform_no_match(dogsallowed=no)", "No hotels here forbid dogs.", "Hotels here forbid dogs."),
        (
            "inform_no_match(area=soma;dogsallowed=no)",
            "I could not find any in Soma that do not allow dogs.",
            "There is a hotel in Soma that does not allow dogs.",
        ),
        (
            "inform_no_match(area=soma;hasinternet=no)",
            "There is no hotel in Soma that does not have internet.",
            "There is a hotel in Soma where there is no internet.",
        ),
        (
            "inform_no_match(area=soma;dogsallowed=dont_care)",
            "There are no hotels in Soma, if you do not care about dogs.",
            "There is a hotel in Soma, if you do not care about dogs.",
        ),
        (
            "inform(dogsallowed=no;hasinternet=yes)",
            "It has free internet and does not allow dogs.",
            "It does not allow dogs or have internet.",
        ),
        (
            "inform_count(count='2';dogsallowed=no;hasinternet=yes)",
            "There are 2 that do not allow dogs and have internet.",
            "There are 2 that do not allow dogs or have internet.",
        ),
        (
            "inform(dogsallowed=no;hasinternet=yes)",
            "Dogs are not allowed, and internet is available.",
            "It has no free internet, and no dogs, and no internet access.",
        ),
        ("inform(hasinternet=no)", "Internet is not available.", "Internet is available."),
        ("inform(area=dont_care)", "The area is not an issue.", "The area is an issue."),
        ("?confirm(near=dont_care)", "Can I confirm all areas?", "Can I confirm all close to Soma?"),
        (
            "inform(name='inn on castro';area=castro)",
            "Inn on Castro is in Castro.",
            "Try Inn on Castro or another place.",
        ),
        (
            "inform(name='inn on castro';area='soma or castro')",
            "Inn on Castro is in the quarter of Castro or Soma.",
            "Inn on Castro is in Soma.",
        ),
        (
            "inform(name='inn in castro';area=castro)",
            "Inn in Castro is near Castro.",
            "Inn in Castro is nice.",
        ),
        (
            "inform(name='lunch box';goodformeal=lunch)",
            "Lunch Box is good for lunch.",
            "Lunch Box is good for all.",
        ),
        (
            "inform(name='the cheap bed';pricerange=cheap)",
            "The Cheap Bed has cheap prices.",
            "Try The Cheap Bed.",
        ),
        ("inform_count(name='2 inns';count='2')", "There are 2: 2 Inns.", "There are the 2 Inns."),
        ("inform(name='4 stars inn';stars='4')", "4 Stars Inn has the stars 4.", "4 Stars Inn."),
        ("inform_only_match(name='red inn')", "There is only the Red Inn.", "There is the Red Inn."),
        ("inform(name='red inn';food)", "The Red Inn.", "The inn."),
    ],
)
def test_what_an_answer_must_say(text, right, wrong):
    assert obeys(text, right)
    assert not obeys(text, wrong)


def test_what_is_told_is_not_denied():
    assert obeys("inform(pricerange=moderate)", "It is in the moderate price range.")
    assert not obeys("inform(pricerange=moderate)", "It is not in the moderate price range.")
    both = "inform(pricerange=moderate;dogsallowed=no)"
    assert obeys(both, "It is in the moderate price range and does not allow dogs.")
    assert not obeys(both, "It isn't in the moderate price range and does not allow dogs.")
    assert not obeys(
        "inform(pricerange=cheap;phone=none)", "It is not cheap, I do not know its phone number."
    )
    assert not obeys(
        "inform_count(count='5';area=dont_care)", "There are no hotels, but there are 5 in any area."
    )


def test_no_value_is_said_twice():
    act = "inform(name='inn on castro';area=castro;phone='4155550134')"
    said = "The Inn on Castro is in Castro, call 4155550134."
    assert obeys(act, said)
    assert not obeys(act, f"{said} Castro is nice.")
    assert not obeys(act, f"{said} Try the Inn on Castro.")
    assert obeys("inform_count(count='2';near=soma)", "There are two hotels near Soma.")
    assert not obeys("inform_count(count='2';near=soma)", "There are two hotels near Soma, 2 in all.")
    assert obeys("inform_count(type=hotel;count='1')", "There is 1 hotel, one.")


@pytest.mark.parametrize("name", ["Joe's Diner", "Joe’s Diner"])
def test_either_apostrophe_will_do_but_once(name):
    assert obeys("inform(name='joe's diner')", f"{name} is nice.")
    assert not obeys("inform(name='joe's diner')", f"{name} is nice. Try {name}.")


def test_slots_that_an_act_does_not_have_are_not_spoken_of_unless_one_allows_it():
    said = "The Red Inn has internet."
    assert not obeys("inform(name='red inn')", said)
    assert obeys("inform(name='red inn')", said, "allowed")
    assert obeys("inform(name='red inn';hasinternet=yes)", said)


def test_names_of_other_acts_are_not_said_unless_one_allows_it():
    known = ("north beach", "haight ashbury", "mission district", "thai")
    beach = formula(act("inform(near='north beach telegraph hill')"), known=known)
    mission = formula(act("inform(near=mission)"), known=known)
    haight = formula(act("inform(near=haight)"), known=known)

    def holds(wanted, text):
        return all(report.satisfied for report in check(wanted, text))

    assert holds(beach, "It is near North Beach Telegraph Hill.")
    assert not holds(beach, "It is near North Beach Telegraph Hill, in North Beach.")
    assert not holds(beach, "It is near North Beach Telegraph Hill and serves Thai food.")
    assert holds(mission, "It is near the Mission District.")
    assert not holds(haight, "It is near Haight-Ashbury.")
    assert holds(formula(act("inform(near=haight)"), "allowed", known), "It is near Haight-Ashbury.")


def test_the_names_of_train_are_known(folder):
    (folder / "hotel" / "train.json").write_text(json.dumps([["inform(name='old inn')", "old inn", ""]]))
    (folder / "restaurant" / "train.json").write_text("[]")
    assert '!"old inn"' in [clause.text for clause in to_clauses(items(folder)[0].formula)]


def test_a_word_of_a_name_is_not_forbidden():
    assert obeys("inform(name='bed and breakfast inn')", "The Bed and Breakfast Inn is nice.")


def test_what_is_forbidden_is_not_asked_for_by_a_name():
    assert obeys("inform(name='life sentence cafe')", "Life Sentence Cafe is nice.")
    assert not obeys("inform(name='life cafe')", "This sentence is about the Life Cafe.")
    assert obeys("?confirm(name='however')", "Do you want However?")
    assert obeys("inform(name='no dogs inn';dogsallowed=yes)", "The No Dogs Inn allows dogs.")


@pytest.mark.parametrize(
    "text",
    [
        *(f"inform({slot}={value})" for slot in YES_OR_NO for value in ("yes", "no", "none", "dont_care")),
        *(f"inform_no_match({slot}={value})" for slot in YES_OR_NO for value in ("yes", "no", "dont_care")),
        *(f"inform_count(count='2';{slot}=dont_care)" for slot in NAMES),
        *(f"inform_only_match(name=a;{slot}=none)" for slot in NAMES),
        *(f"?request({slot})" for slot in NAMES),
        "inform(name='inn on castro';area=castro;dogsallowed=no;hasinternet=yes)",
        "inform_count(type=hotel;count='2';dogsallowed=no;acceptscreditcards=yes;near='soma or marina')",
        "inform_no_match(kidsallowed=yes;dogsallowed=no;pricerange=moderate)",
        "?select(dogsallowed=yes;dogsallowed=no;hasinternet=no)",
    ],
)
def test_every_form_can_stand_in_a_text_that_obeys(text):
    """No form that will do holds what the same formula forbids."""
    clauses = [clause.literals for clause in to_clauses(formula(act(text)))]
    forbidden = [one[0].phrase for one in clauses if len(one) == 1 and not one[0].positive]
    forms = [literal.phrase.text for one in clauses for literal in one if literal.positive]
    assert [str(phrase) for phrase in forbidden if any(occurs(phrase, form) for form in forms)] == []


def test_all_values_will_do_is_said_of_nouns():
    assert {"any area", "all areas", "any neighborhood"} <= {*of_carelessness("area")}
    for odd in ("all area", "various where", "various what city", "all close to"):
        assert odd not in of_carelessness("near")


def test_prices_and_meals_are_spoken_of_where_the_act_has_something_like_them():
    assert obeys("inform(price='22 euro')", "It is cheap, at 22 euro.", domain="restaurant")
    assert obeys("inform(food=sushi)", "Sushi for dinner.", domain="restaurant")
    assert not obeys("inform(area=soma)", "In Soma, for dinner.", domain="restaurant")


def test_an_act_that_says_nothing_has_a_formula_that_always_holds():
    assert to_clauses(formula(Act("hotel", "welcome"), "allowed")) == ()


# -- items and outputs of others ------------------------------------------------------------------


def test_an_input_is_an_act_or_a_line(folder):
    assert [item.title for item in items(folder)] == [
        "hotel inform(name=red inn; near=soma)",
        "hotel goodbye()",
        "hotel inform(name=blue inn; near=nob hill)",
        "restaurant ?request(food)",
        "restaurant inform_count(type=restaurant; count=2; kidsallowed=yes)",
    ]
    lines = items(folder, inputs="lines", domain="hotel")
    assert [len(item.references) for item in lines] == [2, 1, 2, 1]
    assert lines[0].prompt == lines[2].prompt
    assert len({item.id for item in lines}) == 4


def test_references_of_acts_of_the_same_kind_with_their_values_exchanged(folder):
    red, _, blue = items(folder, domain="hotel", references="kind")
    assert red.references == (
        "the red inn is near soma",
        "red inn is a hotel near soma",
        "there is the red inn near soma",
    )
    assert blue.references == (
        "there is the blue inn near nob hill",
        "the blue inn is near nob hill",
        "blue inn is a hotel near nob hill",
    )


def test_only_what_has_every_value_once_is_exchanged():
    one, other = act("inform(name='inn on castro';near=castro)"), act("inform(name='red inn';near=soma)")
    assert exchanged("the inn on castro is near castro", one, other) == "the red inn is near soma"
    assert exchanged("the inn on castro is near here", one, other) is None
    assert exchanged("the inn on castro, near castro, is in castro", one, other) is None
    several = act("?select(near=a;near=b)")
    assert exchanged("a or b", several, act("?select(near=c;near=d)")) is None


def test_yes_and_no_are_not_exchanged():
    yes, no = act("inform(name=a;dogsallowed=yes)"), act("inform(name=b;dogsallowed=no)")
    assert with_exchanged({yes: ["a allows dogs"], no: ["b forbids dogs"]}) == {
        yes: ("a allows dogs",),
        no: ("b forbids dogs",),
    }


def outputs(folder, text, chosen):
    path = folder / "outputs.txt"
    path.write_text(text)
    return Dialogue().outputs(path, folder, "dev", chosen)


def test_outputs_for_acts_lines_or_the_chosen(folder):
    every = items(folder)
    assert outputs(folder, "1\n2\n3\n4\n5\n", every) == ["1", "2", "3", "4", "5"]
    assert outputs(folder, "1\n2\nx\n3\n4\n5\n", every) == ["1", "2", "3", "4", "5"]
    assert outputs(folder, "1\n2\n3\n4\n5\n", items(folder, inputs="lines")) == ["1", "2", "1", "3", "4", "5"]
    assert outputs(folder, "4\n1\n", [every[3], every[0]]) == ["4", "1"]
    assert outputs(folder, "1\n2\n3\n4\n5\n", [every[3], every[0]]) == ["4", "1"]


def test_outputs_of_one_domain_or_of_both(folder):
    hotels = items(folder, domain="hotel")
    assert outputs(folder, "1\n2\n3\n", hotels) == ["1", "2", "3"]
    assert outputs(folder, "1\n2\n3\n4\n5\n", hotels) == ["1", "2", "3"]
    for path in (folder / "restaurant").iterdir():
        path.unlink()
    assert outputs(folder, "1\n2\n3\n", hotels) == ["1", "2", "3"]


def test_another_number_of_outputs_is_told(folder):
    with pytest.raises(DataError, match=r"has 2 lines; expected 5 \(one an act\), or 6 \(one a line of"):
        outputs(folder, "1\n2\n", items(folder))


def test_an_unknown_choice_is_told(folder):
    with pytest.raises(DataError, match="domain 'laptop': choose one of both, hotel, restaurant"):
        items(folder, domain="laptop")


# -- scores ---------------------------------------------------------------------------------------


@pytest.fixture
def metrics(monkeypatch):
    for package in Dialogue.packages:
        pytest.importorskip(package)
    monkeypatch.setenv("NEUROLOGIC_JAVA", "/nonexistent/java")  # METEOR takes ten seconds


def test_scores_by_all_metrics(metrics, folder):
    chosen = items(folder)
    perfect = [item.references[0] for item in chosen]
    scores = {score.name: score.value for score in Dialogue().measure(perfect, chosen)}
    assert [*scores] == [
        *("rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage", "slot_error")
    ]
    assert (scores["slot_error"], scores["coverage"]) == (0, 100)
    assert scores["bleu_4"] == pytest.approx(100)


def test_case_and_punctuation_do_not_count(metrics, folder):
    chosen = items(folder)
    plain = [item.references[0] for item in chosen]
    written = [f"{text.capitalize()}." for text in plain]
    assert [score.value for score in Dialogue().measure(written, chosen)] == [
        score.value for score in Dialogue().measure(plain, chosen)
    ]
    assert spoken("It’s “Red Inn”, a\nplace.") == "it's red inn a place"


def test_an_act_for_which_nobody_said_anything_has_scores_without_references(metrics, folder):
    (folder / "hotel" / "valid.json").write_text('[["bye()", "bye"], ["goodbye()", " "]]')
    chosen = items(folder, domain="hotel")
    scores = {score.name: score for score in Dialogue().measure(["bye", "bye, no dogs"], chosen)}
    assert (scores["coverage"].value, scores["slot_error"].value) == (100, 100)
    assert len(scores) == 8
    for name in {*scores} - {"coverage", "slot_error"}:
        assert scores[name].value is None
        assert scores[name].reason == "nobody said anything for hotel goodbye()"


# -- the real data --------------------------------------------------------------------------------

real = pytest.mark.skipif(not DATA.is_dir(), reason=f"the dialogue data is not at {DATA}")


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
    found = read_lines(DATA, split, [domain])
    assert (len(found), len(distinct(found))) == (lines, acts)
    assert not [line for line in found if " -" in line.reference or not line.reference]


@real
@pytest.mark.parametrize(("split", "step"), [("train", 11), ("valid", 5)])
def test_an_act_has_a_sentence_that_obeys_its_formula(split, step):
    """So its formula can be satisfied. Every few acts: a formula has some two hundred clauses."""
    known = names_in(line.act for line in read_lines(DATA, "train"))
    for one in list(distinct(read_lines(DATA, split)))[::step]:
        said = sentence(one)
        wanted = formula(one, known=known[one.domain])
        unmet = [report.text for report in check(wanted, said) if not report.satisfied]
        assert not unmet, (str(one), said)


@real
def test_no_formula_contradicts_itself():
    for one in list(distinct(read_lines(DATA, "valid")))[::7]:
        assert find_contradiction(to_clauses(formula(one))) is None, str(one)


@real
def test_people_mostly_say_what_the_formula_wants():
    """They make mistakes, leave things out and know more words than we do; the docs have the figures."""
    lines = read_lines(DATA, "valid")[::10]
    obeyed = [
        all(report.satisfied for report in check(formula(line.act, "allowed"), line.reference))
        for line in lines
    ]
    assert sum(obeyed) / len(obeyed) > 0.85


def test_the_task_is_known_by_its_name():
    assert isinstance(TASKS["dialogue"], Dialogue)
