"""The list of decoders: their names, the settings that each accepts, and how it refuses the others."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.search.settings import SearchSettings

# A value for every setting that is allowed and not the default.
OTHER: dict[str, Any] = {
    name: {
        "early_stopping": "never",
        "stop_strings": ("\n",),
        "max_time": 9.0,
        "look_ahead_kind": "beam",
        "top_p": 0.5,
        "rows": 7,
        "dominance": False,
        "phrase_groups": False,
        "do_sample": True,
        "num_beams": 5,
        "reserve": 0.5,
        "spread": 0.5,
        "avoid_marks": False,
        "avoid_talk": False,
        "whole_sentences": False,
        "hint": "off",
        "hint_weight": 0.25,
        "hint_urgency": 0.25,
        "min_p": 0.5,
    }.get(name, 2)
    for name in SearchSettings.__dataclass_fields__
}


def test_an_unknown_decoder_is_refused_with_all_names() -> None:
    with pytest.raises(
        ValueError,
        match=r"unknown decoder 'bean'; choose one of neurologic, .*gradient; did you mean \"beam\"\?$",
    ):
        decoder_named("bean")
    assert decoder_named("beam") is DECODERS["beam"]


@pytest.mark.parametrize("entry", DECODERS.values(), ids=DECODERS)
def test_every_decoder_loads_under_its_name(entry: Any) -> None:
    if not entry.edits:
        assert entry.load().name == entry.name
    assert entry.load() is not entry.load()  # a decoder may keep what belongs to one search


@pytest.mark.parametrize("entry", DECODERS.values(), ids=DECODERS)
def test_settings_are_kept_or_refused_but_never_ignored(entry: Any) -> None:
    drawn: dict[str, Any] = {"do_sample": True} if "do_sample" in entry.accepts else {}
    drawn |= {"look_ahead_kind": "beam"} if "look_ahead_kind" in entry.accepts else {}
    for name, value in OTHER.items():
        if name in entry.accepts:
            assert getattr(entry.settings({**drawn, name: value}), name) == value
        else:
            with pytest.raises(ValueError, match=f"^{name} has no effect on the decoder {entry.name}"):
                entry.settings({name: value})


def test_every_setting_has_an_effect_on_some_decoder() -> None:
    for name in OTHER:
        assert any(name in entry.accepts for entry in DECODERS.values())


@pytest.mark.parametrize(
    ("decoder", "setting", "hint"),
    [
        ("beam", {"rows": 4}, "it is for cbs, gbs$"),
        ("greedy", {"top_k": 4}, "it is for neurologic, top-k$"),
        ("beam", {"look_ahead": 4}, "it is for astar$"),
        ("neurologic", {"edit_steps": 4}, "it is for cgmh, gradient$"),
    ],
)
def test_a_refusal_names_the_decoders_that_accept_the_setting(
    decoder: str, setting: dict[str, Any], hint: str
) -> None:
    with pytest.raises(ValueError, match=hint):
        DECODERS[decoder].settings(setting)


def test_how_to_draw_needs_drawing() -> None:
    neurologic = DECODERS["neurologic"]
    with pytest.raises(ValueError, match=r"top_k has no effect on .*; give do_sample=True with it"):
        neurologic.settings({"top_k": 3})
    assert neurologic.accepted({"top_k": 3, "alpha": 9}) == {"alpha": 9}
    assert neurologic.settings({"top_k": 3, "do_sample": True}).top_k == 3


def test_the_width_of_roll_outs_needs_several_of_them() -> None:
    astar = DECODERS["astar"]
    with pytest.raises(ValueError, match=r"no effect on the decoder astar with greedy roll-outs"):
        astar.settings({"look_ahead_width": 3})
    assert astar.settings({"look_ahead_width": 3, "look_ahead_kind": "beam"}).look_ahead_width == 3


def test_accepted_leaves_out_what_would_be_refused() -> None:
    given = {"num_beams": 4, "top_k": 3, "seed": 1, "alpha": 9, "max_new_tokens": 5}
    assert DECODERS["greedy"].accepted(given) == {"seed": 1, "max_new_tokens": 5}
    assert DECODERS["top-k"].accepted(given) == {"top_k": 3, "seed": 1, "max_new_tokens": 5}
    for entry in DECODERS.values():
        assert isinstance(entry.settings(entry.accepted(given)), SearchSettings)


def test_a_decoder_without_beams_has_a_row_for_each_text() -> None:
    assert DECODERS["greedy"].settings({}).num_beams == 1
    assert DECODERS["top-p"].settings({"num_return_sequences": 3}).num_beams == 3


def test_defaults_of_a_decoder_give_way_to_what_is_given() -> None:
    assert (DECODERS["top-p"].settings({}).top_k, DECODERS["top-p"].settings({}).top_p) == (0, 0.9)
    assert DECODERS["top-p"].settings({"top_p": 0.4}).top_p == 0.4


def test_the_list_needs_no_torch() -> None:
    program = (
        "import sys; from neurologic.decoders.registry import DECODERS as m;"
        "m['beam'].settings({'num_beams': 2});"
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert run.stdout == "[]\n", run.stderr
