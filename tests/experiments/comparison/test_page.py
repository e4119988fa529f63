"""The page: marked texts, escaping, and nothing from outside."""

import re
from html.parser import HTMLParser

import pytest

from neurologic.errors import ExpressivityError
from neurologic.experiments.comparison import Attempt, Comparison, Input, page_of
from neurologic.generation.result import Result
from neurologic.logic import check, parse, to_clauses
from neurologic.logic.marking import Mark, marked

EVIL = "<script>alert('&')</script>\""
VOID = {"meta", "br"}


def parts(formula: str, text: str) -> list[tuple[str, str]]:
    clauses = to_clauses(parse(formula))
    found = marked(text, clauses, check(clauses, text))
    assert "".join(part.text for part in found) == text
    return [(part.text, part.mark.name) for part in found if part.mark is not Mark.NONE]


@pytest.mark.parametrize(
    ("formula", "text", "found"),
    [
        ("inflect(dog) & !cat", "Dogs and a CAT.", [("Dogs", "FOUND"), ("CAT", "FORBIDDEN")]),
        ("!rain | umbrella", "rain, umbrella", [("umbrella", "FOUND")]),
        ("!rain | umbrella", "rain", [("rain", "FORBIDDEN")]),
        ("at_least(2, red, green, blue)", "a red car", [("red", "FOUND")]),
        ("at_most(1, red, green)", "red green", [("red", "FORBIDDEN"), ("green", "FORBIDDEN")]),
        ('"ice cream" & cream', "ice cream", [("ice cream", "FOUND")]),
        ("dog[match=tokens]", "dog", []),
    ],
)
def test_what_is_marked(formula, text, found):
    if "tokens" in formula:
        clauses = to_clauses(parse(formula))
        assert [part.mark for part in marked(text, clauses, ())] == [Mark.NONE]
    else:
        assert parts(formula, text) == found


def comparison(text: str = "A dog.", title: str = "Write.") -> Comparison:
    clauses = to_clauses(parse('dog & !cat & "<b>"'))
    made = Comparison([Input(title, clauses)], ["neurologic", "beam", "gbs"], {"model": EVIL})
    made.add("neurologic", 0, Attempt(Result(text, -0.5, check(clauses, text))))
    made.add("beam", 0, Attempt(Result("A cat.", -0.5, check(clauses, "A cat."), reduced=EVIL)))
    made.add("gbs", 0, Attempt(ExpressivityError(f"cannot obey {EVIL}")))
    return made


class Reader(HTMLParser):
    """Checks that elements are closed in order, and collects what a browser would show or fetch."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_all_text_is_escaped():
    page = page_of(comparison(text=f"A dog {EVIL}", title=EVIL))
    reader = Reader(page)
    assert "script" not in reader.tags
    assert "".join(reader.text).count("alert('&')") == 6  # settings, label (twice), title, text, refusal


def test_nothing_is_fetched():
    page = page_of(comparison())
    names = {name for name, _ in Reader(page).attributes}
    assert not {"src", "href", "onclick", "style"} & names
    assert "url(" not in page
    assert "@import" not in page


def test_words_clauses_and_refusals_are_shown():
    page = page_of(comparison())
    assert '<mark class="found">dog</mark>' in page
    assert '<mark class="forbidden"><span class="unseen">forbidden: </span>cat</mark>' in page
    assert "✗ unmet: dog" in page
    assert "✗ unmet: &quot;&lt;b&gt;&quot;" in page
    assert "refused: cannot obey" in page
    assert "✗ 2 of 3 clauses · score -0.500" in page


def test_it_knows_dark_screens_and_phones():
    page = page_of(comparison())
    assert "prefers-color-scheme: dark" in page
    assert '<meta name="viewport"' in page


def test_half_a_surrogate_pair_does_not_break_the_file():
    page_of(comparison(title="\ud800")).encode()


def contrast(first: str, second: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_colours_are_readable_in_both_schemes():
    for scheme in re.findall(r":root \{(.*?)\}", page_of(comparison()), re.S):
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", scheme))
        assert contrast(colours["ink"], colours["page"]) >= 7
        for paper in ("page", "card"):
            assert contrast(colours["quiet"], colours[paper]) >= 4.5
        for mark in ("found", "forbidden"):
            assert contrast(colours[f"{mark}-ink"], colours[mark]) >= 4.5
