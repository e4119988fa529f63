"""What a client may ask of the server, in one place. Whoever asks for more gets a 4xx that names it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from neurologic.errors import suggestion


def _limit(default: float, help: str) -> Any:
    return dataclasses.field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Limits:
    """The limits of a server; every field has its meaning in `metadata["help"]`."""

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
    candidates: int = _limit(5000, "the setting alpha")
    stop_strings: int = _limit(16, "strings in stop")
    phrases: int = _limit(1000, "phrases of a formula, with all forms of inflect(…)")
    phrase_characters: int = _limit(1000, "characters of a phrase")
    formula_characters: int = _limit(50_000, "characters of a formula, or of its JSON form")
    nesting: int = _limit(50, "levels of parentheses, or of JSON, in a formula")
    compile_seconds: float = _limit(10.0, "time to read, check and compile a formula")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if not getattr(self, field.name) > 0:
                raise ValueError(f"the limit {field.name} must be above 0")

    @classmethod
    def markdown_table(cls) -> str:
        """Return the table of all limits for the documentation."""
        rows = ["| limit | default | of |", "| --- | --: | --- |"]
        for field in dataclasses.fields(cls):
            default = f"{field.default:,}".removesuffix(".0")
            rows.append(f"| `{field.name}` | {default} | {field.metadata['help']} |")
        return "\n".join(rows) + "\n"

    def changed(self, assignments: list[str]) -> Limits:
        """Return limits with some of them set anew, each written as "name=value".

        >>> Limits().changed(["waiting=8", "body_seconds=2.5"]).waiting
        8
        """
        kinds: dict[str, type[float]] = {
            field.name: type(getattr(self, field.name)) for field in dataclasses.fields(self)
        }
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
        return dataclasses.replace(self, **values)  # type: ignore[arg-type]
