"""Tokens of CommonGen's scorer: spaCy's rules for English, with case and punctuation.

A blank pipeline has these rules, so no model is needed. COCO's own scorer uses those of the Penn Treebank,
which differ. ROUGE has its own words: see `metrics.rouge_words`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from neurologic.experiments.metrics.optional_packages import package, version


def normalised(text: str) -> str:
    """Replace all white space by single spaces, and characters that UTF-8 cannot encode by "?".

    >>> normalised(" A dog\\n runs\\u00a0fast ")
    'A dog runs fast'
    """
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def tokenised(text: str) -> tuple[str, ...]:
    """Return the tokens of a normalised text: "doesn't run." is "does", "n't", "run", "."."""
    return tuple(token.text for token in _rules()(text) if not token.is_space)


def signature() -> str:
    """Return the part of a metric's settings that names the tokenizer."""
    return f"tok:spacy-blank-en-{version('spacy')}"


@lru_cache(maxsize=1)
def _rules() -> Any:
    return package("spacy").blank("en").tokenizer
