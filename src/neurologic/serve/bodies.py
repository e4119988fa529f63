"""The fields of requests, as JSON and as types; the description of the API follows from them.

Unknown fields are refused everywhere: a typo must never mean unconstrained text. The settings of a search
come from `neurologic.search.settings`, except those that have a name in OpenAI's API.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from neurologic.errors import suggestion
from neurologic.search.settings import SETTINGS, Number, OneOf, Setting, Text, Texts, Whole

# Settings that OpenAI's API has a field for, beside `neurologic`; drawing needs no switch of its own there.
OPENAI_NAMES = {
    "max_new_tokens": "max_tokens",
    "num_return_sequences": "n",
    "stop_strings": "stop",
    "seed": "seed",
    "temperature": "temperature",
    "top_p": "top_p",
    "do_sample": "temperature",
}
# Settings of decoders that edit sentences; the server has none of these decoders (see `orders`).
_NOT_SERVED = ("edit_steps",)
OWN_SETTINGS = tuple(name for name in SETTINGS if name not in OPENAI_NAMES and name not in _NOT_SERVED)


class Body(BaseModel):
    """A JSON object without unknown fields; a number in quotes is no number."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class ConstraintFields(Body):
    """A constraint: all that is given must hold together."""

    formula: str | None = Field(None, description="formula text, such as 'dog & !cat'")
    include: list[Any] | None = Field(None, description="phrases that must occur; an inner list: one of them")
    exclude: list[Any] | None = Field(None, description="phrases that must not occur")
    clauses: list[Any] | None = Field(None, description="lists of phrases, of each of which one must occur")

    @property
    def constraint(self) -> dict[str, Any]:
        """The constraint in the library's JSON form."""
        names = ("formula", "include", "exclude", "clauses")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class _OwnFields(ConstraintFields):
    """What `neurologic` may hold beside the settings of a search."""

    decoder: str = Field("neurologic", description="how to search")
    reduce: bool = Field(False, description="let a decoder obey the part of the formula that it can express")
    plain_prompt: str | None = Field(None, description="the prompt without the required phrases; see hint")
    highlights: bool = Field(False, description="tell where required and forbidden phrases are in the text")
    picture: bool | Literal["live"] = Field(
        False, description="tell how the search went, as data for a picture; live: also while it runs"
    )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that are given."""
        return {name: value for name in OWN_SETTINGS if (value := getattr(self, name)) is not None}


def _field_of(setting: Setting) -> Any:
    """Return type and description of a setting; None means that it is not given."""
    kind: Any
    match setting.values:
        case Whole(least):
            kind = Annotated[int, Field(ge=least)]
        case Number(least, most, above, below):
            kind = Annotated[float, Field(ge=least, le=most, gt=above, lt=below)]
        case OneOf(choices):
            kind = Literal[choices]
        case Texts():
            kind = list[str]
        case Text():
            kind = str
    return Annotated[kind | None, Field(description=setting.help)], None


if TYPE_CHECKING:

    class NeurologicFields(_OwnFields):
        """The value of `neurologic`: a constraint, a decoder, and settings of the search."""

else:
    NeurologicFields = create_model(
        "NeurologicFields",
        __base__=_OwnFields,
        __doc__="The value of `neurologic`: a constraint, a decoder, and settings of the search.",
        **{name: _field_of(SETTINGS[name]) for name in OWN_SETTINGS},
    )


class TextPart(Body):
    """A part of a message; only text can be read."""

    type: Literal["text"]
    text: str


class Message(Body):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart]
    name: str | None = None
    refusal: Literal[None] = None

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


class StreamOptions(Body):
    """Options of a stream."""

    include_usage: bool | None = None
    include_obfuscation: bool | None = None


class GenerationBody(Body):
    """The fields that chat and text completions share.

    Fields that do not change the text are read and forgotten. Of those that would change it, and cannot here,
    `orders` accepts only the value that has no effect.
    """

    model: str | None = Field(None, description="the name that /v1/models gives, or nothing")
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Annotated[int, Field(ge=1)] | None = Field(None, description="different texts, best first")
    seed: int | None = None
    stop: str | list[str] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        None, description="above 0 draws texts; 0, or nothing, searches for the likeliest"
    )
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(None, description="below 1 draws texts")
    banned_strings: list[str] | None = Field(None, description="must not occur, not even inside of words")
    neurologic: NeurologicFields | None = None

    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    logit_bias: dict[str, float] | None = None
    user: str | None = None


class ChatBody(GenerationBody):
    """A conversation to continue."""

    messages: Annotated[list[Message], Field(min_length=1)]
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    metadata: dict[str, Any] | None = None
    store: bool | None = None
    service_tier: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None
    response_format: dict[str, Any] | None = None
    tools: list[Any] | None = None
    tool_choice: Any = None
    parallel_tool_calls: bool | None = None
    functions: list[Any] | None = None
    function_call: Any = None
    modalities: list[str] | None = None
    audio: Any = None
    prediction: Any = None
    reasoning_effort: str | None = None
    verbosity: str | None = None
    web_search_options: Any = None


class CompletionBody(GenerationBody):
    """One or several texts to continue."""

    prompt: str | list[str] = Field(description="a text, or a list of texts")
    echo: bool | None = None
    logprobs: int | None = None
    suffix: str | None = None
    best_of: int | None = None


class ExplainBody(ConstraintFields):
    """A constraint to explain."""

    banned_strings: list[str] | None = None


class CheckBody(ExplainBody):
    """A text to judge by a constraint."""

    text: str
    before: str = Field("", description="what comes directly before the text")


def unknown_field_advice(path: Sequence[str | int], body: type[BaseModel] | None) -> str:
    """Return what to write instead of an unknown field of a body; `path` leads to it."""
    name = str(path[-1])
    if len(path) == 2 and path[0] == "neurologic":
        if name in OPENAI_NAMES:
            return f'; write "{OPENAI_NAMES[name]}" beside "neurologic"'
        return suggestion(name, NeurologicFields.model_fields)
    if body is None or len(path) != 1:
        return ""
    if name in NeurologicFields.model_fields and "neurologic" in body.model_fields:
        return f'; write it into "neurologic": {{"neurologic": {{"{name}": …}}}}'
    if name in OPENAI_NAMES:
        return f'; write "{OPENAI_NAMES[name]}"'
    return suggestion(name, body.model_fields)
