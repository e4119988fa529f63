"""The playground in a real browser, with a real server."""

from __future__ import annotations

from typing import Any

import pytest

from chromium import IMAGE, SCRIPT, Page


def opened(browser: Any, address: str, **size: int) -> Page:
    page = Page(browser, address, **size)
    page.wait(lambda: page.text("#model") == "tiny-chat")
    page.run("document.querySelector('#more').open = true")
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
    assert page.text("#verdict").startswith("✓ Guaranteed. All 3 clauses will hold")
    assert page.texts("#clauses code") == ["inflect(dog)", "fox", "!cat"]
    assert page.text("#clauses li").endswith("one of dog, dogs")
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


def test_an_example_fills_the_form_and_says_what_it_teaches(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    page.element("#kinds button[data-kind=shape]").click()
    page.element("#chips button[title^=order]").click()
    assert page.element("#formula").get_attribute("value") == "order(dog, ball, bench)"
    assert page.text("#lesson") == "One after the other, with anything between."
    page.wait(lambda: page.texts("#clauses code") == ["order(dog, ball, bench)"])
    assert 'the text has "dog" and then "ball" and then "bench"' in page.text("#clauses li")
    page.type("#formula", "dog")
    assert page.text("#lesson") == ""


def test_every_example_is_a_formula_that_holds_for_some_text(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    analyses = page.run(
        "return (async () => {"
        "const {EXAMPLES} = await import('/playground/examples.js');"
        "const ask = async ({name, formula}) => [name, await (await fetch('/v1/explain', {method: 'POST',"
        "  headers: {'content-type': 'application/json'}, body: JSON.stringify({formula})})).json()];"
        "const found = [];"
        "for (const {items} of EXAMPLES) for (const item of items) found.push(await ask(item));"
        "return found; })();"
    )
    assert len(analyses) > 25
    for name, analysis in analyses:
        assert analysis["valid"] == (name != "contradiction"), (name, analysis)
        if analysis["valid"]:
            assert isinstance(analysis["cost"]["upper_bound"], int), (name, analysis)


def test_the_picture_grows_while_the_search_runs(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    page.type("#max_tokens", "24")
    write_formula(page, "dog & fox & words(10..)")
    page.run(
        "window.seen = []; window.said = [];"
        "new MutationObserver(() => {"
        "  const name = document.querySelector('#drawing .nl-step-name');"
        "  if (name && window.seen.at(-1) !== name.textContent) window.seen.push(name.textContent);"
        "  const status = document.querySelector('#status').textContent;"
        "  if (status.startsWith('searching') && name) window.said.push(status);"
        "}).observe(document.body, {subtree: true, childList: true, characterData: true});"
    )
    page.element("#generate").click()
    written(page)
    seen = page.run("return window.seen")
    assert "Step 1 of 1" in seen
    assert {"Step 2 of 2", "Step 3 of 3", "Step 4 of 4"} & {*seen}
    assert page.run("return window.said.length") > 3
    assert page.texts("#drawing .nl-texts mark")
    page.require_quiet()


def test_a_picture_that_somebody_looks_at_stays_at_its_step(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    counts = page.run(
        "return (async () => {"
        "const {showGrowing} = await import('/playground/picture/picture.js');"
        "const body = {messages: [{role: 'user', content: 'A dog.'}], max_tokens: 12, stream: true,"
        "  neurologic: {formula: 'dog', num_beams: 3, picture: 'live'}};"
        "const answer = await fetch('/v1/chat/completions', {method: 'POST',"
        "  headers: {'content-type': 'application/json'}, body: JSON.stringify(body)});"
        "const events = (await answer.text()).split('\\n\\n').map((event) => event.slice(6))"
        "  .filter((data) => data.startsWith('{')).map(JSON.parse);"
        "const root = document.querySelector('#drawing');"
        "document.querySelector('#search').hidden = false;"
        "const picture = showGrowing(root);"
        "const name = () => root.querySelector('.nl-step-name').textContent;"
        "const found = [];"
        "for (const event of events) {"
        "  if (!event.neurologic) continue;"
        "  picture.grow(event.neurologic.picture);"
        "  if (found.length === 4) root.querySelector('.nl-bar button').click();"
        "  found.push(name());"
        "}"
        "const last = events.flatMap((event) => event.choices).find((choice) => choice.neurologic);"
        "picture.finish(last.neurologic.picture);"
        "return [...found, name()]; })();"
    )
    assert counts[:4] == [f"Step {step} of {step}" for step in range(1, 5)]
    assert counts[4] == "Step 4 of 5"
    assert counts[5] == "Step 4 of 6"
    assert counts[-1].startswith("Step 4 of ")
    page.require_quiet()


def test_a_wish_shows_among_clauses_and_in_the_table(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    write_formula(page, "dog & prefer(zebra, 0.1)")
    assert page.texts("#clauses code") == ["dog", "zebra"]
    assert "a wish" in page.texts("#clauses li")[1]
    page.element("#generate").click()
    written(page)
    assert page.texts("#answer tbody tr")[1].startswith("– not met prefer(zebra)")
    page.require_quiet()


def test_the_keyboard_alone_is_enough(browser: Any, server: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    page = opened(browser, server.url)
    focused = (
        "const {id, dataset, textContent} = document.activeElement; return id || dataset.kind || textContent"
    )
    page.run("document.querySelector('#prompt').focus()")
    page.press("#prompt", "TAB")
    assert page.run(focused) == "formula"
    write_formula(page, "fox")
    page.element("#formula").send_keys(Keys.CONTROL, Keys.ENTER)
    assert "fox" in written(page).lower()
    page.element("#formula").send_keys(Keys.TAB)
    assert page.run(focused) == "generate"
    page.require_quiet()


def test_who_stops_can_go_on(browser: Any, server: Any) -> None:
    page = opened(browser, server.url)
    page.type("#max_tokens", "1500")
    write_formula(page, "words(900..)")
    page.element("#generate").click()
    page.wait(lambda: page.text("#status").startswith("searching"))
    page.element("#stop").click()
    page.wait(lambda: page.text("#status") == "stopped")
    page.type("#max_tokens", "12")
    write_formula(page, "dog")
    page.element("#generate").click()
    assert "dog" in written(page).lower()
    page.require_quiet()


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
