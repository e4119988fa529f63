"""The options of a command that hold for every text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neurologic.integrations.glossary import Glossary
from neurologic.logic import Formula


@dataclass(frozen=True)
class TextOptions:
    """Settings of the search, and what every text must satisfy."""

    settings: dict[str, Any]
    formula: Formula | None
    glossary: Glossary | None
