"""Slot errors: which facts of an act a text says, and what it says beyond them."""

from __future__ import annotations

import pytest

from experiments.tasks.dialogue.sample_data import DATA, real
from neurologic.experiments.metrics import compare, corpus, measure
from neurologic.experiments.tasks.dialogue.act_sentences import sentence
from neurologic.experiments.tasks.dialogue.acts import distinct, parse_act, read_utterances
from neurologic.experiments.tasks.dialogue.slot_error import FactCoverage, SlotError, errors, known_values


def missing(text, said, domain="hotel"):
    return [str(fact) for fact in errors(parse_act(text, domain), said).missing]


def redundant(text, said, *others):
    one = parse_act(text, "hotel")
    known = known_values([one, *(parse_act(other, "hotel") for other in others)])
    return sorted(errors(one, said, known["hotel"]).redundant)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inform(name='red inn';phone='4150000000')", "The RED INN's number: 4150000000!"),
        ("inform(address='5 main street')", "at 5 Main St."),
        ("inform(price='between 5 and 9 euro')", "from 5 to 9 euros"),
        ("inform(pricerange=moderate)", "moderately priced"),
        ("inform(pricerange='ultra high end')", "ultra-high-end"),
        ("inform(food='sea food')", "seafood"),
        ("inform_count(count='3')", "three of them"),
        ("inform(area='soma or nob hill')", "in Nob Hill or Soma"),
        ("inform(name='inn on castro';near=castro)", "Inn on Castro is near Castro"),
        ("inform(type=hotel)", "nothing"),
        ("inform(food)", "nothing"),
        ("?request(food)", "what kind of food?"),
        ("?confirm(dogsallowed=dont_care)", "you do not care about dogs?"),
        ("?select(dogsallowed=yes;dogsallowed=no)", "a place with no dogs or not?"),
        ("inform_no_match(dogsallowed=yes)", "no hotels allow dogs"),
        ("inform_no_match(dogsallowed=no)", "no hotels do not allow dogs"),
        ("inform_no_match(dogsallowed=no)", "There are zero hotels that forbid dogs."),
        ("inform_count(count='1')", "There is one hotel."),
        ("inform(hasinternet=yes)", "It has free internet."),
        ("inform(dogsallowed=no)", "It is dog-free."),
        ("inform(kidsallowed=no;hasinternet=yes)", "It is child free and has free internet."),
        ("inform(dogsallowed=yes)", "It allows dogs, and does not have a pool."),
        ("inform(dogsallowed=no)", "It's nice but dogs aren't allowed."),
        ("inform(dogsallowed=no;hasinternet=yes)", "It has internet and does not allow dogs."),
        ("inform(dogsallowed=yes)", "There are no other hotels that allow dogs."),
    ],
)
def test_facts_that_are_said(text, said):
    assert missing(text, said) == []


@pytest.mark.parametrize(
    ("text", "said", "left_out"),
    [
        ("inform(name='red inn';near=soma)", "The Red is in So Ma.", ["name=red inn", "near=soma"]),
        ("inform(phone='4150000000')", "415000000", ["phone=4150000000"]),
        ("inform(area='soma or nob hill')", "in Soma", ["area=soma or nob hill"]),
        ("inform(name='inn on castro';near=castro)", "Inn on Castro is nice", ["near=castro"]),
        ("?request(food)", "what would you like?", ["food"]),
        ("inform(dogsallowed=yes)", "It doesn’t allow dogs.", ["dogsallowed=yes"]),
        ("inform(dogsallowed=no)", "It allows dogs.", ["dogsallowed=no"]),
        ("inform(dogsallowed=no)", "It does not allow dogs. It allows dogs.", ["dogsallowed=no"]),
        ("inform(kidsallowed=no)", "It is nice.", ["kidsallowed=no"]),
        ("inform(dogsallowed=yes)", "It is a pet-free place.", ["dogsallowed=yes"]),
        ("inform_no_match(dogsallowed=no)", "No hotels allow dogs.", ["dogsallowed=no"]),
        ("inform_no_match(dogsallowed=no)", "A hotel does not allow dogs.", ["dogsallowed=no"]),
        ("inform_no_match(dogsallowed=yes)", "A hotel allows dogs.", ["dogsallowed=yes"]),
        ("inform_count(count='1')", "There are two hotels.", ["count=1"]),
        ("?confirm(hasinternet=no)", "you want internet, right?", ["hasinternet=no"]),
    ],
)
def test_facts_that_are_missing(text, said, left_out):
    assert missing(text, said) == left_out


def test_what_is_said_more_often_than_the_act_has_it_is_redundant():
    said = "Red Inn is near Soma. Red Inn is a red inn."
    assert redundant("inform(name='red inn';near=soma)", said) == ["red inn", "red inn"]
    assert redundant("inform(name='red inn';near=soma;area=soma)", "Red Inn, near Soma, in Soma") == []


def test_a_value_without_words_has_to_stand_there_itself():
    act = "inform(name='!!!';phone='415')"
    assert missing(act, "Hello, 415.") == ["name=!!!"]
    assert missing(act, "!!! has the number 415.") == []
    assert redundant(act, "!!! has the number 415.") == []


def test_a_value_of_another_act_is_redundant():
    others = ("inform(name='blue inn';near='nob hill')", "inform(pricerange=cheap)", "inform(name=so)")
    said = "So the Red Inn is cheap and near Nob Hill."
    assert redundant("inform(name='red inn')", said, *others) == ["cheap", "nob hill"]
    assert redundant("inform(name='red inn near nob hill')", "Red Inn near Nob Hill", *others) == []


def test_values_of_the_other_domain_are_not_known():
    acts = [parse_act("inform(food=thai)", "restaurant"), parse_act("inform(area=soma)", "hotel")]
    assert known_values(acts) == {"restaurant": (("thai",),), "hotel": (("soma",),)}


def test_slots_of_yes_and_no_that_the_act_does_not_have_are_redundant():
    assert redundant("inform(name='red inn')", "Red Inn has internet and takes cards") == [
        "cards",
        "internet",
    ]
    assert redundant("inform(name='hot dog inn')", "Hot Dog Inn") == []


def test_other_numbers_are_redundant():
    said = "Red Inn, 4150000001, postcode 94108, has 300 rooms since 1905."
    assert redundant("inform(name='red inn')", said) == ["4150000001", "94108"]
    assert redundant("inform(phone='4150000001';postcode='94108')", said) == []


@pytest.mark.parametrize("number", ["415-555-0134", "415 555 0134", "(415) 555-0134", "415.555.0134"])
def test_telephone_numbers_may_have_dashes_and_spaces(number):
    assert redundant("inform(name='red inn')", f"Red Inn: {number}.") == ["4155550134"]
    assert redundant("inform(phone='4155550134')", f"4155550134, that is {number}.") == []
    assert redundant("inform(name='red inn')", "Red Inn: 555-0134, 12 415 rooms") == ["5550134"]


def test_one_is_a_number_and_a_pronoun():
    assert redundant("inform_count(count='1')", "There is one hotel, the one in the middle.") == []


def test_a_question_may_list_what_it_asks_for():
    others = ("inform(goodformeal=lunch)",)
    assert redundant("?request(goodformeal)", "lunch or dinner?", *others) == []
    assert redundant("?request(area)", "lunch in which area?", *others) == ["lunch"]


ACTS = tuple(
    parse_act(text, "hotel")
    for text in ("inform(name='red inn';near=soma)", "goodbye()", "inform(name='blue inn';dogsallowed=no)")
)


TEXTS = ["Red Inn, near Soma.", "Goodbye.", "Blue Inn allows dogs and has internet."]


def scored(metric, outputs):
    return measure(metric, corpus(outputs, [["x"]] * len(outputs)))


def test_the_rate_is_errors_over_all_slots():
    score = scored(SlotError(ACTS), TEXTS)
    assert score.value == pytest.approx(100 * 2 / 4)  # no "no dogs", and internet
    assert score.per_input == (0, 0, 100)


def test_coverage_is_a_mean_over_acts_with_slots():
    score = scored(FactCoverage(ACTS), TEXTS)
    assert score.value == pytest.approx(100 * (1 + 0.5) / 2)
    assert scored(FactCoverage(ACTS[1:2]), ["Bye."]).value == 100


def test_an_act_without_slots_can_still_have_too_much():
    assert scored(SlotError(ACTS[1:2]), ["Goodbye, and no dogs."]).value == 100


def test_systems_are_compared_on_the_same_acts():
    other = scored(SlotError(ACTS), ["Red Inn.", "Bye.", "Blue Inn does not allow dogs."])
    difference = compare(scored(SlotError(ACTS), TEXTS), other)
    assert difference.difference.value == pytest.approx(-25)
    assert scored(SlotError(ACTS[:2]), TEXTS[:2]).signature != scored(SlotError(ACTS), TEXTS).signature


@real
def test_sentences_by_template_have_no_slot_errors():
    acts = tuple(distinct(read_utterances(DATA, "valid")))
    assert scored(SlotError(acts), [sentence(one) for one in acts]).value == 0
