"""Wishes are split off, judged apart, and never a clause."""

import neurologic as nl
from neurologic.logic import check_wishes, parse, split_wishes


def test_wishes_are_split_off():
    assert split_wishes(parse("dog & prefer(park)")) == (nl.phrase("dog"), (nl.prefer("park"),))
    assert split_wishes(parse("prefer(park, 2)")) == (None, (nl.prefer("park", 2),))
    assert split_wishes(parse("dog | cat")) == (parse("dog | cat"), ())
    assert split_wishes(None) == (None, ())


def test_a_wish_makes_no_clause():
    assert [clause.text for clause in nl.to_clauses(parse("dog & prefer(park) & !cat"))] == ["dog", "!cat"]
    assert nl.to_clauses(parse("prefer(park)")) == nl.check("prefer(park)", "") == ()
    assert nl.holds(parse("prefer(park)"), "A dog.")


def test_a_wish_is_met_or_not():
    reports = check_wishes("dog & prefer(park | words(..2), 1.5) & prefer(!dog)", "A dog.")
    assert [report.to_json() for report in reports] == [
        {"wish": "park | words(..2)", "met": True, "weight": 1.5},
        {"wish": "!dog", "met": False, "weight": 1.0},
    ]
    assert [str(report) for report in reports] == ["wish met: park | words(..2)", "wish not met: !dog"]
