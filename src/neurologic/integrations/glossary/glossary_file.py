"""Read glossary files: tab-separated lines of a term, its allowed forms and its forbidden forms.

    # what our client writes
    tenant          preneur | preneurs | preneuse    locataire | locataires
    flat | flats    appartement | appartements

with one tab between the columns. `|` separates several forms; several terms in the first column share the
other columns. The third column may be missing, the second may be empty. The reader skips blank lines, lines
that start with `#`, and a first row of headings. Files are UTF-8, with or without a byte order mark, with
line ends of any system. One error reports all faults of a file, with their lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from neurologic.integrations.glossary.term import GlossaryError, Term

_COLUMNS = ("source term", "allowed forms", "forbidden forms")
_HEADINGS = (
    {"term", "terms", "source", "source term", "source terms"},
    {"allowed", "allowed forms", "target", "target term", "target terms", "translation", "translations"},
    {"forbidden", "forbidden forms"},
)
_LISTED = 10  # faults in one message


def read_terms(path: str | os.PathLike[str]) -> list[Term]:
    """Return the terms of a file in its order, one for each term of each line."""
    terms: list[Term] = []
    faults: list[str] = []
    for number, cells in _rows(path):
        try:
            terms += _terms(number, cells)
        except GlossaryError as error:
            faults.append(f"line {number}: {error}")
    if faults:
        raise unusable(path, *faults)
    if not terms:
        raise unusable(path, "it has no terms")
    return terms


def unusable(path: str | os.PathLike[str], *faults: str) -> GlossaryError:
    """Return the error for a file that cannot be used."""
    listed = list(faults[:_LISTED])
    if len(faults) > _LISTED:
        listed.append(f"and {len(faults) - _LISTED} more")
    space = " " if len(listed) == 1 else "\n"
    return GlossaryError(f"cannot use the glossary {os.fspath(path)}:{space}" + "\n".join(listed))


def _rows(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that says something, with its number from 1."""
    is_first = True
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        while not cells[-1]:  # spreadsheets write the empty ones as well
            cells.pop()
        if not (is_first and _is_heading(cells)):
            yield number, cells
        is_first = False


def _lines(path: str | os.PathLike[str]) -> list[str]:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise unusable(path, error.strerror or str(error)) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        fault = f"line {number}: not UTF-8; save it as tab-separated text in UTF-8"
        raise unusable(path, fault) from error
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _is_heading(cells: list[str]) -> bool:
    return 1 < len(cells) <= len(_HEADINGS) and all(
        cell.casefold() in known for cell, known in zip(cells, _HEADINGS, strict=False)
    )


def _terms(number: int, cells: list[str]) -> Iterator[Term]:
    if len(cells) > len(_COLUMNS):
        raise GlossaryError(
            f"found {len(cells)} columns, expected at most {len(_COLUMNS)}: {', '.join(_COLUMNS)}"
        )
    if len(cells) == 1:
        raise GlossaryError(f'found no tab; write a tab and the allowed forms after the term "{cells[0]}"')
    sources, allowed, forbidden = (_forms(cell) for cell in (*cells, "")[: len(_COLUMNS)])
    if not sources:
        raise GlossaryError("the source term is missing")
    for source in sources:
        yield Term(source, allowed, forbidden, (number,))


def _forms(cell: str) -> tuple[str, ...]:
    return tuple(form for part in cell.split("|") if (form := part.strip()))
