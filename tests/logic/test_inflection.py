import subprocess
import sys

import pytest

from neurologic.errors import FormulaError
from neurologic.logic import inflections


@pytest.mark.parametrize(
    ("word", "pos", "forms"),
    [
        ("run", None, {"run", "runs", "ran", "running"}),
        ("dog", None, {"dog", "dogs"}),
        ("Dogs", None, {"Dog", "Dogs"}),
        ("dog", "any", {"dog", "dogs", "dogged", "dogging"}),
        ("dogging", None, {"dog", "dogs", "dogged", "dogging"}),
        ("dog", "verb", {"dog", "dogs", "dogged", "dogging"}),
        ("man", None, {"man", "men"}),
        ("light", None, {"light", "lights", "lit", "lighted", "lighting", "lighter", "lightest"}),
        ("table", None, {"table", "tables"}),
        ("bark", None, {"bark", "barks", "barked", "barking"}),
        ("hot dog", "any", {"hot dog", "hot dogs"}),
        ("dog", "noun", {"dog", "dogs"}),
        ("catch", "VERB", {"catch", "catches", "caught", "catching"}),
        ("good", "adj", {"good", "better", "best"}),
        ("frisbee", None, {"frisbee", "frisbees"}),
        ("frisbee", "verb", {"frisbee", "frisbees", "frisbeed", "frisbeeing"}),
        ("ran", None, {"run", "runs", "ran", "running"}),
        ("dogs", "noun", {"dog", "dogs"}),
        ("running", "verb", {"run", "runs", "ran", "running"}),
        ("saw", "verb", {"saw", "saws", "sawed", "sawn", "sawing"}),
        ("can", "noun", {"can", "cans"}),
        ("ice cream", None, {"ice cream", "ice creams"}),
        ("NASA", None, {"NASA", "NASAs"}),
        ("Apple", None, {"Apple", "Apples"}),
        ("with", None, {"with"}),
        ("he", None, {"he"}),
        ("猫", None, {"猫"}),
        ("C++", None, {"C++"}),
    ],
)
def test_forms(word, pos, forms):
    assert set(inflections(word, pos)) == forms
    assert inflections(word, pos)[0] == word


def test_an_unknown_part_of_speech_lists_the_choices():
    with pytest.raises(FormulaError, match="noun, verb, adjective, adverb, any"):
        inflections("run", "article")


def test_the_dictionary_is_loaded_only_when_a_word_is_inflected():
    code = (
        "import sys, neurologic.logic as l; l.parse('inflect(run)'); sys.exit('lemminflect' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
