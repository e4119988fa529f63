"""The sentences of WinoMT."""

from __future__ import annotations

import pytest

from experiments.tasks.winomt.sample_data import COOK, DEVELOPER, write
from neurologic.errors import DataError
from neurologic.experiments.tasks.winomt.sentences import read_sentences


def test_sentences_with_the_person_and_the_gender(tmp_path):
    first, second, third = read_sentences(write(tmp_path))
    assert (first.number, first.gender, first.noun) == (1, "female", "developer")
    assert first.words[first.place] == "developer"
    assert (second.gender, second.words[second.place]) == ("male", "cook,")
    assert (third.gender, third.words[third.place]) == ("neutral", "construction")


def test_stereotypes_are_matched_by_gender_place_and_words(tmp_path):
    other = DEVELOPER.replace("female\t1", "female\t5").replace("\tdeveloper", "\tcook")
    write(tmp_path, DEVELOPER, COOK, en_pro__txt=COOK + "\n", en_anti__txt=f"{DEVELOPER}\n{other}\n")
    assert [sentence.subset for sentence in read_sentences(tmp_path)] == ["anti", "pro"]
    write(tmp_path, other.replace("late", "early"))
    assert [sentence.subset for sentence in read_sentences(tmp_path)] == [""]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("female\t1\tThe cook left.", "line 2: expected gender ⇥ place ⇥ sentence ⇥ noun"),
        ("woman\t1\tThe cook left.\tcook", "line 2: expected gender"),
        ("female\tone\tThe cook left.\tcook", "line 2: expected gender"),
        ("female\t3\tThe cook left.\tcook", "line 2: the sentence has no word 3"),
    ],
)
def test_lines_of_another_kind_are_reported(tmp_path, line, message):
    write(tmp_path, DEVELOPER, line)
    with pytest.raises(DataError, match=message):
        read_sentences(tmp_path)
