"""A lower bound on the tokens of any satisfying text.

The bound is weak but proven; it lets a compiler refuse a budget that cannot work, before the model runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from neurologic.logic.characters import normalise, word_runs
from neurologic.logic.clause_trees import alternatives
from neurologic.logic.clauses import Clause, Literal
from neurologic.logic.formula import Phrase
from neurologic.logic.predicates import Length, Range
from neurologic.matching.vocabulary import Vocabulary


def fewest_tokens_for_lengths(clauses: Sequence[Clause], vocabulary: Vocabulary) -> int:
    """Return a lower bound on the tokens of any text that is long enough.

    A clause that is nothing but a length in words or characters says how many a text must have; a token
    touches at most so many words, and has at most so many characters.
    """
    needed = 0
    for clause in clauses:
        match clause.root:
            case Literal(Length("word", Range(low)), True):
                needed = max(needed, -(-low // max(1, vocabulary.most_units_in_a_token)))
            case Literal(Length("character", Range(low)), True):
                needed = max(needed, -(-low // max(1, vocabulary.table.longest)))
    return needed


def fewest_tokens_needed(clauses: Sequence[Clause], runs_per_token: int) -> int:
    """Return a lower bound on the tokens of any text that satisfies the clauses.

    Take clauses that only whole-word phrases satisfy (disjunctions without negative literals), and among
    them a family in which no two clauses share a word. A satisfying text has, for each clause of the family,
    all words of one of its phrases, each as a maximal run of word characters of its own, and different
    clauses need different runs. A phrase that must occur n times has n first words. A token touches at most
    `runs_per_token` runs.
    """
    used: set[str] = set()
    total = 0
    for clause in clauses:
        runs = _runs_of_phrases(clause)
        words = {word for phrase, _ in runs for word in phrase}
        if runs and all(phrase for phrase, _ in runs) and not words & used:
            used |= words
            total += min(len(phrase) + times - 1 for phrase, times in runs)
    return -(-total // max(1, runs_per_token))


def _runs_of_phrases(clause: Clause) -> list[tuple[list[str], int]]:
    """Return the words and `times` of each phrase; nothing where other ways satisfy the clause."""
    phrases = [
        part.atom
        for part in alternatives(clause.root)
        if isinstance(part, Literal) and part.positive and isinstance(part.atom, Phrase)
    ]
    if len(phrases) < len(alternatives(clause.root)) or any(phrase.match != "word" for phrase in phrases):
        return []
    return [(word_runs(normalise(phrase.text, exact_case=False)), phrase.times) for phrase in phrases]
