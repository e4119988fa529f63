"""METEOR 1.5 (Denkowski and Lavie, 2014) for English, with its own Java program, on CommonGen's tokens.

The program aligns each output with its best reference by exact words, stems, WordNet synonyms and
paraphrases, and prints 23 counts. `Meteor.value` applies the program's own formula and weights to the counts
of one input or to the sum of many, and gives the program's own numbers.

The score of a corpus is that of the summed counts, not the mean over the inputs. The program comes with
pycocoevalcap, runs on any Java, and takes about ten seconds to start. It reads one line per input, so texts
must have no line breaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from neurologic.experiments.metrics import commongen_tokens
from neurologic.experiments.metrics.base import Corpus, Goal, Numbers, Texts
from neurologic.experiments.metrics.java_programs import find_java
from neurologic.experiments.metrics.optional_packages import UnavailableError, package_file

# The program's defaults for English; the weights are those of exact words, stems, synonyms, paraphrases.
ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
WEIGHTS = np.array([1.0, 0.6, 0.8, 0.6])

COUNTS = 23
_SEPARATOR = "|||"


@dataclass(frozen=True)
class Meteor:
    """METEOR with rows of the program's counts.

    These are: the lengths of output and reference, function words of both; for each of four kinds of match,
    content words of the output and of the reference, function words of both; chunks, matched words of both.

    timeout  seconds for the program; None for ten minutes and a second per input
    """

    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR"
    goal: ClassVar[Goal] = Goal.HIGH
    digits: ClassVar[int] = 1
    unit: ClassVar[str] = ""
    timeout: float | None = None

    def statistics(self, texts: Corpus) -> Numbers:
        program = package_file("pycocoevalcap", "meteor/meteor-1.5.jar")
        lines = [
            _line(output, references)
            for output, references in zip(texts.output_tokens, texts.reference_tokens, strict=True)
        ]
        answers = find_java().run(
            ["-Xmx2G", "-jar", str(program), "-", "-", "-stdio", "-l", "en", "-norm"],
            "".join(line + "\n" for line in lines),
            timeout=600 + len(lines) if self.timeout is None else self.timeout,
            folder=program.parent,  # which has the paraphrases
        )
        return _counts(answers, len(lines))

    def value(self, totals: Numbers) -> float:
        output, reference, output_function, reference_function = totals[:4]
        matched = WEIGHTS @ totals[4:20].reshape(4, 4)  # content words of both, function words of both
        content, function = DELTA, 1 - DELTA
        whole_output = content * (output - output_function) + function * output_function
        whole_reference = content * (reference - reference_function) + function * reference_function
        matched_output = content * matched[0] + function * matched[2]
        matched_reference = content * matched[1] + function * matched[3]
        if not matched_output or not matched_reference:
            return 0.0
        precision, recall = matched_output / whole_output, matched_reference / whole_reference
        mean = 1 / ((1 - ALPHA) / precision + ALPHA / recall)
        chunks, words = totals[20], (totals[21] + totals[22]) / 2
        return float(100 * mean * (1 - GAMMA * (chunks / words) ** BETA))

    def value_of_one(self, row: Numbers) -> float:
        return self.value(row)

    def settings(self) -> str:
        return f"meteor:1.5|lang:en|norm:yes|{commongen_tokens.signature()}"


def _line(output: Texts, references: tuple[Texts, ...]) -> str:
    """Return a request for counts; the separator must not occur in the texts."""
    texts = [" ".join(text).replace(_SEPARATOR, " ") for text in (*references, output)]
    return f" {_SEPARATOR} ".join(["SCORE", *texts])


def _counts(answers: str, inputs: int) -> Numbers:
    lines = answers.splitlines()
    try:
        rows = np.array([[float(number) for number in line.split()] for line in lines])
    except ValueError:
        rows = np.empty(0)
    if rows.shape != (inputs, COUNTS):
        raise UnavailableError(f"METEOR did not give {COUNTS} counts for each of {inputs} inputs")
    # A single chunk covering both texts means no fragmentation; leave it out of the sum too.
    whole = (rows[:, 20] == 1) & (rows[:, 21] == rows[:, 0]) & (rows[:, 22] == rows[:, 1])
    rows[whole, 20] = 0
    return rows
