"""Real models of other families do what the tiny ones do: a T5 that writes titles, and Marian with terms.

What the T5's conversion from its package gets wrong shows in the titles: weights in the wrong place write
nothing that has to do with the text.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from neurologic import inflect, phrase
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.logic import occurs
from neurologic.models.loading import LoadedModel

pytestmark = pytest.mark.real_model

PARSER = "The parser loops for ever if a file ends inside a comment; it now raises an error with the line."
BRIDGE = "The city council voted to close the old bridge to cars and to build a new one for bicycles."
WINDOWS = "The tests fail on Windows because the paths are joined with slashes. We replaced them."
RECIPE = "Heat the oil in a pan, fry the onions until they are golden, add the rice and the hot stock."
PASSAGES = (PARSER, BRIDGE, WINDOWS, RECIPE)


@pytest.fixture(scope="module")
def titles(title_t5: LoadedModel) -> ConstrainedModel:
    return ConstrainedModel(title_t5)


@pytest.fixture(scope="module")
def translation(marian: LoadedModel) -> ConstrainedModel:
    return ConstrainedModel(marian)


# --- T5 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passage", "topic"), [(PARSER, "line"), (BRIDGE, "bridge"), (WINDOWS, "Windows"), (RECIPE, "rice")]
)
def test_a_title_is_about_its_passage(titles: ConstrainedModel, passage: str, topic: str) -> None:
    result = titles.generate(passage, decoder="greedy", max_new_tokens=16)
    assert occurs(phrase(topic), result.text), result.text
    assert result.ending == "end"


@pytest.mark.parametrize(
    ("passage", "formula"),
    [
        (PARSER, "comment & !fix"),
        (BRIDGE, "(bicycle | bicycles) & council & !attempt"),
        (WINDOWS, "(slash | slashes) & !windows & !fix"),
        (RECIPE, 'rice & none(add, fry, pan) & (!oil | "hot stock")'),
    ],
)
def test_titles_obey(titles: ConstrainedModel, passage: str, formula: str) -> None:
    free = titles.generate(passage, formula, decoder="beam", reduce=True, num_beams=4, max_new_tokens=24)
    assert not free.satisfied  # or the formula would ask for nothing
    result = titles.generate(passage, formula, num_beams=4, max_new_tokens=24)
    assert result.satisfied, result.text
    assert "<" not in result.text  # neither <pad> nor <extra_id_0>


def test_all_titles_in_one_batch_with_formulas_of_their_own(titles: ConstrainedModel) -> None:
    formulas = [inflect("comment"), None, ~phrase("Windows"), phrase("stock") & ~phrase("oil")]
    results = titles.generate(PASSAGES, formulas, num_beams=4, max_new_tokens=24)
    assert all(result.satisfied for result in results)
    assert "windows" not in results[2].text.lower()


@pytest.mark.parametrize(
    "settings",
    [
        {"num_beams": 2},
        {"num_beams": 4, "length_penalty": 2.0, "early_stopping": True},
        {"num_beams": 4, "min_new_tokens": 12, "no_repeat_ngram_size": 2},
        {"num_beams": 3, "repetition_penalty": 1.5, "early_stopping": "never"},
    ],
    ids=str,
)
def test_beam_writes_the_titles_of_generate(titles: ConstrainedModel, settings: dict[str, Any]) -> None:
    for passage in PASSAGES[:2]:
        inputs = titles.tokenizer(passage, return_tensors="pt")
        expected = titles.model.generate(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            do_sample=False,
            max_new_tokens=16,
            **{"length_penalty": 1.0, "early_stopping": False, **settings},
        )[0, 1:].tolist()
        result = titles.generate(passage, decoder="beam", max_new_tokens=16, **settings)
        assert list(result.tokens) == expected


def segmentations(pieces: dict[str, int], text: str) -> Iterator[tuple[int, ...]]:
    """Every way of cutting a text into pieces."""
    if not text:
        yield ()
    for end in range(1, len(text) + 1):
        if text[:end] in pieces:
            yield from ((pieces[text[:end]], *rest) for rest in segmentations(pieces, text[end:]))


@pytest.mark.parametrize(
    "text", ["Old bridges", "The bridge is closed", "abridged", "bridge-head", "Bri dge"]
)
def test_every_segmentation_is_matched_as_its_text_reads(titles: ConstrainedModel, text: str) -> None:
    """T5's pieces, cut in all ways: the word counts where it stands in the decoded text and nowhere else."""
    constraint = titles.compile("bridge")
    pieces = titles.tokenizer.get_vocab()
    expected = occurs(phrase("bridge"), text)
    several = list(itertools.islice(segmentations(pieces, "▁" + text.replace(" ", "▁")), 300))
    assert len(several) > 5
    for tokens in several:
        assert titles.tokenizer.decode(tokens) == text
        state, found = constraint.matcher.start(), 0
        for token in tokens:
            state, more = constraint.matcher.step(state, token)
            found |= more
        assert bool(found | constraint.matcher.provisional(state)) is expected, tokens


# --- Marian ------------------------------------------------------------------------------------------


def test_a_required_term_takes_the_place_of_the_models_own(translation: ConstrainedModel) -> None:
    source = "The tenant must pay the rent on the first day of each month."
    free = translation.generate(source, decoder="beam", num_beams=4, max_new_tokens=32)
    bound = translation.generate(source, "preneur & !locataire", num_beams=4, max_new_tokens=32)
    assert free.text == "Le locataire doit payer le loyer le premier jour de chaque mois."
    assert bound.text == free.text.replace("locataire", "preneur")
    assert bound.forced == 0


def test_the_sentence_follows_the_gender_of_a_required_term(translation: ConstrainedModel) -> None:
    source = "The shop opens at nine and closes at six."
    bound = translation.generate(source, "magasin & !boutique", num_beams=4, max_new_tokens=32)
    assert bound.text.startswith("Le magasin ouvre"), bound.text


def test_terms_hold_in_a_batch_of_sources_of_different_lengths(translation: ConstrainedModel) -> None:
    sources = [
        "The developer fixed the bug in the login form.",
        "Where is the nearest pharmacy?",
        "Send me an email when the server is back online.",
    ]
    formulas = ["(bogue | bogues) & none(bug, bugs)", None, 'courriel & none("e-mail", email)']
    results = translation.generate(sources, formulas, num_beams=4, max_new_tokens=32)
    assert [result.satisfied for result in results] == [True, True, True]
    assert occurs(phrase("bogue"), results[0].text)
    assert occurs(phrase("courriel"), results[2].text)
