"""A page in a real Chromium, as a person uses it; whatever the console says is an error."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# Raises an alarm if any text of a test runs as a script.
ALARM = "document.documentElement.dataset.alarm = 'ran'"
SCRIPT = f"<script>{ALARM}</script>"
IMAGE = f'<img src=x onerror="{ALARM}">'
SECONDS = 30


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """Start a browser without a window that keeps what its console says; skip the test if there is none."""
    if importlib.util.find_spec("selenium") is None:
        pytest.skip("selenium is not installed")
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not found: apt-get install chromium chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(found["chromium"])
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(found["chromedriver"]))
    try:
        yield driver
    finally:
        driver.quit()


class Page:
    """An open page."""

    def __init__(self, browser: Any, address: str, *, width: int = 1200, height: int = 900) -> None:
        self.browser = browser
        self.resize(width, height)
        browser.get("about:blank")  # an address that differs in its fragment alone loads nothing
        browser.get(address)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def element(self, selector: str) -> Any:
        return self.browser.find_element("css selector", selector)

    def elements(self, selector: str) -> list[Any]:
        return self.browser.find_elements("css selector", selector)

    def text(self, selector: str) -> str:
        return self.element(selector).text

    def texts(self, selector: str) -> list[str]:
        return [element.text for element in self.elements(selector)]

    def type(self, selector: str, words: str) -> None:
        field = self.element(selector)
        field.clear()
        field.send_keys(words)

    def press(self, selector: str, key: str) -> None:
        from selenium.webdriver.common.keys import Keys

        self.element(selector).send_keys(getattr(Keys, key))

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def wait(self, condition: Callable[[], Any]) -> Any:
        """Wait until a condition holds, and return what it gave."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.browser, SECONDS, 0.05, [StaleElementReferenceException])
        return waiting.until(lambda _: condition())

    def painted(self) -> int:
        """Return how many different colours the canvas shows."""
        return self.run(
            "const canvas = document.querySelector('canvas');"
            "if (!canvas) return 0;"  # the script has not run yet
            # From a copy: Chromium warns about reading one canvas several times.
            "const copy = new OffscreenCanvas(canvas.width, canvas.height);"
            "const context = copy.getContext('2d', {willReadFrequently: true});"
            "context.drawImage(canvas, 0, 0);"
            "const {data} = context.getImageData(0, 0, copy.width, copy.height);"
            "return new Set(new Uint32Array(data.buffer)).size"
        )

    def require_quiet(self) -> None:
        """Fail if the console says anything, a text ran as a script, or the page is wider than the window."""
        said = self.browser.get_log("browser")
        assert not said, said
        assert self.run("return document.documentElement.dataset.alarm || ''") == "", "a text ran as a script"
        width, room = self.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert width <= room, f"the page is {width} wide in a window of {room}"
