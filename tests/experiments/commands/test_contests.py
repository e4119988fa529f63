"""What the tables of systems say on standard error and on standard output."""

from dataclasses import replace

from experiments.runs.toy import Toy, item
from neurologic.experiments.commands.contests import show_contest
from neurologic.experiments.metrics import Score
from neurologic.experiments.runs import Contest, of_output, scored

ITEMS = [item(number) for number in range(4)]


def system(name, *, timed_out=False):
    found = scored(Toy(), ITEMS, name, {}, [of_output(one, "A dog.") for one in ITEMS])
    if timed_out:
        without = tuple(Score(score.metric, None, reason="it took too long") for score in found.scores)
        found = replace(found, scores=without)
    return found


def test_a_reason_is_told_whichever_system_it_concerns(capsys):
    systems = (system("first"), system("second", timed_out=True))
    show_contest(Contest(Toy(), tuple(ITEMS), systems), apart=True, as_json=False)
    ended = capsys.readouterr()
    assert "Exact n/a: it took too long" in ended.err
    assert ended.err.count("n/a") == 1
    assert "minus first" not in ended.out, "there is nothing to compare"


def test_systems_are_compared_with_the_first(capsys):
    show_contest(Contest(Toy(), tuple(ITEMS), (system("a"), system("b"))), apart=True, as_json=False)
    ended = capsys.readouterr()
    assert "minus a" in ended.out
    assert "+0.0 (1.000)" in ended.out
    assert ended.err == ""
