"""The decoders by name: what each can express, what it costs, which settings it accepts.

Nothing here imports torch: a command line can list the decoders, and refuse a setting that one of them would
ignore, before anything is loaded. `DecoderEntry.load` imports the file that implements one.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neurologic.logic.expressivity import Expressivity
from neurologic.search.settings import SearchSettings


@dataclass(frozen=True)
class DecoderEntry:
    """A way of generating text.

    source     module and class that implement it
    paper      who defined it
    cost       model calls for a text of N tokens with k beams, C constraints, E editing steps
    expresses  the constraints it can obey
    accepts    the settings that have an effect on it, beside those that have one on all
    defaults   settings whose default differs
    edits      whether it edits whole sentences instead of writing from left to right
    """

    name: str
    source: str
    paper: str
    cost: str
    expresses: Expressivity
    accepts: frozenset[str] = frozenset()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    edits: bool = False

    def load(self) -> Any:
        """A new decoder (see `search.decoder`) or editor (see `editing`)."""
        module, name = self.source.split(":")
        return getattr(importlib.import_module(f"neurologic.{module}"), name)()

    def settings(self, given: Mapping[str, Any]) -> SearchSettings:
        """The settings of a run; one that would be ignored is refused."""
        effective = self._effective(given)
        for name in given:
            if name not in effective:
                accepting = sorted(other.name for other in DECODERS.values() if name in other.accepts)
                raise ValueError(
                    f"{name} has no effect on the decoder {self.name}" + _instead(name, self.name, accepting)
                )
        values = {**self.defaults, **given}
        stops = values.get("stop_strings")
        if stops is not None:
            values["stop_strings"] = (stops,) if isinstance(stops, str) else tuple(stops)
        if "num_beams" not in self.accepts:
            values["num_beams"] = values.get("num_return_sequences", 1)
        return SearchSettings(**values)

    def accepted(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The part of the settings that has an effect here."""
        effective = self._effective(given)
        return {name: value for name, value in given.items() if name in effective}

    def _effective(self, given: Mapping[str, Any]) -> frozenset[str]:
        """The settings that have an effect beside the given ones: how to draw, only where it is drawn."""
        idle: frozenset[str] = frozenset()
        if "do_sample" in self.accepts and not given.get("do_sample"):
            idle |= _SAMPLING
        if given.get("look_ahead_kind", "greedy") == "greedy":
            idle |= {"look_ahead_width"}
        return ACCEPTED_BY_ALL | self.accepts - idle


def _instead(name: str, decoder: str, accepting: list[str]) -> str:
    if name in _SAMPLING and "do_sample" in DECODERS[decoder].accepts:
        return "; give do_sample=True with it"
    if name == "look_ahead_width" and decoder == "astar":
        return ' with greedy roll-outs; choose look_ahead_kind="beam" or "sample" with it'
    return f"; it is for {', '.join(accepting)}" if accepting else ""


# Settings that every decoder accepts; "seed" too, so that callers can always pass it.
ACCEPTED_BY_ALL = frozenset({"max_new_tokens", "max_time", "seed"})
_LEFT_TO_RIGHT = frozenset({"min_new_tokens", "no_repeat_ngram_size", "stop_strings"})
_BEAMS = _LEFT_TO_RIGHT | {"num_beams", "num_return_sequences", "length_penalty", "early_stopping"}
_SAMPLING = frozenset({"temperature", "top_k", "top_p"})
_RANKING = frozenset({"alpha", "beta", "lambda_", "doubt", "reserve", "dominance", "phrase_groups"})
_NEUROLOGIC = _BEAMS | _SAMPLING | _RANKING | {"do_sample"}
_LOOK_AHEAD = frozenset({"look_ahead", "look_ahead_kind", "look_ahead_width", "look_ahead_weight"})

DECODERS: dict[str, DecoderEntry] = {
    method.name: method
    for method in (
        DecoderEntry(
            "neurologic",
            "decoders.neurologic:NeuroLogicDecoder",
            "Lu et al., NAACL 2021",
            "O(N·k)",
            Expressivity.ANYTHING,
            _NEUROLOGIC,
        ),
        DecoderEntry(
            "astar",
            "decoders.astar:AStarDecoder",
            "Lu et al., NAACL 2022",
            "O(N·k·l)",
            Expressivity.ANYTHING,
            _NEUROLOGIC - _SAMPLING - {"do_sample"} | _LOOK_AHEAD,
        ),
        DecoderEntry(
            "greedy",
            "decoders.greedy:Greedy",
            "the likeliest token at each step",
            "O(N)",
            Expressivity.NOTHING,
            _LEFT_TO_RIGHT,
        ),
        DecoderEntry(
            "top-k",
            "decoders.top_k:TopK",
            "Fan et al., ACL 2018",
            "O(N)",
            Expressivity.NOTHING,
            _LEFT_TO_RIGHT | {"num_return_sequences", "temperature", "top_k"},
        ),
        DecoderEntry(
            "top-p",
            "decoders.top_p:TopP",
            "Holtzman et al., ICLR 2020",
            "O(N)",
            Expressivity.NOTHING,
            _LEFT_TO_RIGHT | {"num_return_sequences", "temperature", "top_p"},
            {"top_k": 0, "top_p": 0.9},
        ),
        DecoderEntry(
            "beam",
            "decoders.beam:BeamSearch",
            "as in Hugging Face transformers",
            "O(N·k)",
            Expressivity.NOTHING,
            _BEAMS,
        ),
        DecoderEntry(
            "gbs",
            "decoders.gbs:GridBeamSearch",
            "Hokamp & Liu, ACL 2017",
            "O(N·k·C)",
            Expressivity.PHRASES,
            _BEAMS | {"rows"},
        ),
        DecoderEntry(
            "dba",
            "decoders.dba:DynamicBeamAllocation",
            "Post & Vilar, NAACL 2018",
            "O(N·k)",
            Expressivity.PHRASES,
            _BEAMS,
        ),
        DecoderEntry(
            "vdba",
            "decoders.vdba:VectorisedBeamAllocation",
            "Hu et al., NAACL 2019",
            "O(N·k)",
            Expressivity.PHRASES,
            _BEAMS,
        ),
        DecoderEntry(
            "cbs",
            "decoders.cbs:ConstrainedBeamSearch",
            "Anderson et al., EMNLP 2017",
            "O(N·k·2^C)",
            Expressivity.POSITIVE_SETS,
            _BEAMS | {"rows"},
        ),
        DecoderEntry(
            "cgmh",
            "decoders.editing.cgmh:MetropolisHastings",
            "Miao et al., AAAI 2019",
            "O(E)",
            Expressivity.PHRASES,
            frozenset({"edit_steps", "num_return_sequences"}),
            {"edit_steps": 100},
            edits=True,
        ),
        DecoderEntry(
            "gradient",
            "decoders.editing.gradient:GradientGuided",
            "Sha, EMNLP 2020",
            "O(E)",
            Expressivity.PHRASES,
            frozenset({"edit_steps", "num_return_sequences"}),
            {"edit_steps": 30},
            edits=True,
        ),
    )
}


def decoder_named(name: str) -> DecoderEntry:
    """The method of this name; a ValueError that lists them all if there is none."""
    if name not in DECODERS:
        raise ValueError(f"unknown decoder {name!r}; choose one of {', '.join(DECODERS)}")
    return DECODERS[name]
