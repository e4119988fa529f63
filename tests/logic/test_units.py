"""Words, sentences, lines and paragraphs: the rules, by example."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurologic.logic.units import canonical, length, unit_spans, units
from random_cases import cases


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  --  ", []),
        ("Don't stop", ["Don't", "stop"]),
        ("the dogs' well-being", ["the", "dogs", "well-being"]),
        ("rock ’n’ roll, o’clock", ["rock", "n", "roll", "o’clock"]),
        ("a--b, c-'d", ["a", "b", "c", "d"]),
        ("3.5 kg, 12,450 snake_case", ["3", "5", "kg", "12", "450", "snake_case"]),
        ("naïve e\u0301tude", ["naïve", "étude"]),
        ("我喜欢 猫。", ["我喜欢", "猫"]),
        ("👩‍🚀 flies 🎉", ["flies"]),
        ("non\u2011breaking", ["non\u2011breaking"]),
        ("x\u02bcy \u0149", ["x\u02bcy", "n"]),
    ],
)
def test_words(text, words):
    assert units("word", text) == words


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("...", ["..."]),
        ("---", []),
        ("---\nHi", ["---", "Hi"]),
        ("No end", ["No end"]),
        ("Dr. Smith left.", ["Dr.", "Smith left."]),
        ("Pi is 3.14 today.", ["Pi is 3.14 today."]),
        ('She said "No!" and left.', ['She said "No!"', "and left."]),
        ("(Really?!) Yes… ok", ["(Really?!)", "Yes…", "ok"]),
        ("今天。明天。", ["今天。明天。"]),
        ("「はい。」 いいえ！", ["「はい。」", "いいえ！"]),
        ("One\ntwo\r\nthree", ["One", "two", "three"]),
        ("Hi.👍 you", ["Hi.👍 you"]),
        ("Done. 👍", ["Done."]),
    ],
)
def test_sentences(text, sentences):
    assert units("sentence", text) == sentences


@pytest.mark.parametrize(
    ("text", "lines", "paragraphs"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("a\nb", 2, 1),
        ("a\r\nb\r\n", 2, 1),
        ("a\n\nb", 2, 2),
        ("a\n \t\nb\n\n\nc", 3, 3),
        ("\n\na\u2028b\x85c", 3, 1),
        ("a\u2029\u2029b", 2, 2),
        ("---\n\n***", 1, 1),
    ],
)
def test_lines_and_paragraphs(text, lines, paragraphs):
    assert (length("line", text), length("paragraph", text)) == (lines, paragraphs)


def test_characters_are_counted_without_outer_whitespace_and_composed():
    assert length("character", " e\u0301a \n") == 2
    assert length("character", "a\r\nb") == 3


@cases(300)
@given(st.text("aB1 .!?\"')\n\r\u2028-'_猫。", max_size=12))
def test_units_are_stripped_parts_of_the_text_in_order(text):
    text = canonical(text)
    for unit in ("word", "sentence", "line", "paragraph"):
        spans = unit_spans(unit, text)
        assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@cases(300)
@given(st.text("aB1 .!?\"')\n\r\u2028-'_猫。", max_size=12))
def test_every_word_lies_in_one_unit_of_every_kind(text):
    for unit in ("sentence", "line", "paragraph"):
        assert [word for piece in units(unit, text) for word in units("word", piece)] == units("word", text)
