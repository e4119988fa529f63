"""What a client may ask of the server, in one place. Whoever asks for more gets a 4xx that names it.

`neurologic.limits.Limits` bounds formulas and settings everywhere; here are its tighter values for strangers,
and what only a server has: bodies, connections, waiting requests.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from neurologic.errors import suggestion
from neurologic.limits import Limits


def _limit(default: float, help: str) -> Any:
    return dataclasses.field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class ServerLimits:
    """The limits of a server; every field has its meaning in `metadata["help"]`.

    library  those of formulas and settings, as for any program
    """

    body_bytes: int = _limit(1 << 20, "size of a request's body")
    body_seconds: float = _limit(20.0, "time for a client to send it")
    header_bytes: int = _limit(16 << 10, "size of a request's headers")
    header_seconds: float = _limit(10.0, "time for a client to send them")
    connections: int = _limit(4096, "open connections")
    waiting: int = _limit(64, "requests that wait for a place; more are told to come back (429)")
    request_seconds: float = _limit(300.0, "time from a request to its answer")
    texts: int = _limit(32, "texts of a request: n times its prompts")
    prompt_tokens: int = _limit(8192, "tokens of a prompt, with chat template and hint")
    search_tokens: int = _limit(65536, "n times beams times max_tokens, for all prompts of a request")
    stop_strings: int = _limit(16, "strings in stop")
    library: Limits = dataclasses.field(default_factory=Limits.for_server)

    def __post_init__(self) -> None:
        for field in _own_fields():
            if not getattr(self, field.name) > 0:
                raise ValueError(f"the limit {field.name} must be above 0")

    @staticmethod
    def markdown_table() -> str:
        """Return the table of what only a server limits, for the documentation."""
        rows = ["| limit | default | of |", "| --- | --: | --- |"]
        for field in _own_fields():
            default = f"{field.default:,}".removesuffix(".0")
            rows.append(f"| `{field.name}` | {default} | {field.metadata['help']} |")
        return "\n".join(rows) + "\n"

    def changed(self, assignments: list[str]) -> ServerLimits:
        """Return limits with some of them set anew, each written as "name=value".

        >>> limits = ServerLimits().changed(["waiting=8", "phrases=20"])
        >>> limits.waiting, limits.library.phrases
        (8, 20)
        """
        own = {field.name: type(getattr(self, field.name)) for field in _own_fields()}
        shared = {field.name: type(getattr(self.library, field.name)) for field in dataclasses.fields(Limits)}
        kinds: dict[str, type[float]] = own | shared
        values: dict[str, float] = {}
        for assignment in assignments:
            name, _, value = assignment.partition("=")
            if name not in kinds:
                known = ", ".join(kinds)
                raise ValueError(
                    f"there is no limit {name!r}{suggestion(name, kinds) or f'; choose {known}'}"
                )
            try:
                values[name] = kinds[name](value)
            except ValueError:
                wanted = "a whole number" if kinds[name] is int else "a number"
                raise ValueError(f"write {name}=N with {wanted} for N, not {assignment!r}") from None
        library = self.library.changed(**{name: value for name, value in values.items() if name in shared})
        changes = {name: value for name, value in values.items() if name in own}
        return dataclasses.replace(self, library=library, **changes)  # type: ignore[arg-type]


def _own_fields() -> list[dataclasses.Field[Any]]:
    """Return the limits that only a server has."""
    return [field for field in dataclasses.fields(ServerLimits) if "help" in field.metadata]
