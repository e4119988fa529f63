"""Formulas for German."""

from __future__ import annotations

import pytest

from experiments.tasks.winomt.sample_data import obeys
from neurologic.experiments.tasks.winomt.formulas import formula
from neurologic.experiments.tasks.winomt.german import declined
from neurologic.experiments.tasks.winomt.lexicon import read_lexicon


def german(text, place, gender):
    return formula(text.split(), {place: gender}, read_lexicon("nowhere", "de"), "de")


@pytest.mark.parametrize(
    ("noun", "gender", "text", "expected"),
    [
        ("developer", "female", "Die Entwicklerin lachte.", True),
        ("developer", "female", "Er sprach mit der Entwicklerin.", True),
        ("developer", "female", "Das Haus des Entwicklers.", False),
        ("developer", "male", "Das Haus des Entwicklers.", True),
        ("developer", "male", "Die Entwicklerin sah den Entwickler.", False),
        ("patient", "male", "Er half dem Patienten.", True),
        ("doctor", "female", "Die Ärztin lachte.", True),
        ("employee", "male", "Der Angestellte lachte.", True),
        ("employee", "male", "Er half dem Angestellten.", True),
        ("employee", "male", "Die Angestellte lachte.", False),
        ("employee", "female", "Er half der Angestellten.", True),
        ("employee", "female", "Der Angestellte lachte.", False),
        ("nurse", "female", "Die Krankenschwester lachte.", True),
        ("cook", "female", "Er half dem Köchin.", False),
        ("cook", "female", "Das Haus eines Köchin.", False),
        ("cook", "male", "Eine Koch lachte.", False),
        ("employee", "male", "Das Haus eines Angestellten.", True),
        ("officer", "male", "Der Beamte lachte.", True),
        ("officer", "male", "Er half dem Beamten.", True),
        ("officer", "male", "Das Haus eines Beamten.", True),
        ("officer", "male", "Ein Beamter lachte.", True),
        ("officer", "male", "Die Beamtin lachte.", False),
        ("officer", "female", "Die Beamtin lachte.", True),
        ("officer", "female", "Er half der Beamtin.", True),
        ("officer", "female", "Er half dem Beamtin.", False),
        ("officer", "female", "Ein Beamter lachte.", False),
        ("officer", "female", "Die Beamtin sah den Beamten.", False),
        ("doctor", "male", "Das Haus des Arztes.", True),
    ],
)
def test_german_nouns_in_all_cases(noun, gender, text, expected):
    assert obeys(german(f"The {noun} laughed.", 1, gender), text) is expected


@pytest.mark.parametrize(
    ("noun", "genitives"),
    [
        ("Koch", ["Kochs", "Koches"]),
        ("Anwalt", ["Anwalts", "Anwaltes"]),
        ("Arzt", ["Arztes"]),
        ("Tierarzt", ["Tierarztes"]),
        ("Küchenchef", ["Küchenchefs"]),
        ("Sheriff", ["Sheriffs"]),
        ("Frisör", ["Frisörs"]),
        ("Sekretär", ["Sekretärs"]),
        ("Bauer", ["Bauern"]),
    ],
)
def test_german_genitives(noun, genitives):
    assert declined(noun) == [noun, *genitives]
