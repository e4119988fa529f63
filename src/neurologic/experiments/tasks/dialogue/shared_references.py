"""Share references among acts that differ in values alone, by exchanging the values.

    inform(name=metro hotel; near=haight)      "the metro hotel is near haight"
    inform(name=hotel kabuki; near=japantown)  "the hotel kabuki is near japantown"

Wen et al. score texts without values, so that everything people said for acts of the same kind and the same
slots is a reference of each of them. We exchange values only in a text that has every value of its own act
exactly once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from neurologic.experiments.tasks.dialogue.acts import Act

_Shape: TypeAlias = tuple[object, ...]


def with_shared(references: Mapping[Act, Sequence[str]]) -> dict[Act, tuple[str, ...]]:
    """Return the references of every act, then those of acts of the same shape, each once."""
    of_shape: dict[_Shape, list[Act]] = defaultdict(list)
    for act in references:
        of_shape[_shape(act)].append(act)

    def borrowed(act: Act) -> Iterator[str | None]:
        for other in of_shape[_shape(act)]:
            if other != act:
                yield from (exchanged(reference, other, act) for reference in references[other])

    return {
        act: tuple(dict.fromkeys([*own, *(text for text in borrowed(act) if text is not None)]))
        for act, own in references.items()
    }


def _shape(act: Act) -> _Shape:
    """Return a key that is equal for acts that differ in values alone; special values are part of it."""
    facts = sorted((fact.slot, str(fact.value) if fact.special else "…") for fact in act.facts)
    return act.domain, act.kind, *facts


def exchanged(reference: str, of_act: Act, for_act: Act) -> str | None:
    """Return a reference with the values of another act of the same shape; None if it lacks one of its own.

    >>> from neurologic.experiments.tasks.dialogue.acts import parse_act
    >>> metro = parse_act("inform(name=metro;near=haight)", "hotel")
    >>> kabuki = parse_act("inform(name=kabuki;near=soma)", "hotel")
    >>> exchanged("there is the metro near haight", metro, kabuki)
    'there is the kabuki near soma'
    """
    old, new = _values(of_act), _values(for_act)
    if old is None or new is None:
        return None
    # The longest first, so that "castro" does not match inside "inn on castro".
    by_length = sorted(old.items(), key=lambda item: -len(item[1]))
    for slot, value in by_length:
        reference, times = re.subn(rf"(?<!\w){re.escape(value)}(?!\w)", f"\0{slot}\0", reference)
        if times != 1:
            return None
    return re.sub("\0(.*?)\0", lambda match: new[match[1]], reference)


def _values(act: Act) -> dict[str, str] | None:
    """Return the values by slot; None if a slot has several."""
    facts = [fact for fact in act.facts if not fact.special]
    values = {fact.slot: str(fact.value) for fact in facts}
    return values if len(values) == len(facts) else None
