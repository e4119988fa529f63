"""Acts as plain sentences."""

from __future__ import annotations

import pytest

from experiments.tasks.dialogue.sample_data import act
from neurologic.experiments.tasks.dialogue.act_sentences import sentence


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
