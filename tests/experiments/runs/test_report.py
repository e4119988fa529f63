"""The pages: texts with marks, the worst first, everything escaped, nothing from outside."""

import re
from dataclasses import replace
from html.parser import HTMLParser

from experiments.runs.toy import Toy, item
from neurologic.errors import ExpressivityError, PromptError
from neurologic.experiments.runs import ComparedInput, Comparison, Evaluation, Prediction, score_system
from neurologic.experiments.runs.report import comparison_page, evaluation_page
from neurologic.generation.result import Result
from neurologic.logic import check, parse, to_clauses

EVIL = "<script>alert('&')</script>\""
VOID = {"meta", "br"}


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


def assert_inert(page: str) -> None:
    """Nothing runs, and nothing is fetched."""
    reader = Reader(page)
    assert "script" not in reader.tags
    assert not {"src", "href", "onclick", "style"} & {name for name, _ in reader.attributes}
    assert "url(" not in page
    assert "@import" not in page


# -- evaluations ----------------------------------------------------------------------------------


def evaluation(*outputs_of_each, title="", reference=""):
    items = [item(number, "inflect(dog) & !cat") for number in range(len(outputs_of_each[0]))]
    if title or reference:
        items[0] = replace(items[0], title=title, references=(reference,))
    systems = []
    for number, outputs in enumerate(outputs_of_each):
        predictions = [Prediction.from_output(*pair) for pair in zip(items, outputs, strict=True)]
        name = f"system {number}"
        systems.append(score_system(Toy(), items, name, {"predictions": name}, predictions))
    return Evaluation(Toy(), tuple(items), tuple(systems), {"split": "dev"})


def test_inputs_come_worst_first():
    page = evaluation_page(evaluation(["A dog 0.", "A bird.", "My dogs."]))
    places = [page.index(f'<span class="rank">dev-{number}</span>') for number in (1, 2, 0)]
    assert places == sorted(places)


def test_required_words_are_marked_and_unmet_clauses_listed():
    page = evaluation_page(evaluation(["Two dogs.", "A cat."]))
    assert '<p class="text" dir="auto">Two <mark class="found">dogs</mark>.</p>' in page
    assert '<span class="unseen">forbidden: </span>cat</mark>' in page
    assert page.count("✗ unmet: inflect(dog)") == 1
    assert "✗ unmet: !cat" in page


def test_scores_references_and_signatures_are_shown():
    text = "".join(Reader(evaluation_page(evaluation(["A dog 0.", "A dog."]))).text)
    assert "Exact 100" in text
    assert "2 references" in text
    assert "A dog 1." in text
    assert "exact|inputs:2|" in text
    assert "predictions:system 0|inputs:2" in text
    assert "clauses satisfied, of those that ask for words" in text


def test_several_systems_stand_side_by_side_with_their_significance():
    right = [f"A dog {number}." for number in range(20)]
    page = evaluation_page(evaluation(right, ["A dog is it."] * 20))
    assert page.count("<article>") == 40
    assert '<td class="number worse" title="p = 0.001">0.0<span class="unseen"> worse</span></td>' in page
    assert "significantly better or worse than system 0" in page


def test_a_failure_and_an_empty_output_are_shown():
    items = (item(0), item(1))
    failure = Prediction("dev-0", Result("", 0.0, error=PromptError(f"too long {EVIL}")))
    predictions = [failure, Prediction.from_output(items[1], "")]
    page = evaluation_page(Evaluation(Toy(), items, (score_system(Toy(), items, "file", {}, predictions),)))
    assert "failed: too long &lt;script&gt;" in page
    assert "<em>nothing</em>" in page


def test_all_text_of_an_evaluation_is_escaped():
    page = evaluation_page(evaluation([f"A dog {EVIL}", "A dog."], title=EVIL, reference=EVIL))
    assert "".join(Reader(page).text).count("alert('&')") == 3
    assert_inert(page)


# -- comparisons ----------------------------------------------------------------------------------


def comparison(text: str = "A dog.", title: str = "Write.") -> Comparison:
    clauses = tuple(to_clauses(parse('dog & !cat & "<b>"')))
    made = Comparison(
        [ComparedInput(title, clauses)],
        ["neurologic", "beam", "gbs"],
        {"model": EVIL, "reduce": True, "given": {"lambda_": 0.5}, "heeded": {}},
    )

    def add(decoder, result):
        made.add(decoder, 0, Prediction.from_result("0", result, 1.0))

    add("neurologic", Result(text, -0.5, check(clauses, text)))
    add("beam", Result("A cat.", -0.5, check(clauses, "A cat."), reduced=EVIL))
    add("gbs", Result("", 0.0, error=ExpressivityError(f"cannot obey {EVIL}")))
    return made


def test_all_text_of_a_comparison_is_escaped():
    page = comparison_page(comparison(text=f"A dog {EVIL}", title=EVIL))
    # settings, label (twice), title, text, refusal
    assert "".join(Reader(page).text).count("alert('&')") == 6
    assert_inert(page)


def test_words_clauses_refusals_and_settings_are_shown():
    page = comparison_page(comparison())
    assert '<mark class="found">dog</mark>' in page
    assert '<mark class="forbidden"><span class="unseen">forbidden: </span>cat</mark>' in page
    assert "✗ unmet: dog" in page
    assert "✗ unmet: &#34;&lt;b&gt;&#34;" in page
    assert "refused: cannot obey" in page
    assert "✗ 2 of 3 clauses · score -0.500" in page
    assert "reduce: yes · lambda: 0.5" in page


def test_pages_know_dark_screens_and_phones():
    page = comparison_page(comparison())
    assert "prefers-color-scheme: dark" in page
    assert '<meta name="viewport"' in page


def test_half_a_surrogate_pair_does_not_break_the_file():
    comparison_page(comparison(title="\ud800")).encode()


def contrast(first: str, second: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_colours_are_readable_in_both_schemes():
    schemes = re.findall(r":root \{(.*?)\}", comparison_page(comparison()), re.S)
    assert len(schemes) == 2
    for scheme in schemes:
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", scheme))
        assert contrast(colours["ink"], colours["page"]) >= 7
        for paper in ("page", "card"):
            assert contrast(colours["quiet"], colours[paper]) >= 4.5
        for mark in ("found", "forbidden"):
            assert contrast(colours[f"{mark}-ink"], colours[mark]) >= 4.5
