"""Pictures as data, as a page and as an SVG; hostile texts stay texts."""

from __future__ import annotations

import html
import json
import re
from xml.etree import ElementTree

import pytest

from neurologic.errors import NeurologicError
from neurologic.picture import Picture
from picture.made_up_traces import made_up_trace

HOSTILE = ("</script><script>alert(1)</script>", "<!--", "<img src=x onerror=alert(1)>", "dog", "\u2028&amp;")


def hostile() -> Picture:
    return Picture.of(made_up_trace(beams=3, steps=4, words=HOSTILE))


def test_texts_cannot_leave_the_data_of_the_page() -> None:
    page = hostile().to_html()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1]) == json.loads(json.dumps(hostile().to_dict()))
    assert not re.search("[<>&\u2028]", data[1])
    assert page.count("<script") == 2


def test_the_page_allows_its_own_script_and_style_alone() -> None:
    page = hostile().to_html()
    policy = re.search('http-equiv="Content-Security-Policy" content="(.*?)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert policy[1].count("'sha256-") == 2
    assert not re.search(r'(src|href)="(?!data:)', page)


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    shown = hostile()._repr_html_()
    (page,) = re.findall('srcdoc="(.*?)"', shown, re.DOTALL)
    assert html.unescape(page) == hostile().to_html()


def test_a_text_shows_its_matched_parts() -> None:
    fields = Picture.of(made_up_trace(beams=2, steps=3, words=("dog", "the", "cat"))).to_dict()["searches"][0]
    nodes = fields["nodes"]
    for number, parts in fields["marks"].items():
        text, place = "", int(number)
        while place >= 0:
            text, place = nodes["piece"][place] + text, nodes["parent"][place]
        assert {text[start:end] for start, end, _ in parts} <= {"dog", "cat"}
    assert fields["marks"]


def test_a_large_search_stays_small() -> None:
    picture = Picture.of(made_up_trace(beams=20, steps=200))
    assert len(picture.to_html()) < 2_000_000


def test_an_svg_is_well_formed_and_inert() -> None:
    root = ElementTree.fromstring(hostile().to_svg())
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names == {"svg", "title", "rect", "text", "tspan", "path"}
    assert any("<img" in (element.text or "") for element in root.iter())


def test_a_search_that_is_too_large_for_an_svg_is_refused() -> None:
    with pytest.raises(NeurologicError, match="200 steps with 20 texts are too much"):
        Picture.of(made_up_trace(beams=20, steps=200)).to_svg()


def test_searches_of_several_inputs_share_a_page() -> None:
    first, second = made_up_trace(2, 2), made_up_trace(2, 3, seed=1)
    mixed = [
        record for pair in zip(first, [{**r, "input": "b"} for r in second], strict=False) for record in pair
    ]
    labels = [search["label"] for search in Picture.of(mixed).to_dict()["searches"]]
    assert labels == ["0", "b"]
