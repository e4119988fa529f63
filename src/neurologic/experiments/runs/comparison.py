"""Texts of several decoders for the same inputs, side by side; a comparison grows while decoders write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neurologic.experiments.runs.prediction import Prediction
from neurologic.experiments.runs.run_statistics import (
    FORCED,
    REPETITION,
    SECONDS,
    TEXTS_SATISFIED,
    Column,
    Figures,
    summarise,
)
from neurologic.experiments.tables import Block, ResultTable, Row
from neurologic.logic import Clause

COMPARISON_COLUMNS = (
    Column("formula", "whole, or the rule that reduced it to what the decoder can express", "formula", None),
    Column("texts", "texts written; refused: the decoder cannot express the formula", "texts_and_gaps", None),
    Column("clauses %", "clauses satisfied, of all clauses", "clauses_satisfied", 1),
    TEXTS_SATISFIED,
    Column("nats/token", "log-likelihood per token under the model, mean over texts", "log_likelihood", 3),
    Column("dist-1 %", "different words / words, all texts together", "distinct_1", 1),
    Column("dist-2 %", "the same for pairs of words", "distinct_2", 1),
    REPETITION,
    Column("rep-2 %", "pairs of words that repeat one of the same text", "repetition_2", 1),
    SECONDS,
    Column(
        "calls/text",
        "texts that the model read one token further, per text; for cgmh and gradient sentences judged",
        "calls",
        0,
    ),
    Column("reused", "look-ahead steps per text that needed no such call", "reused", 0),
    FORCED,
    Column("cut off %", "texts that ended at the limit of length or time", "cut_off", 1),
)

_FIGURES = (
    *("formula", "texts", "refused", "failed", "clauses_satisfied", "texts_satisfied", "log_likelihood"),
    *("distinct_1", "distinct_2", "repetition_1", "repetition_2", "seconds", "calls", "reused"),
    *("forced", "cut_off"),
)


@dataclass(frozen=True)
class ComparedInput:
    """One input, the same for all decoders.

    title    what a reader knows it by: its prompt, or the concepts of a task
    clauses  the clauses of its formula
    fields   the input as JSON
    """

    title: str
    clauses: tuple[Clause, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Comparison:
    """Decoders on the same inputs.

    settings     how the texts were written, for whoever wants to repeat it
    predictions  by decoder and the input's place; an interrupted comparison lacks some
    """

    inputs: list[ComparedInput]
    decoders: list[str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    predictions: dict[str, dict[int, Prediction]] = field(default_factory=dict)

    def add(self, decoder: str, place: int, prediction: Prediction) -> None:
        self.predictions.setdefault(decoder, {})[place] = prediction

    def at(self, place: int) -> dict[str, Prediction]:
        """Return the predictions for an input by decoder, in the order of the decoders."""
        found = {decoder: self.predictions.get(decoder, {}).get(place) for decoder in self.decoders}
        return {decoder: prediction for decoder, prediction in found.items() if prediction is not None}

    def figures(self) -> dict[str, Figures]:
        """Return the figures of each decoder."""
        return {
            decoder: summarise(list(self.predictions.get(decoder, {}).values())) for decoder in self.decoders
        }

    @property
    def complete(self) -> bool:
        """Whether every decoder has written a text for every input."""
        wanted = len(self.inputs) * len(self.decoders)
        return wanted == sum(figures.texts for figures in self.figures().values())

    def table(self) -> ResultTable:
        """Return one row of figures per decoder."""
        rows = (
            Row(decoder, tuple(column.cell(figures) for column in COMPARISON_COLUMNS))
            for decoder, figures in self.figures().items()
        )
        count = len(self.inputs)
        return ResultTable(
            "Figures per decoder",
            tuple(column.heading for column in COMPARISON_COLUMNS),
            (Block("", tuple(rows)),),
            f"{count} {'input' if count == 1 else 'inputs'}",
            corner="decoder",
            text_columns=frozenset(column.heading for column in COMPARISON_COLUMNS if column.digits is None),
        )

    def to_json(self) -> dict[str, Any]:
        """Return one document: settings, figures per decoder, and texts with verdicts per input."""
        names = {name: name for name in _FIGURES}
        return {
            "settings": dict(self.settings),
            "decoders": [
                {"decoder": decoder, **figures.to_json(names)} for decoder, figures in self.figures().items()
            ],
            "inputs": [
                {
                    "input": dict(compared.fields),
                    "clauses": [clause.text for clause in compared.clauses],
                    "texts": {
                        decoder: prediction.to_json() for decoder, prediction in self.at(place).items()
                    },
                }
                for place, compared in enumerate(self.inputs)
            ],
        }
