"""Echoes: what an answer may take from its prompt, and what it may not."""

import pytest

from marks.reading_texts import read
from neurologic.marks.echo import find

BUDGET = "Answer the question: How can I save money each month with BrightBudget?"
BLANKET = "Write a short product text for a wool blanket from Ireland that is soft and washable."
STORY = (
    "Tell a story about a keeper who finds an old letter after the storm. "
    "Use the words letter, storm and piano."
)


@pytest.mark.parametrize(
    ("text", "prompt", "required"),
    [
        (
            "You can save money each month with BrightBudget: How can I save money each month with "
            "BrightBudget: How can I",
            BUDGET,
            ("BrightBudget", "save money"),
        ),
        ("How can I save money each month with BrightBudget? Set a limit.", BUDGET, ("BrightBudget",)),
        ("A wool blanket from Ireland that is soft and washable is here.", BLANKET, ("soft", "washable")),
        ("Once a keeper who finds an old letter after the storm wept.", STORY, ("letter", "storm", "piano")),
        ("Use the words letter, storm and piano. She wept.", STORY, ("lighthouse",)),
        (
            "The rewrite: The meeting has been moved to next week!",
            "The meeting has been moved to next week.",
            (),
        ),
        ("WRITE A SHORT PRODUCT TEXT FOR a cup.", BLANKET, ("cup",)),
        ("I don’t know what to do now.", "Reply to: I don't know what to do now", ()),
    ],
)
def test_an_echo(text, prompt, required):
    assert find(read(text, *required, prompt=prompt)) is not None


@pytest.mark.parametrize(
    ("text", "prompt", "required"),
    [
        (
            "You can save money each month with BrightBudget by setting a limit.",
            BUDGET,
            ("BrightBudget",),
        ),
        ("Our soft wool blanket from Ireland is washable at home.", BLANKET, ("soft", "washable", "Ireland")),
        (
            "After the storm, the keeper found a letter beneath the piano.",
            STORY,
            ("letter", "storm", "piano"),
        ),
        (
            "The University of California at Los Angeles Medical Center opens.",
            "Write a headline about the University of California at Los Angeles Medical Center.",
            (),
        ),
        (
            "Letter, storm and piano, letter, storm and piano.",
            STORY,
            ("letter", "storm", "piano"),
        ),
        (
            "Your train leaves platform 7 at 10:45 on 12 May 2025.",
            "Say that the train leaves platform 7 at 10:45 on 12 May 2025.",
            (),
        ),
        ("The sea at night is dark.", "The sea at night", ()),
        ("A dog.", "", ()),
        ("", STORY, ("letter",)),
    ],
)
def test_no_echo(text, prompt, required):
    assert find(read(text, *required, prompt=prompt)) is None


def test_the_excerpt_is_the_text_of_the_run():
    text = "So: The meeting has been moved to next week! Yes."
    assert find(read(text, prompt="The meeting, has been moved to next week.")) == (
        "The meeting has been moved to next week"
    )
