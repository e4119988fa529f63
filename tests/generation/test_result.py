"""How a result shows itself: printed, in a notebook, and as a dictionary."""

from __future__ import annotations

from dataclasses import replace

from neurologic.errors import PromptError
from neurologic.generation.result import Result
from neurologic.logic import check
from neurologic.marks import Mark

FORMULA = "(dog | wolf) & !cat & bone"


def result_of(text: str) -> Result:
    return Result(text, -1.0, check(FORMULA, text), tokens=(1, 2, 3))


def test_printed_it_is_the_text_and_its_verdict() -> None:
    assert str(result_of("A dog ate.")) == "A dog ate.\n✓ dog | wolf (dog)\n✓ !cat (no cat)\n✗ bone"
    assert "tokens" not in repr(result_of("A dog ate."))


def test_in_a_notebook_required_words_are_marked_and_nothing_is_markup() -> None:
    shown = result_of("<script>Dog</script> & bone")._repr_html_()
    assert "&lt;script&gt;<mark>Dog</mark>&lt;/script&gt; &amp; <mark>bone</mark>" in shown
    assert "<td>✓</td><td>S3</td><td>!cat</td><td>no cat</td>" in shown
    assert "<script>" not in shown


def test_marks_are_one_line_wherever_a_result_shows_itself() -> None:
    marks = (Mark("repetition", "a <b>"), Mark("cut off"))
    result = replace(result_of("A dog ate."), marks=marks)
    assert str(result).splitlines()[-1] == 'marks: repetition ("a <b>"), cut off'
    assert "marks: repetition (&quot;a &lt;b&gt;&quot;), cut off</small>" in result._repr_html_()
    assert result.to_dict()["marks"] == [
        {"kind": "repetition", "excerpt": "a <b>"},
        {"kind": "cut off", "excerpt": ""},
    ]
    assert "marks" not in result_of("A dog ate.")._repr_html_()


def test_an_error_is_no_text_and_satisfies_nothing() -> None:
    failed = Result("", 0.0, error=PromptError("too <long>"))
    assert not failed.satisfied
    assert str(failed) == "error: too <long>"
    assert failed._repr_html_() == "<p><b>error:</b> too &lt;long&gt;</p>"
    assert failed.to_dict() == {"error": "too <long>"}


def test_as_a_dictionary_it_has_the_fields_of_an_output_line() -> None:
    fields = result_of("A dog ate.").to_dict()
    assert list(fields) == ["text", "score", "satisfied", "unmet", "clauses", "forced", "marks"]
    assert fields["unmet"] == ["bone"]
    assert "others" in Result("a", 0.0, others=(Result("b", -1.0),)).to_dict()
