"""Where a sentence ends: plain rules on characters, which know no abbreviations.

A sentence ends after `. ! ? …` or their full-width forms, with the closing quotes and brackets that follow,
before whitespace or the end of the text; and at a line break. The number of a list item ("2.") ends nothing,
nor does a line that announces others ("Ingredients:").
"""

from __future__ import annotations

import re

_CLOSING = "\"'”’»)\\]}*_"
_END = re.compile(rf"(?:[.!?…。！？][{_CLOSING}]*|[^:\s]\n)\s*$")
_ITEM = re.compile(r"(?:^|\n)\s*(?:\d+|[A-Za-z])[.)]\s*$")


def ends_sentence(text: str) -> bool:
    """Return whether a text that stops here stops at the end of a sentence or line.

    >>> ends_sentence('She said "no."'), ends_sentence("She said"), ends_sentence("Best regards,\\n")
    (True, False, True)
    """
    return _END.search(text) is not None and _ITEM.search(text) is None
