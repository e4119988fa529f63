"""The server's log: one JSON object per line, on standard error. Prompts and texts only if asked for."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

logger = logging.getLogger(__name__)


class _JsonLines(logging.Formatter):
    """Writes a record as one line; `extra={"fields": …}` adds fields to it."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str)  # ASCII, so no terminal and no file can choke on it


def start() -> None:
    """Write the log of the server, and warnings of uvicorn and of the library, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    for name, level in (("neurologic", logging.WARNING), ("uvicorn", logging.WARNING)):
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).setLevel(level)
    logger.setLevel(logging.INFO)


def say(
    event: str, /, *, level: int = logging.INFO, error: BaseException | None = None, **fields: Any
) -> None:
    """Write a line: what happened, and its details."""
    given = {name: value for name, value in fields.items() if value is not None}
    logger.log(level, event, exc_info=error, extra={"fields": given})
