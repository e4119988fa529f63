"""A real Chromium, and a real server with a tiny model for it to look at."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
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
_TEMPLATE = "{% for m in messages %}<|marker|>{{ m.role }}: {{ m.content }}\n{% endfor %}<|marker|>assistant:"


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A window that keeps what the console says."""
    if importlib.util.find_spec("selenium") is None:
        pytest.skip("selenium is not installed")
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not found: apt-get install chromium chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(found["chromium"])
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(found["chromedriver"]))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server whose model has random weights, and takes conversations."""
    for package in ("fastapi", "uvicorn", "prometheus_client"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    folder = _tiny_chat(tmp_path_factory.mktemp("served") / "tiny-chat")
    process = subprocess.Popen(
        [sys.executable, "-m", "neurologic", "serve", "--model", str(folder), "--port", "0"],
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        assert process.stderr is not None
        log = (json.loads(line) for line in process.stderr if line.startswith("{"))
        port = next(entry["port"] for entry in log if entry["event"] == "listening")
        next(entry for entry in log if entry["event"] == "ready")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _tiny_chat(folder: Path) -> Path:
    from tiny.models import save, tiny_model
    from tiny.tokenizers import gpt2_like

    tokenizer = gpt2_like()
    tokenizer.chat_template = _TEMPLATE
    model = tiny_model(
        "LlamaForCausalLM",
        tokenizer,
        max_position_embeddings=2048,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    return save(model, tokenizer, folder)
