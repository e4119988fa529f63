"""The picture of a search in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chromium import IMAGE, SCRIPT, Page
from neurologic.picture import Picture
from picture.made_up_traces import WORDS, made_up_trace


def opened(
    browser: Any, folder: Path, beams: int, steps: int, words: tuple[str, ...] = WORDS, **size: int
) -> Page:
    path = folder / "search.html"
    path.write_text(Picture.of(made_up_trace(beams, steps, words=words)).to_html(), encoding="utf-8")
    page = Page(browser, path.as_uri(), **size)
    page.wait(lambda: page.painted() > 3)
    return page


def test_the_slider_tells_the_story_of_a_step(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 4, 6)
    assert page.text(".nl-step-name") == "Step 6 of 6"
    page.press(".nl-bar input", "ARROW_LEFT")
    page.press(".nl-bar input", "ARROW_LEFT")
    assert page.text(".nl-step-name") == "Step 4 of 6"
    story = page.text(".nl-story")
    assert "Prune. 12 candidates listed, 12 survive." in story
    assert "Group by the clauses that hold for good" in story
    assert "Select from the groups in turn: 4." in story
    assert "8 × not selected the beam was full" in story
    page.require_quiet()


def test_a_click_on_a_hypothesis_shows_its_text_and_states(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 4, 6)
    page.element(".nl-node").click()
    assert page.text(".nl-hypothesis h3") == "Hypothesis, 6 tokens"
    assert {"dog", "frisbee"} >= {*page.texts(".nl-hypothesis mark")}
    assert page.texts(".nl-hypothesis td:first-child") == ["dog", "frisbee", "!cat"]


def test_arrow_keys_walk_through_the_tree(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 4, 6)
    for key in ("ARROW_LEFT", "ARROW_LEFT", "ARROW_RIGHT"):
        page.press(".nl-scroll", key)
    assert page.text(".nl-hypothesis h3") == "Hypothesis, 5 tokens"
    assert "step 5" in page.run("return document.querySelector('[aria-live]').textContent")
    page.press(".nl-scroll", "HOME")
    assert "nothing yet" in page.text(".nl-hypothesis p")


def test_the_pointer_shows_probabilities(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 2, 3)
    page.run(
        "const canvas = document.querySelector('canvas');"
        "for (let x = 200; x < 700 && document.querySelector('.nl-tip').hidden; x += 5) {"
        "  const box = canvas.getBoundingClientRect();"
        "  canvas.dispatchEvent(new PointerEvent('pointermove',"
        "    {clientX: box.x + x, clientY: box.y + 37, bubbles: true})); }"
    )
    assert "%" in page.text(".nl-tip")


def test_hostile_texts_stay_texts(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 3, 4, (SCRIPT, IMAGE, "dog"))
    assert "<" in page.text(".nl-story")
    page.require_quiet()


@pytest.mark.parametrize("width", [360, 1200])
def test_twenty_beams_and_two_hundred_steps_are_quick(browser: Any, tmp_path: Path, width: int) -> None:
    page = opened(browser, tmp_path, 20, 200, width=width)
    page.run("const s = document.querySelector('.nl-scroll'); s.scrollLeft = s.scrollWidth / 2")
    frame = page.run(
        "const began = performance.now(); const slider = document.querySelector('.nl-bar input');"
        "for (let step = 100; step < 110; step++) {"
        "  slider.value = step; slider.dispatchEvent(new Event('input')); }"
        "return (performance.now() - began) / 10"
    )
    assert page.text(".nl-step-name") == "Step 109 of 200"
    assert frame < 250  # milliseconds a step; a fraction of it on an idle machine
    page.require_quiet()


def test_dark_windows_get_a_dark_picture(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 2, 3)
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(colour)
    scheme = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    try:
        assert page.run(colour) != light
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_notebook_can_show_it(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(Picture.of(made_up_trace(3, 4))._repr_html_(), encoding="utf-8")
    page = Page(browser, path.as_uri())
    browser.switch_to.frame(page.element("iframe"))
    page.wait(lambda: page.painted() > 3)
    assert page.text(".nl-step-name") == "Step 4 of 4"
    assert browser.get_log("browser") == []
