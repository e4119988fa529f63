"""Tokens as CommonGen's scorer makes them."""

import pytest

from neurologic.experiments.metrics.commongen_tokens import tokenised

pytest.importorskip("spacy")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The boy doesn't climb.", "The boy does n't climb ."),
        ('He said: "Stop!"', 'He said : " Stop ! "'),
        ("a well-known T-shirt, isn't it?", "a well - known T - shirt , is n't it ?"),
        ("Mr. Smith cannot go at 5 p.m.", "Mr. Smith can not go at 5 p.m."),
        ("", ""),
    ],
)
def test_case_and_punctuation_stay(text, tokens):
    assert " ".join(tokenised(text)) == tokens
