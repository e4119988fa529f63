"""How many tokens any satisfying text needs at least.

The bound is weak but proven; it exists to refuse a budget that cannot work before the model runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neurologic.logic.characters import normalise, word_runs
from neurologic.logic.clauses import Clause, Literal


def fewest_tokens_needed(clauses: Sequence[Clause], runs_per_token: int) -> int:
    """A lower bound on the tokens of any text that satisfies the clauses.

    Take clauses that can only be met by whole-word phrases (disjunctions without negative literals),
    and among them a family in which no two clauses share a word. A satisfying text has, for each clause of
    the family, all words of one of its phrases, each as a maximal run of word characters of its own, and
    different clauses need different runs. A phrase that is wanted n times has n first words. A token touches
    at most `runs_per_token` runs.
    """
    used: set[str] = set()
    total = 0
    for clause in clauses:
        runs = list(_runs_of_phrases(clause))
        words = {word for phrase, _ in runs for word in phrase}
        if runs and all(phrase for phrase, _ in runs) and not words & used:
            used |= words
            total += min(len(phrase) + times - 1 for phrase, times in runs)
    return -(-total // max(1, runs_per_token))


def _runs_of_phrases(clause: Clause) -> Iterable[tuple[list[str], int]]:
    """The words of each phrase, and how often it is wanted; nothing where other ways satisfy the clause."""
    parts = (clause.root,) if isinstance(clause.root, Literal) else clause.root.parts
    if not isinstance(clause.root, Literal) and clause.root.needed != 1:
        return []
    runs = []
    for part in parts:
        if not isinstance(part, Literal) or not part.positive or part.phrase.match != "word":
            return []
        runs.append((word_runs(normalise(part.phrase.text, exact_case=False)), part.phrase.times))
    return runs
