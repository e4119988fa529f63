"""A picture of one or several searches: as data, as an offline page, in a notebook, as an SVG."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from neurologic.errors import NeurologicError
from neurologic.picture.columns import search_columns
from neurologic.picture.search_tree import SearchTree, TreeBuilder
from neurologic.picture.svg import svg_of

# The script, the style and the frame of the page; a server may hand them out as they are.
STATIC = Path(__file__).parent / "static"

_FRAME_HEIGHT = 760
# The last line of the page's script.
_START = """
showPicture(document.getElementById("picture"), JSON.parse(document.getElementById("data").textContent));
"""


@dataclass(frozen=True)
class Picture:
    """Searches to look at."""

    trees: tuple[SearchTree, ...]

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]]) -> Picture:
        """Return the picture of the records of a trace, of one or several inputs."""
        builder = PictureBuilder()
        for record in records:
            builder.add(record)
        return builder.picture()

    def to_dict(self) -> dict[str, Any]:
        """Return what the script in `static` draws."""
        return {"version": 1, "searches": [search_columns(tree) for tree in self.trees]}

    def to_html(self) -> str:
        """Return a page that needs nothing else, and runs no script but its own."""
        style = (STATIC / "picture.css").read_text(encoding="utf-8")
        script = (STATIC / "picture.js").read_text(encoding="utf-8") + _START
        page = Template((STATIC / "page.html").read_text(encoding="utf-8"))
        return page.substitute(
            style=style,
            script=script,
            style_hash=_hash(style),
            script_hash=_hash(script),
            data=inert_json(self.to_dict()),
        )

    def to_svg(self) -> str:
        """Return the first search as an SVG; raise `NeurologicError` if it is too large for one."""
        return svg_of(self.trees[0])

    def _repr_html_(self) -> str:
        """Return the page in a frame, for notebooks."""
        page = html.escape(self.to_html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" title="picture of the search" width="100%" height="{_FRAME_HEIGHT}" '
            'style="border: 0"></iframe>'
        )


class PictureBuilder:
    """Takes records as they come, of any number of inputs, and keeps what a picture needs of them."""

    def __init__(self) -> None:
        self._trees: dict[str, TreeBuilder] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Take a record; raise `NeurologicError` if it is not one of a trace."""
        if not isinstance(record, Mapping):
            raise NeurologicError(f"a record of a trace is a JSON object, not {type(record).__name__}")
        label = json.dumps(record.get("input"), default=str)
        self._trees.setdefault(label, TreeBuilder()).add(record)

    def picture(self) -> Picture:
        """Return the picture of all records so far."""
        trees = tuple(builder.tree() for builder in self._trees.values() if not builder.is_empty)
        if not trees:
            raise NeurologicError("the trace has no steps")
        return Picture(trees)


def inert_json(document: Any) -> str:
    """Return JSON that cannot end the script element around it, nor open another one.

    >>> inert_json("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(text: str) -> str:
    """Return the name of an inline script or style in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
