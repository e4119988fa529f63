"""Who may talk to the server: keys, names, other web pages; and limits that need a server of their own."""

from __future__ import annotations

import http.client
import json
from typing import Any

import openai
import pytest

from neurologic.serve.guard import Keys
from serve.server_process import ServerProcess


def ask(client: openai.OpenAI, **fields: Any) -> Any:
    given = {"model": "tiny-chat", "messages": [{"role": "user", "content": "A dog."}], "max_tokens": 8}
    return client.chat.completions.create(**{**given, **fields})


def get(server: ServerProcess, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
    return connection.getresponse()


@pytest.mark.parametrize("key", ["secret-one", "secret-two"])
def test_a_key_opens(guarded: ServerProcess, key: str) -> None:
    assert ask(guarded.client(api_key=key)).choices[0].message.content


@pytest.mark.parametrize("key", ["secret", "secret-one ", "# the team's", "SECRET-ONE", "é"])
def test_a_wrong_key_does_not(key: str) -> None:
    assert not Keys(["secret-one", "secret-two"]).open_for(f"Bearer {key}x")


@pytest.mark.parametrize(
    "path", ["/", "/metrics", "/v1/models", "/openapi.json", "/playground/style.css", "/nowhere"]
)
def test_nothing_but_health_is_open(guarded: ServerProcess, path: str) -> None:
    refused = get(guarded, path)
    assert refused.status == 401
    assert json.loads(refused.read())["error"]["code"] == "invalid_api_key"
    assert get(guarded, path, authorization="Bearer secret-one").status != 401
    assert json.loads(get(guarded, "/health").read())["status"] == "ready"


def test_the_client_understands_a_refused_key(guarded: ServerProcess) -> None:
    with pytest.raises(openai.AuthenticationError, match="Authorization: Bearer KEY"):
        ask(guarded.client(api_key="guess"))


def test_a_browser_may_show_the_key_as_a_password(guarded: ServerProcess) -> None:
    assert "Basic" in get(guarded, "/").headers["www-authenticate"]
    assert Keys(["secret-one"]).open_for("Basic YW55Ym9keTpzZWNyZXQtb25l")
    assert not Keys(["secret-one"]).open_for("Basic !!!")


def test_only_the_named_origin_may_use_the_server(guarded: ServerProcess, server: ServerProcess) -> None:
    asks = {"access_control_request_method": "POST", "access_control_request_headers": "content-type"}
    allowed = get(guarded, "/v1/chat/completions", "OPTIONS", origin="https://example.org", **asks)
    assert allowed.headers["access-control-allow-origin"] == "https://example.org"
    for process, origin in ((guarded, "https://evil.example"), (server, "https://example.org")):
        refused = get(process, "/v1/chat/completions", "OPTIONS", origin=origin, **asks)
        assert refused.headers["access-control-allow-origin"] is None


def test_a_page_of_that_origin_can_read_why_it_is_refused(guarded: ServerProcess) -> None:
    refused = get(guarded, "/v1/models", origin="https://example.org")
    assert (refused.status, refused.headers["access-control-allow-origin"]) == (401, "https://example.org")
    answered = get(guarded, "/v1/models", origin="https://example.org", authorization="Bearer secret-one")
    assert answered.status == 200
    assert "x-neurologic-satisfied" in answered.headers["access-control-expose-headers"]


def test_a_name_that_points_here_from_elsewhere_is_refused(server: ServerProcess) -> None:
    assert get(server, "/health", host="evil.example").status == 403
    assert get(server, "/health", host=f"localhost:{server.port}").status == 200


def test_the_page_allows_nothing_from_elsewhere(server: ServerProcess) -> None:
    for path in ("/", "/playground/page.js", "/playground/picture/picture.js"):
        policy = get(server, path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "http" not in policy
    assert "http" not in get(server, "/").read().decode().lower().replace("<!doctype html>", "")


def test_prompts_are_logged_if_asked_for(guarded: ServerProcess) -> None:
    ask(guarded.client(api_key="secret-one"), messages=[{"role": "user", "content": "xyzzy"}])
    logged = guarded.wait_for("answered", status=200, path="/v1/chat/completions", method="POST")
    while "xyzzy" not in str(logged["prompts"]):
        logged = guarded.wait_for("answered", status=200, path="/v1/chat/completions", method="POST")
    assert len(logged["written"]) == 1


def test_a_request_that_takes_too_long_is_told_so_and_not_repeated(guarded: ServerProcess) -> None:
    client = guarded.client(api_key="secret-one", max_retries=3)
    endless = {"neurologic": {"min_new_tokens": 1900, "num_beams": 4}}
    with pytest.raises(openai.APIStatusError, match=r"no answer within 4 s") as late:
        ask(client, max_tokens=1900, extra_body=endless)
    assert late.value.status_code == 408
    with pytest.raises(openai.APIError, match=r"no answer within 4 s"):
        list(ask(client, max_tokens=1900, stream=True, extra_body=endless))


def test_a_long_prompt_is_refused(guarded: ServerProcess) -> None:
    with pytest.raises(openai.BadRequestError, match="this server takes 60") as refused:
        ask(guarded.client(api_key="secret-one"), messages=[{"role": "user", "content": "dog " * 80}])
    assert refused.value.code == "context_length_exceeded"
