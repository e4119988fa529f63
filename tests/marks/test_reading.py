"""What the detectors read: words, sentences, items and places of the required phrases."""

from marks.reading_texts import read
from neurologic.logic import parse, to_clauses
from neurologic.marks.reading import Reading


def test_a_clause_of_alternatives_is_one_item_and_a_count_several():
    formula = "(a | b) & at_least(2, c, d, e) & f & !g & (rain -> umbrella)"
    items = Reading("", to_clauses(parse(formula))).items
    assert [[phrase.text for phrase in item] for item in items] == [
        ["a", "b"],
        ["c"],
        ["d"],
        ["e"],
        ["f"],
        ["umbrella"],
    ]


def test_of_places_that_overlap_the_longest_stays():
    reading = read("The wool blanket, wool.", "wool", "wool blanket")
    assert [reading.text[place.start : place.end] for place in reading.phrase_places] == [
        "wool blanket",
        "wool",
    ]
    assert reading.required_words == {1, 2, 3}


def test_lines_and_sentences_are_numbers_of_words():
    reading = read("One two. Three?\n\nFour 5.5 six")
    assert reading.line_words == [(0, 3), (3, 7)]
    assert reading.sentence_words == [(0, 2), (2, 3), (3, 7)]
