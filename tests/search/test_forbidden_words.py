"""A model's favourite words, forbidden: they never come back, in no capitals, form or segmentation asked for.

Every prompt is first continued freely. What the model wrote is then forbidden in five ways, and the texts
written under the ban are read with plain Python: no matcher, no `occurs`, no word boundaries but these.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import lemminflect
import pytest

from neurologic.errors import UnsatisfiedWarning
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.logic import Formula, inflect, none_of, phrase
from neurologic.models.loading import LoadedModel

pytestmark = pytest.mark.real_model

PROMPTS = [
    "The best way to cook rice is",
    "My favourite animal is",
    "The capital of France is",
    "In winter, people",
    "A good teacher should",
    "The children went to the park and",
    "Water boils when",
    "The doctor told the patient",
    "Once upon a time, there was",
    "The secret of a happy life is",
    "When the dog saw the cat, it",
    "Music is",
    "The first thing I do in the morning",
    "To grow tomatoes, you need",
    "The old man and",
    "She opened the door",
    "The most important invention of the",
    "A computer is",
    "He was hungry, so",
    "The moon is",
]
WORD = r"[\w\u0300-\u036f]+"  # a combining mark is part of its word, although \w does not say so
HOW = {"raw": True, "num_beams": 2, "max_new_tokens": 12, "batch_size": 20}


def words(text: str) -> list[str]:
    return re.findall(WORD, text)


def new_words(prompt: str, text: str) -> list[str]:
    """The words that start in the text, not one that the prompt began."""
    return [word.group() for word in re.finditer(WORD, prompt + text) if word.start() >= len(prompt)]


def pairs(prompt: str, text: str) -> set[str]:
    """Neighbouring words with only spaces between them that start in the text, in small letters."""
    parts = [part for part in re.finditer(rf"{WORD}|\s+|.", prompt + text) if part.start() >= len(prompt)]
    return {
        f"{first[0]} {second[0]}".lower()
        for first, between, second in zip(parts, parts[1:], parts[2:], strict=False)
        if between[0].isspace() and re.match(WORD, first[0]) and re.match(WORD, second[0])
    }


def content_words(text: str) -> list[str]:
    return list(dict.fromkeys(word for word in words(text) if len(word) > 3 and word.isalpha()))


def dictionary_forms(word: str) -> set[str]:
    forms = {word.lower()}
    for several in lemminflect.getAllInflections(word.lower()).values():
        forms.update(form.lower() for form in several)
    return forms


def every_word(favourite: str) -> Formula:
    return none_of(*dict.fromkeys(word.lower() for word in words(favourite)))


def has_no_word(favourite: str, prompt: str, text: str) -> bool:
    return not {w.lower() for w in words(favourite)} & {w.lower() for w in new_words(prompt, text)}


def every_form(favourite: str) -> Formula:
    return none_of(*map(inflect, content_words(favourite)))


def has_no_form(favourite: str, prompt: str, text: str) -> bool:
    forms = set().union(*map(dictionary_forms, content_words(favourite)))
    return not forms & {word.lower() for word in new_words(prompt, text)}


def every_pair(favourite: str) -> Formula:
    return none_of(*sorted(pairs("", favourite)))


def has_no_pair(favourite: str, prompt: str, text: str) -> bool:
    return not pairs("", favourite) & pairs(prompt, text)


def every_beginning(favourite: str) -> Formula:
    beginnings = dict.fromkeys(word[:4].lower() for word in content_words(favourite))
    return none_of(*(phrase(beginning, match="substring") for beginning in beginnings))


def has_no_beginning(favourite: str, prompt: str, text: str) -> bool:
    return not any(word[:4].lower() in text.lower() for word in content_words(favourite))


def as_spelled(favourite: str) -> Formula:
    return none_of(*(phrase(word, case="exact") for word in content_words(favourite)))


def has_none_as_spelled(favourite: str, prompt: str, text: str) -> bool:
    return not set(content_words(favourite)) & set(new_words(prompt, text))


Check = Callable[[str, str, str], bool]
BANS: dict[str, tuple[Callable[[str], Formula], Check]] = {
    "every word": (every_word, has_no_word),
    "every form of its content words": (every_form, has_no_form),
    "every pair of neighbours": (every_pair, has_no_pair),
    "how its content words begin, anywhere": (every_beginning, has_no_beginning),
    "its content words as spelled": (as_spelled, has_none_as_spelled),
}


@pytest.fixture(scope="module")
def lm(smollm2: LoadedModel) -> ConstrainedModel:
    return ConstrainedModel(smollm2)


@pytest.fixture(scope="module")
def favourites(lm: ConstrainedModel) -> list[str]:
    """What the model writes freely; long enough in every case to have something to forbid."""
    texts = [result.text for result in lm.generate(PROMPTS, **HOW, min_new_tokens=12)]
    assert all(content_words(text) and pairs("", text) for text in texts)
    return texts


@pytest.mark.parametrize(("place", "ban"), enumerate(BANS))
def test_eight_prompts_without_the_models_favourites(
    lm: ConstrainedModel, favourites: list[str], place: int, ban: str
) -> None:
    forbidding, obeys = BANS[ban]
    # Each ban has eight of the prompts, each prompt two of the bans.
    chosen = [(4 * place + number) % len(PROMPTS) for number in range(8)]
    prompts, liked = [PROMPTS[number] for number in chosen], [favourites[number] for number in chosen]
    assert not any(map(obeys, liked, prompts, liked))  # every ban hits what the model likes best
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsatisfiedWarning)
        results = lm.generate(prompts, list(map(forbidding, liked)), **HOW, min_new_tokens=6)
    for prompt, favourite, result in zip(prompts, liked, results, strict=True):
        assert obeys(favourite, prompt, result.text), (prompt, favourite, result.text)
        assert words(result.text)
        assert result.satisfied
