"""What an answer must say, and what it must not."""

from __future__ import annotations

import json

import pytest

from experiments.tasks.dialogue.sample_data import DATA, act, items, real
from neurologic.experiments.tasks.dialogue.act_sentences import sentence
from neurologic.experiments.tasks.dialogue.acts import Act, distinct, read_utterances
from neurologic.experiments.tasks.dialogue.formulas import formula, names_in
from neurologic.experiments.tasks.dialogue.slots import NAMES, YES_OR_NO
from neurologic.logic import check, find_contradiction, occurs, to_clauses


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


def test_what_is_reported_is_not_denied():
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
    forbidden = [one[0].atom for one in clauses if len(one) == 1 and not one[0].positive]
    forms = [literal.atom.text for one in clauses for literal in one if literal.positive]
    assert [str(phrase) for phrase in forbidden if any(occurs(phrase, form) for form in forms)] == []


def test_prices_and_meals_are_spoken_of_where_the_act_has_something_like_them():
    assert obeys("inform(price='22 euro')", "It is cheap, at 22 euro.", domain="restaurant")
    assert obeys("inform(food=sushi)", "Sushi for dinner.", domain="restaurant")
    assert not obeys("inform(area=soma)", "In Soma, for dinner.", domain="restaurant")


def test_an_act_that_says_nothing_has_a_formula_that_always_holds():
    assert to_clauses(formula(Act("hotel", "welcome"), "allowed")) == ()


@real
@pytest.mark.parametrize(("split", "step"), [("train", 11), ("valid", 5)])
def test_an_act_has_a_sentence_that_obeys_its_formula(split, step):
    """So its formula can be satisfied. Every few acts: a formula has some two hundred clauses."""
    known = names_in(line.act for line in read_utterances(DATA, "train"))
    for one in list(distinct(read_utterances(DATA, split)))[::step]:
        said = sentence(one)
        wanted = formula(one, known=known[one.domain])
        unmet = [report.text for report in check(wanted, said) if not report.satisfied]
        assert not unmet, (str(one), said)


@real
def test_no_formula_contradicts_itself():
    for one in list(distinct(read_utterances(DATA, "valid")))[::7]:
        assert find_contradiction(to_clauses(formula(one))) is None, str(one)


@real
def test_people_mostly_say_what_the_formula_wants():
    """They make mistakes, leave things out and know more words than we do; the docs have the figures."""
    lines = read_utterances(DATA, "valid")[::10]
    obeyed = [
        all(report.satisfied for report in check(formula(line.act, "allowed"), line.reference))
        for line in lines
    ]
    assert sum(obeyed) / len(obeyed) > 0.85
