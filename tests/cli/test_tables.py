"""The line under a text: what there is to say about it, and nothing else."""

from __future__ import annotations

import pytest

from neurologic.cli.tables import print_result
from neurologic.generation.result import Result


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (Result("A dog.", -0.5), "score -0.500"),
        (Result("A dog.", -0.5, forced=1), "score -0.500, 1 token forced"),
        (
            Result("A dog.", -0.5, reduced="negatives left out"),
            "score -0.500, searched with negatives left out",
        ),
        (Result("A dog", -0.5, ending="length"), "score -0.500, ended by its length limit"),
    ],
)
def test_what_is_said_about_a_text(result: Result, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_result(result)
    assert capsys.readouterr().out.splitlines() == [result.text, "", said]
