"""Talk about the task against letters, recipes and stories that use the same words."""

import pytest

from marks.reading_texts import read
from neurologic.marks.task_talk import find


@pytest.mark.parametrize(
    "text",
    [
        "Here is a sentence that uses all of them: The dog slept.",
        "Here's a product description for the cup:\n\nThis cup is new.",
        "Here is a 100-word story with the words piano and storm:\nOnce upon a time",
        "Here is the rewritten text. The train is late.",
        "Sure! The train is late.",
        "Certainly! Our blanket is soft.",
        "Of course, here is your e-mail.",
        "Sure, I'd be happy to help you with that.",
        "The dog slept. This sentence uses the words dog and slept.",
        "This paragraph does not contain any worn phrases.",
        "The dog slept. In the sentence above, it is night.",
        'The words "dog", "cat" and "bird" are used in a story.',
        "The words dog and cat are used.",
        'A story using the words "piano" and "storm".',
        "It has all the required words.",
        "The dog slept. (100 words)",
        "The dog slept. I hope this helps!",
        "Let me know if you'd like me to change anything.",
        "As an AI language model, I have no dog.",
        "As an AI, I have no dog.",
        "I'm sorry, but I can't fulfil this request.",
        "Dear [Recipient's Name],\nthe lamp is late.",
        "Best regards,\n[Your Name]",
        "Dear [Hotel Name],\nwe would like to stay.",
        'He learns fast. In this context, "fast" is an adverb.',
        "He learns fast. In this context, the sentence is about a boy.",
        'She lost them. In this sentence, the phrase "her eyes" stands for her glasses.',
        "He will recruit them. This is a simplified version of the original message.",
        "He will recruit them. This is a grammatically incorrect version of it.",
        "The flood came. In this context, the water refers to the flood.",
        "This is a grammatically correct and idiomatic way to express the idea.",
        "The answer to this question is three months.",
        "Dear <name>, hello.",
        "Dear {first name}, hello.",
        "The dog slept.<|im_end|>",
        "The dog slept.\nuser\nWrite another one.",
        "The dog slept.assistant\nThe cat slept.",
        "Assistant: The dog slept.",
        "Headline: New Library Opens",
        "**Product description:** A cup.",
    ],
)
def test_talk(text):
    assert find(read(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Dear Anna,\n\nHere is the report for May. Let me know if you need any help.\n\nBest,\nTom",
        "Hi Tom,\n\nHere are the minutes of our meeting. Of course you can add to the list.\n\nAnna",
        "Here is a blanket that keeps you warm.",
        "Here is the story of a lighthouse and its keeper.",
        "“Sure,” she said, “here you are.”",
        "Sure, we can meet on Tuesday.",
        "Absolutely everything is on sale: shoes, hats, coats.",
        "The system is used by many users. Human: that is what we are.",
        "The judge read the sentence aloud, and the words were lost in the noise.",
        "As an AI startup, we hire.",
        "The war went on. In this context, prices rose. In this sentence he found comfort.",
        "Her French is idiomatic. “Is it grammatically correct?” he asked.",
        "Nobody knows the answer to this question. [He laughs] See [Street Name](https://example.com).",
        "I can't generate enough heat with this stove.",
        "See [your order](https://example.com) and note [1].",
        "Ingredients:\n2 eggs\n\nInstructions:\nWhisk the eggs.",
        "Question: Is it safe?\nAnswer: Yes, it is.",
        "Use the words of a friend, and a prompt reply helps.",
        "This story begins in a small town. This text message was late.",
        "Our assistant will help you. The user of a lamp <3 light.",
        "x < 3 and y > 2",
        "",
    ],
)
def test_no_talk(text):
    assert find(read(text)) is None


def test_what_the_formula_requires_is_no_talk():
    assert find(read("Dear [Name], hello.", "[Name]")) is None
    assert find(read("Dear [Name], hello.\n[Your Name]", "[Name]")) == "[Your Name]"
