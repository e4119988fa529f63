"""Requests: one text to write, as a caller states it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from neurologic.feasibility.compiled_constraint import CompiledConstraint
from neurologic.logic import Formula
from neurologic.models.base import Prompt

# A formula, formula text, a JSON constraint, or None for no constraint.
Constraint: TypeAlias = Formula | str | Mapping[str, Any] | Sequence[Any] | None


@dataclass(frozen=True)
class Request:
    """One text to write.

    prompt        a text, or a list of {"role", "content"} messages
    constraint    a formula, formula text, a JSON constraint, or one that `lm.compile` made
    raw           send the prompt as it is, without the model's chat template
    id            anything by which the caller knows the request; a trace names the text by it
    plain_prompt  the same prompt, but one that does not name the required phrases; see `generation.hint`
    """

    prompt: Prompt
    constraint: Constraint | CompiledConstraint = None
    raw: bool = False
    id: Any = None
    plain_prompt: Prompt | None = None

    @property
    def asked(self) -> str:
        """What the user asked for, as text: the prompt, or the last message of the user."""
        if isinstance(self.prompt, str):
            return self.prompt
        messages = (message for message in reversed(self.prompt) if message.get("role") == "user")
        content = next(messages, {}).get("content")
        return content if isinstance(content, str) else ""

    def without_compiled(self) -> Request:
        """Return the request with formula text instead of a compiled constraint, which cannot be copied."""
        if not isinstance(self.constraint, CompiledConstraint):
            return self
        formula = " & ".join(f"({clause.text})" for clause in self.constraint.clauses)
        return replace(self, constraint=formula or None)
