"""Words that link-grammar cannot link: the program's answers, and what goes wrong with it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.experiments.metrics import Unlinked, measure
from neurologic.experiments.metrics import link_parser as module
from neurologic.experiments.metrics.base import Corpus
from neurologic.experiments.metrics.link_parser import MOST_BYTES, MOST_WORDS, sentences

needs_program = pytest.mark.skipif(shutil.which("link-parser") is None, reason="link-parser is not installed")

# Answers as the real program does: it leaves out "bad", and finds no linkage at all of "lost".
ANSWERS = """
import sys
if "--version" in sys.argv:
    sys.exit(print("Version: link-grammar-5.12.0"))
for line in sys.stdin:
    if line.startswith("!"):
        print("verbosity set to 1")
    elif "lost" not in line:
        print(f"Found 1 linkage\\n\\tUnique linkage, cost vector = (UNUSED={line.count('bad')} DIS= 0.1)")
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a stand-in for link-parser on the path."""

    def install(body: str) -> None:
        path = tmp_path / "link-parser"
        path.write_text(f"#!{sys.executable}\n{body}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path / "cache"))
        module._version.cache_clear()

    return install


def score(*texts: str):
    return measure(Unlinked(), Corpus(texts, ((),) * len(texts)))


def test_it_counts_unused_words_of_all_sentences_of_a_text(program):
    program(ANSWERS)
    found = score("A bad day. A bad bad night!", "A good day.", "")
    assert found.per_input == (3.0, 0.0, 0.0)
    assert found.value == 1
    assert "parser:5.12.0" in found.signature


def test_a_sentence_without_any_linkage_counts_with_all_its_words(program):
    program(ANSWERS)
    assert score("All is lost here.").value == 4


def test_a_sentence_is_parsed_once(program):
    program(ANSWERS)
    first = score("A bad day.")
    program("import sys\nif '--version' in sys.argv: print('link-grammar-5.12.0')")
    assert score("A bad day.") == first


@pytest.mark.parametrize("body", ["raise SystemExit('no dictionary')", "print('hello')"])
def test_a_program_that_does_not_answer_is_not_available(program, body):
    program(body)
    found = score("A day.")
    assert found.value is None
    assert "answered 0 of 1 sentences" in found.reason


def test_a_program_that_hangs_is_ended(program, monkeypatch):
    program("import sys, time\nif '--version' not in sys.argv: time.sleep(60)")
    monkeypatch.setattr(module, "_GRACE", 0.5)
    monkeypatch.setattr(module, "_SECONDS", 0)
    assert "did not finish" in score("A day.").reason


def test_without_the_program_it_is_not_available(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "link-parser is not installed" in score("A day.").reason


def test_abbreviations_do_not_end_a_sentence_and_lines_do():
    assert sentences("Dear Ms. Ono,\nWe meet at 8 p.m. on 3 May! Bye") == [
        *("Dear Ms. Ono,", "We meet at 8 p.m. on 3 May!", "Bye")
    ]


def test_a_line_is_never_a_command_of_the_program():
    assert sentences("!exit\n% a remark\n !!help") == ["exit", "a remark", "help"]


WORDS = st.sampled_from(["word", "!x", "!", "Mr.", "\n", "é" * 800])


@given(st.text(max_size=100) | st.lists(WORDS).map(" ".join))
def test_any_text_becomes_lines_that_the_program_takes(text):
    for line in sentences(text):
        assert line == " ".join(line.split())
        assert len(line.encode()) <= MOST_BYTES
        assert len(line.split()) <= MOST_WORDS
        assert line[0] not in "!%"


@needs_program
def test_the_real_program_tells_sentences_from_strings_of_words(tmp_path, monkeypatch):
    monkeypatch.setenv("NEUROLOGIC_CACHE", str(tmp_path))
    found = score(
        "The cat chased a snake. It was asleep.",
        "A ball throws a throw.",
        "!exit",
        "word " * 300,
        "x" * 5000,
        "日本語 \x00 \ud800 ((( % !help",
    )
    good, odd, *_ = found.per_input
    assert good == 0
    assert odd > 0
    assert len(found.per_input) == 6
