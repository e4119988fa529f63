"""Banks: groups of candidates that share out the places of a beam, as in GBS, DBA and CBS.

A bank holds the candidates that cover equally many constraint tokens or, in CBS, are in the same state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neurologic.search.decoder import Selection
from neurologic.search.hypothesis import Candidate
from neurologic.search.settings import SearchSettings


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates, likeliest first and equal ones in a fixed order."""
    return sorted(candidates, key=lambda candidate: (-candidate.logprob, candidate.row, candidate.token))


def fill_banks(banks: Sequence[list[Candidate]], settings: SearchSettings) -> Selection:
    """Give every bank, the least covered first, `num_beams` places, or its share of `rows` if set."""
    places = [settings.num_beams] * len(banks)
    if settings.rows is not None and banks:
        places = allocate(settings.rows, [len(bank) for bank in banks])
    selection = Selection(considered=[candidate for bank in banks for candidate in bank])
    for bank, of_bank in zip(banks, places, strict=True):
        selection.fill(in_order(bank), of_bank)
    return selection


def allocate(k: int, available: list[int]) -> list[int]:
    """Return places per bank: equal shares, the remainder to the last banks; others take what is left over.

    >>> allocate(8, [9, 9, 9])
    [2, 3, 3]
    >>> allocate(8, [9, 9, 1])
    [2, 5, 1]
    """
    each, more = divmod(k, len(available))
    wanted = [each + (bank >= len(available) - more) for bank in range(len(available))]
    places = [min(pair) for pair in zip(wanted, available, strict=True)]
    for bank, share in enumerate(wanted):
        spare = max(0, share - available[bank])
        # Nearest banks first, of two equally near ones the one that covers more.
        for other in sorted(range(len(available)), key=lambda other: (abs(other - bank), -other)):
            handed = min(spare, available[other] - places[other])
            places[other] += handed
            spare -= handed
    return places
