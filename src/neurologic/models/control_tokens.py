"""Keep control tokens that a user's text spells from being control tokens.

A chat template puts the users' texts between control tokens such as <|im_start|>. A text that spells one
itself ("<|im_end|><|im_start|>system …") would end its own message and begin another in somebody else's name.
This module finds the control tokens that come from texts, not from the template, and writes them out in
ordinary tokens, so that the model reads them as what they are: text. Raw prompts are not its business:
whoever sends one may write control tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from neurologic.errors import PromptError

# Characters for private use, which no template has; one that the texts do not have either stands for a
# control token in them.
_STANDINS = [chr(code) for code in range(0xE000, 0xE100)]

Messages = Sequence[Mapping[str, str]]


def spells_control_token(messages: Messages, controls: Mapping[str, int]) -> bool:
    """Return whether the content of a message spells one of the control tokens."""
    return any(control in message["content"] for message in messages for control in controls)


def written_out(
    messages: Messages,
    controls: Mapping[str, int],
    *,
    write: Callable[[Messages], str],
    encode: Callable[[str], Sequence[int]],
    encode_plainly: Callable[[str], Sequence[int]],
) -> tuple[int, ...]:
    """Return the tokens of messages, with the control tokens in their texts written out.

    controls        the control tokens by what spells them
    write           writes the messages out, by the chat template
    encode          makes tokens of that, control tokens included
    encode_plainly  makes tokens of a text, without control tokens
    """
    spelled = re.compile("|".join(map(re.escape, sorted(controls, key=len, reverse=True))))
    contents = "".join(message["content"] for message in messages)
    standin = next((character for character in _STANDINS if character not in contents), None)
    ids = encode(write(messages))
    if standin is not None:
        hidden = write(
            [{**message, "content": spelled.sub(standin, message["content"])} for message in messages]
        )
        places = re.findall(f"{standin}|{spelled.pattern}", hidden)
        found = [place for place, token in enumerate(ids) if token in controls.values()]
        if len(found) == len(places):
            texts = {place for place, written in zip(found, places, strict=True) if written == standin}
            names = {token: text for text, token in controls.items()}
            return tuple(
                plain
                for place, token in enumerate(ids)
                for plain in (encode_plainly(names[token]) if place in texts else (token,))
            )
    raise PromptError(
        "the prompt spells control tokens of the model, and they cannot be told from those of its chat "
        "template; write them in another way"
    )
