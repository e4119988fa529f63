"""The settings of a search, each described once.

A field of `SearchSettings` carries its default, allowed values, help sentence and group. From it derive the
checks, the command-line option, the decoders that accept the setting, the names shared with Hugging Face's
generation config, and the table in the documentation: a new setting is one new field. From the groups,
and two names, `engine.SHARED_SETTINGS` derives which settings all inputs of a batch must share. Hugging
Face's names come first, the paper's where it has none. This file imports no torch.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from neurologic.errors import suggestion
from neurologic.limits import current_limits


@dataclass(frozen=True)
class Whole:
    """Whole numbers from `least` on."""

    least: int = 0

    def allows(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= self.least

    def __str__(self) -> str:
        return f"a whole number of at least {self.least}"


@dataclass(frozen=True)
class Number:
    """Finite numbers in a range; `above` and `below` are bounds that the number itself must not reach."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    def allows(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return False
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        bounds = {"above": self.above, "of at least": self.least, "below": self.below, "at most": self.most}
        return "a number " + " and ".join(f"{word} {n:g}" for word, n in bounds.items() if n is not None)


@dataclass(frozen=True)
class OneOf:
    """One of several values."""

    choices: tuple[bool | str, ...]

    def allows(self, value: object) -> bool:
        # By type too: 1 equals True, but is not a bool.
        return any(value == choice and type(value) is type(choice) for choice in self.choices)

    def __str__(self) -> str:
        shown = [f'"{choice}"' if isinstance(choice, str) else str(choice) for choice in self.choices]
        return f"{', '.join(shown[:-1])} or {shown[-1]}"


def _is_text(value: object) -> bool:
    """Return False for all but strings, and for strings with half a surrogate pair, which is not text."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


class Texts:
    """Any number of texts, none of them empty."""

    def allows(self, value: object) -> bool:
        return isinstance(value, tuple) and all(_is_text(text) and text for text in value)

    def __str__(self) -> str:
        return "non-empty strings"


class Text:
    """A text that is not empty."""

    def allows(self, value: object) -> bool:
        return _is_text(value) and bool(str(value).strip())

    def __str__(self) -> str:
        return "a text that is not empty"


Values = Whole | Number | OneOf | Text | Texts

SWITCH = OneOf((True, False))

# The groups of settings, and the decoders each is for.
GROUPS = {
    "all": "all decoders",
    "left-to-right": "all decoders but cgmh and gradient",
    "beam": "decoders with beams",
    "neurologic": "neurologic and astar",
    "sampling": "top-k, top-p, and neurologic with do_sample",
    "astar": "astar",
    "rows": "gbs and cbs",
    "editing": "cgmh and gradient",
}


@dataclass(frozen=True)
class Setting:
    """The description of one setting.

    group             a key of `GROUPS`
    flag              its command-line option, "" where the name gives it
    in_hugging_face   whether Hugging Face's generation config has it, under the same name
    advice            what to write instead of a value that is not allowed
    """

    default: Any
    values: Values
    group: str
    help: str
    flag: str = ""
    in_hugging_face: bool = False
    advice: str = ""

    def check(self, name: str, value: object) -> None:
        """Raise if the value is not allowed; None always is where it is the default."""
        if self.values.allows(value) or (value is None and self.default is None):
            return
        advice = f"; {self.advice}" if self.advice else ""
        raise ValueError(f"{name} must be {self.values}, not {value!r}{advice}")


def _setting(default: Any, values: Values, group: str, help: str, **details: Any) -> Any:
    """A field of `SearchSettings`; its type is that of the annotation."""
    description = Setting(default, values, group, help, **details)
    return dataclasses.field(default=default, metadata={"setting": description})


def _shared(default: Any, values: Values, group: str, help: str, **details: Any) -> Any:
    """A setting that Hugging Face's generation config has too."""
    return _setting(default, values, group, help, in_hugging_face=True, **details)


@dataclass(frozen=True)
class SearchSettings:
    """How to search. `SETTINGS` describes every field."""

    max_new_tokens: int = _shared(64, Whole(1), "all", "the longest text, in tokens")
    max_time: float | None = _shared(
        None, Number(least=0), "all", "seconds after which the best text so far is returned"
    )
    seed: int = _setting(0, Whole(), "all", "the same seed gives the same texts where decoders draw")

    min_new_tokens: int = _shared(0, Whole(), "left-to-right", "the shortest text, in tokens")
    no_repeat_ngram_size: int = _shared(
        0,
        Whole(),
        "left-to-right",
        "repeat no n-gram of this size; 0 turns this off, and neurologic and astar take 3 for chat prompts",
        flag="--no-repeat-ngram",
    )
    stop_strings: tuple[str, ...] = _shared(
        (), Texts(), "left-to-right", "end the text where this string appears", flag="--stop"
    )

    num_beams: int = _shared(8, Whole(1), "beam", "hypotheses kept per prompt and step")
    num_return_sequences: int = _shared(1, Whole(1), "beam", "different texts per prompt, best first")
    # Beyond 20, lengths to that power leave the range of numbers.
    length_penalty: float = _shared(
        1.0, Number(least=-20, most=20), "beam", "rank finished texts by log-likelihood / length ** X"
    )
    early_stopping: bool | Literal["never"] = _shared(
        False,
        OneOf((False, True, "never")),
        "beam",
        "when to stop: by heuristic (false), at num_beams texts (true), once no better text can come (never)",
    )

    alpha: int = _setting(500, Whole(1), "neurologic", "candidates kept per step by likelihood")
    beta: int = _setting(3, Whole(1), "neurologic", "tiers kept per step by the number of satisfied clauses")
    lambda_: float = _setting(
        0.5,
        Number(least=0),
        "neurologic",
        "weight of the reward for a partly written phrase",
        flag="--lambda",
    )
    doubt: float = _setting(
        4.0,
        Number(least=0),
        "neurologic",
        "penalty in nats for a partly written forbidden word; 0 ranks as the paper does",
    )
    reserve: float = _setting(
        0.25, Number(least=0, below=1), "neurologic", "share of the tokens kept free for a proper end"
    )
    spread: float = _setting(
        0.1,
        Number(least=0, below=1),
        "neurologic",
        "share of the tokens kept free for each clause but one, so that forced words stand apart",
    )
    no_echo_size: int = _setting(
        10,
        Whole(),
        "neurologic",
        "repeat no run of so many tokens of the prompt, beyond required phrases; 0 turns this off",
    )
    whole_sentences: bool = _setting(
        True,
        SWITCH,
        "neurologic",
        "end a text that reaches the limit after its last whole sentence, if it satisfies everything by "
        "then; close sentences in time where the formula limits a length",
    )
    avoid_marks: bool = _setting(
        True,
        SWITCH,
        "neurologic",
        "return the best of the finished texts without a mark (list, echo, repetition, …), if there is one",
    )
    max_run: int = _setting(
        3,
        Whole(),
        "neurologic",
        "required phrases that may stand in a row with nothing but commas between them, one less if these "
        "are all; 0 sets no limit",
    )
    avoid_talk: bool = _setting(
        True,
        SWITCH,
        "neurologic",
        'keep talk about the task ("Here is a sentence …") and placeholders out of answers to chat prompts',
    )
    hint: str = _setting(
        "auto",
        Text(),
        "neurologic",
        'a second prompt that names the required phrases: "auto" writes one for chat prompts, "off" none; '
        "any other text is added to the prompt, {words} in it stands for the phrases",
    )
    hint_weight: float = _setting(
        0.7,
        Number(least=0, most=1),
        "neurologic",
        "weight of the prompt that names the phrases; the one that does not has the rest",
    )
    hint_urgency: float = _setting(
        0.9,
        Number(least=0, most=1),
        "neurologic",
        "share of the other prompt's weight that the hint has taken over when the time to pay is up",
    )
    dominance: bool = _setting(
        True,
        SWITCH,
        "neurologic",
        "let a hypothesis wait while a better one has satisfied more clauses (beyond the paper)",
    )
    phrase_groups: bool = _setting(
        True,
        SWITCH,
        "neurologic",
        "give hypotheses inside a required phrase groups of their own (beyond the paper)",
    )

    do_sample: bool = _shared(
        False, SWITCH, "sampling", "neurologic: draw texts by their probability, with num_beams particles"
    )
    temperature: float = _shared(
        1.0,
        Number(above=0),
        "sampling",
        "above 1 flattens the distribution, below 1 sharpens it",
        advice='for the likeliest tokens choose the decoder "greedy"',
    )
    top_k: int = _shared(50, Whole(), "sampling", "draw from this many of the likeliest tokens; 0 for all")
    top_p: float = _shared(
        1.0, Number(above=0, most=1), "sampling", "draw from the likeliest tokens of this total probability"
    )
    min_p: float = _shared(
        0.0,
        Number(least=0, most=1),
        "sampling",
        "draw from tokens with at least this share of the likeliest token's probability",
    )

    look_ahead: int = _setting(5, Whole(1), "astar", "tokens per roll-out")
    look_ahead_kind: Literal["greedy", "beam", "sample"] = _setting(
        "greedy", OneOf(("greedy", "beam", "sample")), "astar", "kind of roll-out"
    )
    look_ahead_width: int = _setting(4, Whole(1), "astar", "roll-outs per candidate, unless they are greedy")
    look_ahead_weight: float = _setting(
        0.25, Number(least=0), "astar", "weight of the best unmet literal that a roll-out sees"
    )

    rows: int | None = _setting(
        None, Whole(1), "rows", "hypotheses per step for all banks or states together"
    )
    edit_steps: int = _setting(100, Whole(1), "editing", "edits to try")

    def __post_init__(self) -> None:
        for name, setting in SETTINGS.items():
            setting.check(name, getattr(self, name))
        limits = current_limits()
        for name in _LIMITED:
            value = getattr(self, name)
            limits.require(name, value or 0, "the settings")
        if self.num_return_sequences > self.num_beams and not self.do_sample:
            raise ValueError(
                f"num_return_sequences={self.num_return_sequences} needs at least as many beams, "
                f"but num_beams={self.num_beams}"
            )
        if self.min_new_tokens > self.max_new_tokens:
            raise ValueError(
                f"min_new_tokens={self.min_new_tokens} is above max_new_tokens={self.max_new_tokens}"
            )


# The settings that `neurologic.limits.Limits` has a limit for, by the same name.
_LIMITED = (
    "max_new_tokens",
    "num_beams",
    "num_return_sequences",
    "alpha",
    "rows",
    "look_ahead",
    "edit_steps",
)

SETTINGS: dict[str, Setting] = {
    field.name: field.metadata["setting"] for field in dataclasses.fields(SearchSettings)
}


def setting_names(*groups: str) -> frozenset[str]:
    """Return the names of the settings of some groups."""
    return frozenset(name for name, setting in SETTINGS.items() if setting.group in groups)


# Names of Hugging Face's generation config that act on scores and are not settings of ours.
SCORE_ARGUMENTS = (
    "bad_words_ids",
    "begin_suppress_tokens",
    "encoder_no_repeat_ngram_size",
    "encoder_repetition_penalty",
    "exponential_decay_length_penalty",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "guidance_scale",
    "remove_invalid_values",
    "renormalize_logits",
    "repetition_penalty",
    "sequence_bias",
    "suppress_tokens",
    "watermarking_config",
)

# Names that a caller of Hugging Face may try, and that a search would silently ignore.
_WITHOUT_EFFECT = {
    "max_length": "it counts the prompt; use max_new_tokens",
    "min_length": "it counts the prompt; use min_new_tokens",
    "eos_token_id": "set model.generation_config.eos_token_id before wrapping the model",
    "force_words_ids": "write a formula, or use neurologic.from_force_words",
    "constraints": "write a formula, or use neurologic.from_force_words",
    **dict.fromkeys(
        ("typical_p", "epsilon_cutoff", "eta_cutoff", "top_h"),
        "draw with temperature, top_k, top_p and min_p",
    ),
    **dict.fromkeys(
        ("num_beam_groups", "diversity_penalty", "penalty_alpha", "dola_layers", "prompt_lookup_num_tokens"),
        "a constrained search cannot do this",
    ),
}


def split_settings(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the search's own settings and the arguments of Hugging Face that act on scores.

    A setting of None counts as not given. Names without an effect raise ValueError, unknown names TypeError.

    >>> split_settings({"num_beams": 4, "seed": None, "repetition_penalty": 1.2})
    ({'num_beams': 4}, {'repetition_penalty': 1.2})
    """
    for name in given:
        if name in _WITHOUT_EFFECT:
            raise ValueError(f"{name} has no effect here: {_WITHOUT_EFFECT[name]}")
        if name not in SETTINGS and name not in SCORE_ARGUMENTS:
            known = [*SETTINGS, *SCORE_ARGUMENTS]
            raise TypeError(
                f"{name} is neither a setting of neurologic nor an argument of Hugging Face's that acts on "
                f"scores{suggestion(name, known)}"
            )
    own = {name: value for name, value in given.items() if name in SETTINGS and value is not None}
    return own, {name: value for name, value in given.items() if name in SCORE_ARGUMENTS}


def markdown_table() -> str:
    """Return the table of all settings for the documentation."""
    rows = ["| setting | default | values | for | meaning |", "| --- | --- | --- | --- | --- |"]
    for name, setting in SETTINGS.items():
        default = "" if setting.default in (None, ()) else f"`{setting.default}`"
        rows.append(f"| `{name}` | {default} | {setting.values} | {GROUPS[setting.group]} | {setting.help} |")
    return "\n".join(rows) + "\n"
