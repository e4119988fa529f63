"""Tokens as CommonGen's scorer makes them: spaCy's rules for English, case and punctuation kept.

The rules alone decide, so a blank pipeline is enough and no model is needed. They are not those of the Penn
Treebank, which COCO's own scorer uses. ROUGE has words of its own: see `metrics.rouge_words`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from neurologic.experiments.metrics.requirements import package, version


def normalised(text: str) -> str:
    """The text with single spaces for all white space, and "?" for what UTF-8 cannot hold.

    >>> normalised(" A dog\\n runs\\u00a0fast ")
    'A dog runs fast'
    """
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def tokenised(text: str) -> tuple[str, ...]:
    """The tokens of a text with single spaces: "doesn't run." is "does", "n't", "run", "."."""
    return tuple(token.text for token in _rules()(text) if not token.is_space)


def signature() -> str:
    """The part of a metric's settings that says how tokens are made."""
    return f"tok:spacy-blank-en-{version('spacy')}"


@lru_cache(maxsize=1)
def _rules() -> Any:
    return package("spacy").blank("en").tokenizer
