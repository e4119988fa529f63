"""The matrix of a step: whatever decoders ask for equals a plain reading of the scores."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurologic.errors import ModelError
from neurologic.search.score_matrix import Cell, ScoreMatrix

MATRICES = st.tuples(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),  # rows per input
    st.sampled_from([1, 5, 31, 32, 33, 64, 100, 333]),  # tokens
    st.integers(0, 1000),
)


def random_matrix(sizes: list[int], tokens: int, seed: int) -> ScoreMatrix:
    generator = torch.Generator().manual_seed(seed)
    # All different, so that there is one right order; a third is not allowed.
    scores = torch.randperm(sum(sizes) * tokens, generator=generator).float().reshape(-1, tokens)
    return ScoreMatrix(scores.masked_fill(scores % 3 == 0, -torch.inf), sizes)


def plain_cells(matrix: ScoreMatrix, number: int) -> list[Cell]:
    """The allowed cells of an input, best first."""
    first = matrix.first_rows[number]
    rows = matrix.scores[first : first + matrix.sizes[number]].tolist()
    cells = [Cell(row, token, value) for row, values in enumerate(rows) for token, value in enumerate(values)]
    return sorted((cell for cell in cells if cell.logprob > -torch.inf), key=lambda cell: -cell.logprob)


@given(MATRICES, st.integers(1, 50))
def test_the_likeliest_cells_are_those_of_the_whole_matrix(
    matrix: tuple[list[int], int, int], count: int
) -> None:
    whole = random_matrix(*matrix)
    assert whole.likeliest(count) == [plain_cells(whole, number)[:count] for number in range(len(whole))]


@given(MATRICES, st.integers(1, 50))
def test_parts_rows_and_single_cells_agree_with_the_whole(
    matrix: tuple[list[int], int, int], count: int
) -> None:
    whole = random_matrix(*matrix)
    cells = [plain_cells(whole, number) for number in range(len(whole))]
    assert [whole.part(number).likeliest(count)[0] for number in range(len(whole))] == whole.likeliest(count)
    assert whole.likeliest_of_rows(count) == [
        [dict([(cell.token, cell.logprob) for cell in own if cell.row == row][:count]) for row in range(size)]
        for own, size in zip(cells, whole.sizes, strict=True)
    ]
    places = [[(cell.row, cell.token) for cell in own] for own in cells]
    assert whole.at(places) == [[cell.logprob for cell in own] for own in cells]


def test_scores_that_are_not_numbers_are_an_error_wherever_they_stand() -> None:
    scores = torch.zeros(2, 70)
    scores[1, 69] = torch.nan
    for ask in (ScoreMatrix(scores, [1, 1]).likeliest, ScoreMatrix.of(scores).likeliest_of_rows):
        with pytest.raises(ModelError, match="not numbers"):
            ask(3)
    with pytest.raises(ModelError, match="not numbers"):
        ScoreMatrix.of(scores).at([[(0, 0), (1, 69)]])
