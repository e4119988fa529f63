"""The decoders by name: what each can express, and which settings it accepts.

This file imports no torch: the command line lists the decoders, and refuses a setting that a decoder would
ignore, before it loads anything. `DecoderEntry.load` imports the file that implements a decoder.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neurologic.errors import suggestion
from neurologic.logic.expressivity import Expressivity
from neurologic.search.settings import SETTINGS, SearchSettings, setting_names


@dataclass(frozen=True)
class DecoderEntry:
    """A decoder in the list.

    source     the module and class that implement it
    expresses  the constraints it can obey
    accepts    the settings that have an effect on it
    defaults   settings with another default than `SearchSettings` has
    edits      whether it edits whole sentences instead of writing from left to right
    """

    name: str
    source: str
    expresses: Expressivity
    accepts: frozenset[str]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    edits: bool = False

    def load(self) -> Any:
        """Return a new decoder (see `search.decoder`) or editor (see `decoders.editing`)."""
        module, name = self.source.split(":")
        return getattr(importlib.import_module(f"neurologic.{module}"), name)()

    def settings(self, given: Mapping[str, Any]) -> SearchSettings:
        """Return the settings of a run; raise for a setting that this decoder would ignore."""
        effective = self._effective(given)
        for name in given:
            if name not in effective:
                raise ValueError(f"{name} has no effect on the decoder {self.name}{self._advice(name)}")
        values = {**self.defaults, **given}
        stops = values.get("stop_strings")
        if stops is not None:
            values["stop_strings"] = (stops,) if isinstance(stops, str) else tuple(stops)
        if "num_beams" not in self.accepts:
            values["num_beams"] = values.get("num_return_sequences", 1)
        return SearchSettings(**values)

    def accepted(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the given settings that have an effect on this decoder."""
        effective = self._effective(given)
        return {name: value for name, value in given.items() if name in effective}

    def _effective(self, given: Mapping[str, Any]) -> frozenset[str]:
        """Leave out settings that need another one to have an effect: how to draw needs `do_sample`."""
        idle: frozenset[str] = frozenset()
        if "do_sample" in self.accepts and not given.get("do_sample"):
            idle |= _HOW_TO_DRAW
        if given.get("look_ahead_kind", "greedy") == "greedy":
            idle |= {"look_ahead_width"}
        return self.accepts - idle

    def _advice(self, name: str) -> str:
        if name not in SETTINGS:
            return suggestion(name, self.accepts)
        if name in self.accepts & _HOW_TO_DRAW:
            return "; give do_sample=True with it"
        if name in self.accepts:
            return ' with greedy roll-outs; choose look_ahead_kind="beam" or "sample" with it'
        return f"; it is for {', '.join(decoders_accepting(name))}"


_LEFT_TO_RIGHT = setting_names("all", "left-to-right")
_BEAM = setting_names("all", "left-to-right", "beam")
_NEUROLOGIC = setting_names("neurologic")
_HOW_TO_DRAW = setting_names("sampling") - {"do_sample"}
_ROWS = setting_names("rows")
_EDITING = setting_names("all", "editing") | {"num_return_sequences"}
_ENTRIES = (
    DecoderEntry(
        "neurologic",
        "decoders.neurologic:NeuroLogicDecoder",
        Expressivity.ANYTHING,
        _BEAM | _NEUROLOGIC | setting_names("sampling"),
    ),
    DecoderEntry(
        "astar",
        "decoders.astar:AStarDecoder",
        Expressivity.ANYTHING,
        _BEAM | _NEUROLOGIC | setting_names("astar"),
    ),
    DecoderEntry("greedy", "decoders.greedy:Greedy", Expressivity.NOTHING, _LEFT_TO_RIGHT),
    DecoderEntry(
        "top-k",
        "decoders.top_k:TopK",
        Expressivity.NOTHING,
        _LEFT_TO_RIGHT | {"num_return_sequences", "temperature", "top_k", "min_p"},
    ),
    DecoderEntry(
        "top-p",
        "decoders.top_p:TopP",
        Expressivity.NOTHING,
        _LEFT_TO_RIGHT | {"num_return_sequences", "temperature", "top_p", "min_p"},
        {"top_k": 0, "top_p": 0.9},
    ),
    DecoderEntry("beam", "decoders.beam_search:BeamSearch", Expressivity.NOTHING, _BEAM),
    DecoderEntry("gbs", "decoders.gbs:GridBeamSearch", Expressivity.PHRASES, _BEAM | _ROWS),
    DecoderEntry("dba", "decoders.dba:DynamicBeamAllocation", Expressivity.PHRASES, _BEAM),
    DecoderEntry("vdba", "decoders.vdba:VectorisedBeamAllocation", Expressivity.PHRASES, _BEAM),
    DecoderEntry("cbs", "decoders.cbs:ConstrainedBeamSearch", Expressivity.POSITIVE_SETS, _BEAM | _ROWS),
    DecoderEntry(
        "cgmh", "decoders.editing.cgmh:MetropolisHastings", Expressivity.PHRASES, _EDITING, edits=True
    ),
    DecoderEntry(
        "gradient",
        "decoders.editing.gradient:GradientGuided",
        Expressivity.PHRASES,
        _EDITING,
        {"edit_steps": 30},
        edits=True,
    ),
)
DECODERS: dict[str, DecoderEntry] = {entry.name: entry for entry in _ENTRIES}


def decoder_named(name: str) -> DecoderEntry:
    """Return the decoder of this name; raise ValueError with all names if there is none."""
    if name not in DECODERS:
        known = ", ".join(DECODERS)
        raise ValueError(f"unknown decoder {name!r}; choose one of {known}{suggestion(name, DECODERS)}")
    return DECODERS[name]


def decoders_accepting(setting: str) -> list[str]:
    """Return the names of the decoders that accept a setting, sorted."""
    return sorted(entry.name for entry in _ENTRIES if setting in entry.accepts)
