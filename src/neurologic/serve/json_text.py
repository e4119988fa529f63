"""JSON as it goes over the wire: UTF-8, compact, and valid even if a text holds half a surrogate pair."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response


def json_bytes(value: Any) -> bytes:
    r"""Return a value as JSON; halves of surrogate pairs, which UTF-8 cannot hold, become escapes.

    >>> json_bytes({"text": "é \ud800"})
    b'{"text":"\xc3\xa9 \\ud800"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace")


class JsonResponse(Response):
    """A response whose content is JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_bytes(content)
