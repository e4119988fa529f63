"""The API's description, and random requests made from it: nothing makes the server fail."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from serve.server_process import ServerProcess

schemathesis: Any = pytest.importorskip("schemathesis")

OPERATIONS = {
    "POST /v1/chat/completions": 15,
    "POST /v1/completions": 15,
    "POST /v1/explain": 30,
    "POST /v1/check": 30,
    "GET /v1/models": 1,
    "GET /v1/models/{name}": 5,
    "GET /health": 1,
    "GET /metrics": 1,
}


@pytest.fixture(scope="module")
def description(server: ServerProcess) -> Any:
    return schemathesis.openapi.from_url(f"{server.url}/openapi.json")


def test_every_operation_is_tried(description: Any) -> None:
    found = [operation.ok() for operation in description.get_all_operations()]
    assert {f"{one.method.upper()} {one.path}" for one in found} == set(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_request_makes_the_server_fail(description: Any, operation: str) -> None:
    method, path = operation.split()

    @given(case=description[path][method].as_strategy())
    @settings(max_examples=OPERATIONS[operation], deadline=None, suppress_health_check=list(HealthCheck))
    def check(case: Any) -> None:
        if isinstance(case.body, dict) and "completions" in path:
            case.body["max_tokens"] = 2  # whatever else is asked for, not much text
        response = case.call()
        assert response.status_code < 500, response.text

    check()
