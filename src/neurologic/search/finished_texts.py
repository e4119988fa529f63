"""The finished texts of one input: the k best, and whether the search may stop.

Texts that satisfy most clauses come first; then texts with an end, before those cut after a sentence, before
truncated ones; then those with the best length-normalised score. So a likelier text never pushes out a
satisfied one, and a truncated text comes back only where the search found nothing better. Decoders without
constraints rank by the score alone. Only different texts come back, but texts that read the same count one by
one where the question is whether there are enough, as in Hugging Face.
"""

from __future__ import annotations

from neurologic.search.hypothesis import Ending, Finished
from neurologic.search.settings import SearchSettings

# How whole a text is: it has an end, it was cut after a sentence, or it is truncated.
ENDINGS: dict[Ending, int] = {"end": 0, "stop": 0, "sentence": 1, "length": 2, "time": 2}


def normalised(logprob: float, length: int, length_penalty: float) -> float:
    """Return the log-likelihood divided by length^penalty; the end token counts, the prompt does not."""
    return logprob / max(1, length) ** length_penalty


class FinishedTexts:
    """At most `num_beams` finished texts, all different unless ranked `by_score` alone."""

    def __init__(self, settings: SearchSettings, *, by_score: bool = False) -> None:
        self._settings = settings
        self._texts: list[Finished] = []
        self._counted: list[Finished] = []  # the k best ones, of which several may read the same
        self._by_score = by_score

    def add(self, text: Finished) -> None:
        """Keep the text if it is among the best; of identical texts keep the best-ranked."""
        order, places = (_score if self._by_score else _rank), self._settings.num_beams
        self._counted = sorted([*self._counted, text], key=order)[:places]
        self._texts = sorted([*self._texts, text], key=order)
        if not self._by_score:
            self._texts = self._different()
        del self._texts[places:]

    def _different(self) -> list[Finished]:
        """Return the different texts; of identical ones only the best."""
        best = {text.text.strip(): text for text in reversed(self._texts)}
        return [text for text in self._texts if best[text.text.strip()] is text]

    def has_satisfied(self, all_satisfied: int) -> bool:
        """Return whether some text satisfies every clause."""
        return any(text.satisfied == all_satisfied for text in self._texts)

    def ranked(self) -> list[Finished]:
        """Return the best texts, best first; where the score alone counts, some may read the same."""
        return self._texts[: self._settings.num_return_sequences]

    def best(self) -> list[Finished]:
        """Return the best texts that read differently, best first."""
        return self._different()[: self._settings.num_return_sequences]

    def spare(self) -> list[Finished]:
        """Return the different texts that come after the best ones."""
        return self._different()[self._settings.num_return_sequences :]

    def enough(self, best_running: float, length: int, limit: int, all_satisfied: int) -> bool:
        """Apply Hugging Face's stopping rule to the satisfied texts.

        best_running  the highest cumulative log-likelihood of an unfinished text
        length        its length in tokens
        limit         the greatest length of a text

        By default the rule counts texts that read the same one by one, as long as there are as many different
        ones as are to come back, and judges a running text as if it ended now. The text could still improve
        its normalised score, so this is a heuristic: it rarely costs anything, and ends most searches long
        before the limit.

        With "never" the search stops only where continuing cannot change the result.
        *Proof.* Let s be the score of the worst of k satisfied texts, b the log-likelihood of the best
        unfinished text, n its length, N the limit, and p the length penalty. A text that ends later
        continues an unfinished one, so its log-likelihood l is at most b ≤ 0, since every token's is at most
        0, and its length m is between n and N. If p > 0, its score l / m^p ≤ b / m^p ≤ b / N^p, as b ≤ 0 and
        m ≤ N; otherwise m^-p ≥ n^-p gives l / m^p ≤ b · n^-p = b / n^p. If s is at least that, no later text
        ranks before any of the k, all of which are satisfied, so none takes a place. ∎
        Processors of the caller that raise scores above 0 break this assumption.
        """
        settings = self._settings
        satisfied = [text for text in self._texts if text.satisfied == all_satisfied]
        if settings.early_stopping != "never" and len(satisfied) >= settings.num_return_sequences:
            satisfied = [text for text in self._counted if text.satisfied == all_satisfied]
        if len(satisfied) < settings.num_beams:
            return False
        if settings.early_stopping is True:
            return True
        if settings.early_stopping == "never" and settings.length_penalty > 0:
            length = limit
        attainable = normalised(best_running, length, settings.length_penalty)
        return satisfied[-1].score + satisfied[-1].wished >= attainable


def _score(text: Finished) -> float:
    return -text.score


def _rank(text: Finished) -> tuple[int, int, float]:
    return -text.satisfied, ENDINGS[text.ending] + 2 * text.is_stump, -(text.score + text.wished)
