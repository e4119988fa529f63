"""References of acts that differ in values alone."""

from __future__ import annotations

from experiments.tasks.dialogue.sample_data import act, items
from neurologic.experiments.tasks.dialogue.shared_references import exchanged, with_shared


def test_only_what_has_every_value_once_is_exchanged():
    one, other = act("inform(name='inn on castro';near=castro)"), act("inform(name='red inn';near=soma)")
    assert exchanged("the inn on castro is near castro", one, other) == "the red inn is near soma"
    assert exchanged("the inn on castro is near here", one, other) is None
    assert exchanged("the inn on castro, near castro, is in castro", one, other) is None
    several = act("?select(near=a;near=b)")
    assert exchanged("a or b", several, act("?select(near=c;near=d)")) is None


def test_yes_and_no_are_not_exchanged():
    yes, no = act("inform(name=a;dogsallowed=yes)"), act("inform(name=b;dogsallowed=no)")
    assert with_shared({yes: ["a allows dogs"], no: ["b forbids dogs"]}) == {
        yes: ("a allows dogs",),
        no: ("b forbids dogs",),
    }


def test_references_of_acts_of_the_same_kind_with_their_values_exchanged(folder):
    red, _, blue = items(folder, domain="hotel", references="kind")
    assert red.references == (
        "the red inn is near soma",
        "red inn is a hotel near soma",
        "there is the red inn near soma",
    )
    assert blue.references == (
        "there is the blue inn near nob hill",
        "the blue inn is near nob hill",
        "blue inn is a hotel near nob hill",
    )
