"""A static picture of a small search, for papers: a column per step, a colour per group, dead ends grey.

It shows what the page shows without a pointer: the tree, dropped candidates with their reason, and the state
of every clause along the best text. A long search belongs into the page.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator
from html import escape

from neurologic.errors import NeurologicError
from neurologic.picture.search_tree import Node, SearchTree

MOST_STEPS, MOST_LANES = 40, 12

_LANE, _CHIP, _CLAUSE, _CHARACTER, _TOP, _DROPPED = 34, 22, 22, 7.4, 34, 17
_DROPPED_SHOWN = 4
_HUES = (218, 28, 275, 178, 330, 90, 195, 350, 48, 250)
_INK, _SOFT, _DEAD, _PAPER = "#1b2330", "#5a6575", "#a3acb8", "#ffffff"
_STATES = {"1": ("#d79a1e", 0.16), "2": ("#c62f2f", 1.0), "3": ("#58a6c9", 0.5), "4": ("#23894a", 1.0)}
_STATE_NAMES = {
    "1": "S1 may still come",
    "3": "S3 holds so far",
    "4": "S4 holds for good",
    "2": "S2 broken",
}


def svg_of(tree: SearchTree) -> str:
    """Return the SVG of a search."""
    if len(tree.steps) > MOST_STEPS or tree.lanes > MOST_LANES:
        raise NeurologicError(
            f"{len(tree.steps)} steps with {tree.lanes} texts are too much for an SVG (at most {MOST_STEPS} "
            f"with {MOST_LANES}); make a page instead, or search with fewer beams or tokens"
        )
    return _Drawing(tree).svg()


class _Drawing:
    def __init__(self, tree: SearchTree) -> None:
        self._tree = tree
        self._best = set(tree.path(tree.texts[0].node)) if tree.texts else set()
        self._living = self._leading_to_texts()
        self._columns = self._column_centres()
        self._width = self._columns[-1] + 70
        self._below = _TOP + tree.lanes * _LANE + 14
        self._clauses_top = self._below + _DROPPED_SHOWN * _DROPPED + 34
        self._height = self._clauses_top + len(tree.clauses) * _CLAUSE + 62

    def svg(self) -> str:
        """Return the whole drawing."""
        parts = [*self._heads(), *self._edges(), *self._chips(), *self._dropped(), *self._clauses()]
        parts += self._legend()
        width, height = round(self._width), round(self._height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="system-ui, sans-serif" font-size="13" role="img">\n'
            f"<title>{escape(self._title())}</title>\n"
            f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>\n' + "\n".join(parts) + "\n</svg>\n"
        )

    def _title(self) -> str:
        found = f": {self._tree.texts[0].text}" if self._tree.texts else ""
        return f"A search in {len(self._tree.steps)} steps{found}"

    def _leading_to_texts(self) -> set[int]:
        """Return the nodes out of which a finished text came."""
        ends = [number for number, node in enumerate(self._tree.nodes) if node.fate == "finished"]
        ends += [text.node for text in self._tree.texts if text.node >= 0]
        return {number for end in ends for number in self._tree.path(end)}

    def _column_centres(self) -> list[float]:
        """Return the middle of every column; it is as wide as its longest word."""
        widths = [0.0] * (len(self._tree.steps) + 1)
        for number, node in enumerate(self._tree.nodes):
            words = _word(node) if node.is_alive else f"{_word(node)} {node.fate}"
            size = 1.0 if node.is_alive else 0.86
            if node.is_alive or number in self._shown_dropped(node.step):
                widths[node.step] = max(widths[node.step], size * _CHARACTER * len(words) + 34)
        centres, x = [], 150.0
        for width in widths:
            centres.append(x + width / 2)
            x += width
        return centres

    def _y(self, node: Node) -> float:
        return _TOP + (node.lane + 0.5) * _LANE

    def _colour(self, number: int) -> str:
        return self._group_colour(self._tree.nodes[number].group) if number in self._living else _DEAD

    def _group_colour(self, group: int) -> str:
        groups = self._tree.groups
        most = max(map(len, groups))
        if groups[group] and len(groups[group]) == most:
            return _hsl(145, 0.65, 0.32)
        if not groups[group]:
            return _hsl(_HUES[0], 0.62, 0.48)
        hue = _HUES[max(1, group)] if group < len(_HUES) else group * 137.5 % 360
        return _hsl(hue, 0.68, 0.42)

    def _heads(self) -> Iterator[str]:
        yield _text("step", 10, 18, _SOFT, size=12)
        for step, x in enumerate(self._columns[1:], 1):
            yield _text(str(step), x, 18, _SOFT, size=12, middle=True)

    def _edges(self) -> Iterator[str]:
        for number, node in enumerate(self._tree.nodes):
            if not node.is_alive or node.parent < 0:
                continue
            parent = self._tree.nodes[node.parent]
            x1, x2 = self._columns[parent.step], self._columns[node.step]
            y1, y2 = self._y(parent), self._y(node)
            bend = (x2 - x1) / 2
            width = 3.5 if number in self._best else 1.4
            yield (
                f'<path d="M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} '
                f'{x2:.1f} {y2:.1f}" fill="none" stroke="{self._colour(number)}" stroke-width="{width}"/>'
            )

    def _chips(self) -> Iterator[str]:
        for number, node in enumerate(self._tree.nodes):
            if not node.is_alive:
                continue
            x, y, colour = self._columns[node.step], self._y(node), self._colour(number)
            word = _word(node)
            width = max(18.0, _CHARACTER * len(word) + 12)
            strength = 0.3 if number in self._best else 0.12
            box = (
                f'x="{x - width / 2:.1f}" y="{y - _CHIP / 2:.1f}" width="{width:.1f}" height="{_CHIP}" rx="6"'
            )
            hint = f"{node.chance:.0%}, {self._group_name(node.group)}"
            yield f'<rect {box} fill="{_PAPER}"/>'
            yield (
                f'<rect {box} fill="{colour}" fill-opacity="{strength}" stroke="{colour}" stroke-width="1.5">'
                f"<title>{escape(hint)}</title></rect>"
            )
            yield _text(word, x, y + 4.5, _INK if number in self._living else _SOFT, middle=True)
            if node.forced:
                yield _text("▲", x, y - 12, "#c2410c", size=10, middle=True)

    def _shown_dropped(self, step: int) -> list[int]:
        """Return the likeliest dropped candidates of a step, one of every fate first."""
        dead = [n for n, node in enumerate(self._tree.nodes) if node.step == step and not node.is_alive]
        firsts: dict[str, int] = {}
        for number in dead:
            firsts.setdefault(self._tree.nodes[number].fate, number)
        chosen = [*firsts.values(), *(number for number in dead if number not in firsts.values())]
        return chosen[:_DROPPED_SHOWN]

    def _dropped(self) -> Iterator[str]:
        yield _text("dropped", 10, self._below + 12, _SOFT, size=12)
        for step in range(1, len(self._columns)):
            for place, number in enumerate(self._shown_dropped(step)):
                node = self._tree.nodes[number]
                x, y = self._columns[step], self._below + 12 + place * _DROPPED
                yield (
                    f'<text x="{x:.1f}" y="{y:.1f}" fill="{_DEAD}" font-size="11.5" text-anchor="middle">'
                    f'{escape(_word(node))} <tspan fill="{_SOFT}" font-style="italic">{escape(node.fate)}'
                    "</tspan></text>"
                )

    def _clauses(self) -> Iterator[str]:
        path = sorted(self._best, key=lambda number: self._tree.nodes[number].step)
        for row, clause in enumerate(self._tree.clauses):
            bottom = self._clauses_top + (row + 1) * _CLAUSE
            yield _text(_clipped(clause), 10, bottom - 3, _INK)
            for number in path[1:]:
                node = self._tree.nodes[number]
                left, right = self._edges_of(node.step)
                colour, share = _STATES[node.states[row]]
                height = (_CLAUSE - 7) * share
                yield f'<rect {_box(left, bottom - height, right - left - 1, height)} fill="{colour}"/>'

    def _edges_of(self, step: int) -> tuple[float, float]:
        """Return where a column begins and ends: half way to its neighbours."""
        centres = self._columns
        right = centres[step] + (centres[step] - centres[step - 1]) / 2
        if step + 1 < len(centres):
            right = (centres[step] + centres[step + 1]) / 2
        return (centres[step - 1] + centres[step]) / 2, right

    def _legend(self) -> Iterator[str]:
        y, x = self._height - 34, 10.0
        used = sorted({node.group for number, node in enumerate(self._tree.nodes) if number in self._living})
        keys = [(self._group_colour(group), self._group_name(group)) for group in used]
        for colour, words in [*keys, (_DEAD, "dead end")]:
            yield f'<rect {_box(x, y - 10, 11, 11)} rx="3" fill="{colour}"/>'
            yield _text(words, x + 16, y, _SOFT, size=12)
            x += 16 + 6.4 * len(words) + 18
        x = 10.0
        for state, words in _STATE_NAMES.items():
            colour, share = _STATES[state]
            height = 11 * share
            yield f'<rect {_box(x, y + 21 - height, 14, height)} fill="{colour}"/>'
            yield _text(words, x + 19, y + 20, _SOFT, size=12)
            x += 19 + 6.4 * len(words) + 18

    def _group_name(self, group: int) -> str:
        return ", ".join(self._tree.clauses[clause] for clause in self._tree.groups[group]) or "nothing yet"


def _word(node: Node) -> str:
    if node.parent < 0:
        return "start"
    if node.fate == "finished" and not node.piece:
        return "■"
    return node.piece.strip() or "·"


def _clipped(text: str) -> str:
    return text if len(text) <= 18 else f"{text[:17]}…"


def _text(words: str, x: float, y: float, colour: str, *, size: float = 13, middle: bool = False) -> str:
    anchor = ' text-anchor="middle"' if middle else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}"{anchor}>{escape(words)}</text>'


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'


def _hsl(hue: float, saturation: float, lightness: float) -> str:
    red, green, blue = colorsys.hls_to_rgb(hue / 360, lightness, saturation)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
