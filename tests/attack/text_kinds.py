"""Attack the matcher: however a text is cut into tokens, it finds what the specification finds."""

from __future__ import annotations

import random
from functools import cache

from attack.draws import PHRASES, VOCABULARY, Case, formula_text, random_text
from neurologic.errors import NeurologicError
from neurologic.feasibility.compiled_constraint import CompiledConstraint, compile_clauses
from neurologic.logic import Phrase, holds, occurs, parse, split_wishes, to_clauses
from neurologic.matching.matcher import DEAD, Matcher
from neurologic.matching.vocabulary import Vocabulary
from neurologic.models.loading import load


def make_segmentation(chance: random.Random) -> Case:
    phrases = [
        {
            "text": chance.choice(PHRASES),
            "match": chance.choice(["word", "substring"]),
            "case": chance.choice(["fold", "exact"]),
            "times": chance.choice([1, 1, 2]),
        }
        for _ in range(3)
    ]
    return {"phrases": phrases, "tokens": [chance.randrange(1, len(VOCABULARY)) for _ in range(12)]}


def run_segmentation(case: Case) -> None:
    """Every phrase is found where `occurs` finds it."""
    phrases = [Phrase(**fields) for fields in case["phrases"]]
    matcher = Matcher(phrases, VOCABULARY)
    state, found = matcher.start(), 0
    written: list[int] = []
    for token in case["tokens"]:
        after, more = matcher.step(state, token)
        if after == DEAD:
            continue
        state, found = after, found | more
        written.append(token)
        if matcher.may_end(state):
            text = VOCABULARY.decode(tuple(written)).decode()
            present = found | matcher.provisional(state)
            for number, phrase in enumerate(phrases):
                assert occurs(phrase, text) == bool(present >> number & 1), (str(phrase), text)


def make_verdict(chance: random.Random) -> Case:
    return {
        "formula": formula_text(chance, 2, 0.6),
        "tokens": [chance.randrange(1, len(VOCABULARY)) for _ in range(12)],
    }


def run_verdict(case: Case) -> None:
    """After every token, a whole formula with its predicates is as true as the specification says."""
    constraint = _compiled(case["formula"], VOCABULARY)
    _follow(constraint, case["formula"], case["tokens"], VOCABULARY)


def make_real(chance: random.Random) -> Case:
    """Cut a text at random places; the tokens follow from the seed, so that the case stays small."""
    texts = [random_text(chance), " ".join(chance.choice(_WORDS) for _ in range(chance.randint(1, 8)))]
    formula = formula_text(chance, 2, 0.4)
    for phrase in PHRASES[:6]:
        formula = formula.replace(f'"{phrase}"', f'"{chance.choice(_WORDS)}"')
    return {"formula": formula, "text": chance.choice(texts), "seed": chance.randrange(1000)}


def run_real(case: Case) -> None:
    """The same with the vocabulary of a real tokenizer."""
    vocabulary = _real_vocabulary()
    chance = random.Random(case["seed"])
    left, tokens = case["text"].encode(), []
    while left:
        length = chance.choice([size for size in range(1, 12) if left[:size] in vocabulary.token_of] or [0])
        if not length:
            return  # not every byte has a token
        tokens.append(vocabulary.token_of[left[:length]])
        left = left[length:]
    _follow(_compiled(case["formula"], vocabulary), case["formula"], tokens, vocabulary)


_WORDS = [
    *(
        "dog",
        "dogs",
        "Dog",
        "hot dog",
        "don't",
        "3.5",
        "3",
        "10,000",
        "café",
        "cafe\u0301",
        "well-being",
        "U.S.",
    ),
    *("中文", "👍🏽", "ﬁsh", "fish", "İstanbul", "Straße", "STRASSE", "C++", "a\u0323\u0307", "שלום", "नमस्ते"),
]


@cache
def _real_vocabulary() -> Vocabulary:
    return load("smollm2").vocabulary


def _compiled(formula: str, vocabulary: Vocabulary) -> CompiledConstraint:
    """Compile without asking whether the formula can be true at all."""
    required, wishes = split_wishes(parse(formula))
    if required is None:
        raise NeurologicError("nothing but wishes")
    return compile_clauses(to_clauses(required), vocabulary, wishes)


def _follow(constraint: CompiledConstraint, formula: str, tokens: list[int], vocabulary: Vocabulary) -> None:
    matcher, specified = constraint.matcher, parse(formula)
    state, found = matcher.start(), 0
    written: list[int] = []
    settled = (0, 0)
    for token in tokens:
        after, more = matcher.step(state, token)
        if after == DEAD:
            continue
        state, found = after, found | more
        written.append(token)
        if not matcher.may_end(state):
            continue
        text = vocabulary.decode(tuple(written)).decode()
        truth = holds(specified, text)
        status = constraint.tracker.at_end(constraint.present(state, found))
        assert truth == (not status.unsatisfied), (formula, text)
        now = constraint.settled(state, found)
        assert not (now.failed and truth), ("S2, and yet true", formula, text)
        all_settled = now.irreversible.bit_count() == len(constraint.clauses)
        assert truth or not all_settled, ("S4 everywhere, and yet false", formula, text)
        assert settled[0] & now.irreversible == settled[0], ("S4 was left", formula, text)
        assert now.failed or not settled[1], ("S2 was left", formula, text)
        settled = (now.irreversible, int(now.failed))
