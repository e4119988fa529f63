"""The playground in a real browser, with a real server."""

from __future__ import annotations

from typing import Any

import pytest

from chromium import IMAGE, SCRIPT, Page


def opened(browser: Any, address: str, **size: int) -> Page:
    page = Page(browser, address, **size)
    page.wait(lambda: page.text("#model") == "tiny-chat")
    for field, value in {"num_beams": "3", "max_tokens": "12"}.items():
        page.type(f"#{field}", value)
    return page


def write_formula(page: Page, formula: str) -> None:
    """Type a formula, and wait until the page has looked at it."""
    page.type("#formula", formula)
    page.wait(lambda: page.element("#verdict").get_attribute("aria-busy") == "false")


def written(page: Page) -> str:
    """Wait until all texts are there, and return the first."""
    page.wait(lambda: page.text("#status").startswith("done"))
    return page.text("#answer .text")


def test_a_mistake_shows_at_its_place_until_it_is_mended(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    write_formula(page, "dog & & fox")
    assert page.text("#verdict").startswith('line 1, column 7: found "&", expected a phrase')
    assert page.run("return document.querySelector('#backdrop span').textContent") == "&"
    assert page.run("return document.querySelector('#backdrop').firstChild.textContent") == "dog & "
    assert page.element("#formula").get_attribute("aria-invalid") == "true"
    write_formula(page, "inflect(dog) & fox & !cat")
    assert page.text("#verdict").startswith("3 clauses")
    assert page.texts("#clauses code") == ["inflect(dog)", "fox", "!cat"]
    assert page.text("#clauses li").endswith("dog, dogs")
    assert page.element("#formula").get_attribute("aria-invalid") == "false"
    page.require_quiet()


def test_a_contradiction_is_told(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    write_formula(page, '"big dog" & !dog')
    assert "wrong" in page.element("#verdict").get_attribute("class")
    assert "dog" in page.text("#verdict")


@pytest.mark.parametrize("width", [360, 1200])
def test_a_text_comes_with_highlights_table_and_picture(browser: Any, server: Any, width: int) -> None:
    page = opened(browser, server.url, width=width)
    write_formula(page, "dog & fox & !cat")
    page.element("#generate").click()
    text = written(page)
    assert {"dog", "fox"} == {word.lower() for word in page.texts("#answer mark")}
    assert "dog" in text.lower()
    assert page.texts("#answer td.yes") == ["✓ holds"] * 3
    assert page.texts("#plain code") == ["dog", "fox", "!cat"]
    page.wait(lambda: page.painted() > 3)
    before = page.text("#drawing .nl-step-name")
    page.press("#drawing .nl-bar input", "ARROW_LEFT")
    assert page.text("#drawing .nl-step-name") != before
    assert {"dog", "fox"} == {word.lower() for word in page.texts("#drawing .nl-texts mark")}
    page.require_quiet()


def test_a_link_shows_the_same_again(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    write_formula(page, "fox | dog")
    page.type("#prompt", "Größe & <b>?")
    page.type("#n", "2")
    page.element("#generate").click()
    text = written(page)
    link = page.browser.current_url
    write_formula(page, "another")
    again = Page(browser, link)
    assert written(again) == text
    assert again.element("#formula").get_attribute("value") == "fox | dog"
    assert again.element("#prompt").get_attribute("value") == "Größe & <b>?"
    assert len(again.elements("#answer ol.best > li")) == 2
    again.require_quiet()


def test_an_example_fills_the_form(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    page.element("#examples button[title^=at_least]").click()
    assert page.element("#formula").get_attribute("value") == "at_least(2, leash, squirrel, bench)"
    page.wait(lambda: page.texts("#clauses code") == ["at_least(2, leash, squirrel, bench)"])


def test_hostile_texts_stay_texts(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    page.type("#prompt", SCRIPT + IMAGE)
    page.type("#max_tokens", "120")
    quoted = (SCRIPT + IMAGE).replace('"', r"\"")
    write_formula(page, f'"{quoted}"[match=substring]')
    page.element("#generate").click()
    assert SCRIPT + IMAGE in written(page)
    assert page.text("#answer mark") == SCRIPT + IMAGE
    page.wait(lambda: page.painted() > 3)
    page.require_quiet()


def test_what_the_server_refuses_is_told(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    write_formula(page, "dog &")
    page.element("#generate").click()
    page.wait(lambda: "expected a phrase" in page.text("#status"))
    # A refused request shows in the console of every browser.
    assert [entry["source"] for entry in page.browser.get_log("browser")] == ["network"]
