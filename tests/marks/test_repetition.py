"""Repetition: loops of a model against what good prose, verse and recipes repeat."""

import pytest

from marks.reading_texts import read
from neurologic.marks.repetition import find

EMAIL = """Dear Ms Lindqvist,

Thank you for your order of 12 March. Unfortunately the lamp is out of stock until the end of the \
month, and we are sorry for the delay. You can wait for the next delivery, or we can send you the \
money back at once. Please tell us until the end of the week which you prefer.

Kind regards,
Tom Berg"""

RECIPE = """Pancakes

- 2 cups of plain flour
- 2 cups of milk
- 1 teaspoon of salt
- 1 teaspoon of vanilla extract

1. Whisk the flour, milk and salt in a large bowl.
2. Stir in the teaspoon of vanilla extract.
3. Fry in a hot pan until golden, then fry the other side until golden."""

DIALOGUE = """"Are you coming?" asked Anna.
"No, no, no," said the old man. "I told you yesterday, and I told you the day before."
"You always say that," said Anna.
"Because it is true," said the old man."""

POEM = """The sea goes out, the sea comes in,
and no one counts the hours.
A keeper lights his lamp again
above the broken towers.
The sea goes out, the sea comes in,
and no one counts the hours.
He waits for ships, he waits for men,
he waters all his flowers.
The sea goes out, the sea comes in,
and no one counts the hours."""

STORY = """The old lighthouse keeper found the letter after the storm. It lay under the piano, \
beside an apple that nobody had touched since the summer. He made a cup of tea and read it twice. \
Then he climbed the stairs, lit the lamp, and wrote an answer by its light. In the morning a boat \
came for the post. The old lighthouse keeper gave the answer to the boy, who asked him what it \
said. "It says yes," he told the boy, and went inside to make another cup of tea. The piano had \
not been played for years. That evening the whole bay could hear it."""


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [
        ("It is a work of art, a work of art, a work of art", "a work of art"),
        ("It is a work of art, a work of art.", "a work of art"),
        ("This is very very very good.", "very very very"),
        ("We love it so much, so much, so much!", "so much, so much, so much"),
        (
            "The lamp is warm and bright. It is cheap. The lamp is warm and bright.",
            "The lamp is warm and bright",
        ),
        ("Mix the flour well.\nMix the flour well.\nBake.", "Mix the flour well"),
        (
            "The train was late\nI waited for it\nThe train was late\nI waited for it",
            "The train was late",
        ),
        (
            "You can save money each month if you save money each month with care.",
            "save money each month",
        ),
        (
            "Our app helps you set a daily budget for food. Many people find that it helps you set a daily "
            "budget for everything.",
            "helps you set a daily budget for",
        ),
        (
            "She walked to the store. Then he walked to the store because the dog walked to the store alone.",
            "walked to the store",
        ),
    ],
)
def test_a_repetition(text, excerpt):
    assert find(read(text)) == excerpt


@pytest.mark.parametrize("text", [EMAIL, RECIPE, DIALOGUE, POEM, STORY])
def test_good_texts_repeat_nothing(text):
    assert find(read(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "He ran on and on and on and on.",
        "Ha ha ha, that was good.",
        "It gets better and better, day after day after day.",
        "At the end of the street is a shop, and at the end of the shop is a door.",
        "A cup of tea for him and a cup of tea for her.",
        "Use 2 2 2 as the code.",
        "",
        "...",
    ],
)
def test_people_say_this(text):
    assert find(read(text)) is None


def test_required_phrases_and_names_may_come_again():
    text = "Our home and contents insurance plan is cheap. Ask for the home and contents insurance plan now."
    assert find(read(text)) is None
    again = (
        "We moved to the United States of America. She left the United States of America soon. Who leads the "
    )
    assert find(read(again + "United States of America?")) is None
    needed = "You can save money each month if you save money each month with care."
    assert find(read(needed, "save money each month")) is None
