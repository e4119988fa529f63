"""What people said for acts that differ in values alone, with the values exchanged.

    inform(name=metro hotel; near=haight)    "the metro hotel is near haight"
    inform(name=hotel kabuki; near=japantown)  "the hotel kabuki is near japantown"

Wen et al. score on texts without values, so that all that was said for acts of the same kind and the same
slots are references of each of them. Only what has every value of its own act, each once, can be exchanged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from neurologic.experiments.tasks.dialogue.acts import Act

_Shape: TypeAlias = tuple[object, ...]


def with_exchanged(references: Mapping[Act, Sequence[str]]) -> dict[Act, tuple[str, ...]]:
    """The references of every act, and after them those of the same shape with other values, each once."""
    of_shape: dict[_Shape, list[Act]] = defaultdict(list)
    for act in references:
        of_shape[shape(act)].append(act)
    return {
        act: tuple(
            dict.fromkeys(
                [*own]
                + [
                    changed
                    for other in of_shape[shape(act)]
                    if other != act
                    for reference in references[other]
                    if (changed := exchanged(reference, other, act)) is not None
                ]
            )
        )
        for act, own in references.items()
    }


def shape(act: Act) -> _Shape:
    """What acts have in common that differ in values alone; a yes, a no and the like belong to it."""
    facts = sorted((fact.slot, str(fact.value) if fact.special else "…") for fact in act.facts)
    return act.domain, act.kind, *facts


def exchanged(reference: str, of_act: Act, for_act: Act) -> str | None:
    """A reference with the values of another act of the same shape; None where it lacks one of its own.

    >>> from neurologic.experiments.tasks.dialogue.acts import parse_act
    >>> one, other = (
    ...     parse_act(f"inform(name={name};near={place})", "hotel")
    ...     for name, place in (("metro", "haight"), ("kabuki", "soma"))
    ... )
    >>> exchanged("there is the metro near haight", one, other)
    'there is the kabuki near soma'
    """
    old, new = _values(of_act), _values(for_act)
    if old is None or new is None:
        return None
    # The longest first, so that "castro" does not take its part out of "inn on castro".
    by_length = sorted(old.items(), key=lambda item: -len(item[1]))
    for slot, value in by_length:
        reference, times = re.subn(rf"(?<!\w){re.escape(value)}(?!\w)", f"\0{slot}\0", reference)
        if times != 1:
            return None
    return re.sub("\0(.*?)\0", lambda match: new[match[1]], reference)


def _values(act: Act) -> dict[str, str] | None:
    """The values by slot; None where a slot has several."""
    facts = [fact for fact in act.facts if not fact.special]
    values = {fact.slot: str(fact.value) for fact in facts}
    return values if len(values) == len(facts) else None
