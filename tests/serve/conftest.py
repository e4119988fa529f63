"""A tiny chat model, the library and a server that have it, and clients."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

for package in ("fastapi", "uvicorn", "prometheus_client", "openai"):
    if importlib.util.find_spec(package) is None:
        collect_ignore_glob = ["*"]

TEMPLATE = "{% for m in messages %}<|marker|>{{ m.role }}: {{ m.content }}\n{% endfor %}<|marker|>assistant:"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny model of random weights that takes conversations."""
    from tiny.models import save, tiny_model
    from tiny.tokenizers import gpt2_like

    tokenizer = gpt2_like()
    tokenizer.chat_template = TEMPLATE
    model = tiny_model(
        "LlamaForCausalLM",
        tokenizer,
        max_position_embeddings=2048,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    return save(model, tokenizer, tmp_path_factory.mktemp("served") / "tiny-chat")


@pytest.fixture(scope="session")
def lm(folder: Path) -> Any:
    """The library with the same model: what the server must answer."""
    import neurologic

    return neurologic.load(folder)


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[Any]:
    """A server for all tests that leave it as it is."""
    from serve.server_process import ServerProcess

    with ServerProcess(folder, "--limit", "compile_seconds=5") as process:
        process.wait_for("ready")
        yield process


@pytest.fixture(scope="session")
def guarded(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server with keys, one foreign origin, a log of prompts, and tight limits."""
    from serve.server_process import ServerProcess

    keys = tmp_path_factory.mktemp("keys") / "keys.txt"
    keys.write_text("# the team's\nsecret-one\n\nsecret-two\n")
    limits = ("request_seconds=4", "prompt_tokens=60", "body_seconds=1", "header_seconds=1")
    options = [word for limit in limits for word in ("--limit", limit)]
    access = ("--api-key-file", str(keys), "--allow-origin", "https://example.org", "--log-prompts")
    with ServerProcess(folder, *access, *options) as process:
        process.wait_for("ready")
        yield process


@pytest.fixture(scope="session")
def client(server: Any) -> Any:
    return server.client()
