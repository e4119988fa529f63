"""The tree of a search: what it has of a trace, and where its nodes are drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurologic as nl
from neurologic.errors import NeurologicError
from neurologic.picture import Picture, SearchTree
from neurologic.picture.layout import lanes_of
from neurologic.testing.toys import ToyModel
from picture.made_up_traces import made_up_trace
from toys import word_model

NEXT = {
    "": {"The": 0.9, "A": 0.05},
    "The": {"dog": 0.4, "cat": 0.3, "man": 0.2},
    "A": {"dog": 0.5},
    "dog": {"sleeps": 0.6, "barks": 0.2, ".": 0.1},
    "cat": {"sleeps": 0.7, ".": 0.2},
    "man": {"sleeps": 0.5, ".": 0.2},
    "sleeps": {".": 0.8, "dog": 0.01},
    "barks": {".": 0.9},
    ".": {"</s>": 0.95},
}


def toy() -> ToyModel:
    return word_model(NEXT)


def search(formula: str, **options: object) -> nl.Result:
    settings = {"num_beams": 3, "max_new_tokens": 8, "trace": True, **options}
    return nl.wrap(toy()).generate("The", formula, raw=True, **settings)


def tree_of(formula: str, **options: object) -> SearchTree:
    (tree,) = search(formula, **options).picture().trees
    return tree


def test_the_text_that_came_out_is_a_path_of_the_tree() -> None:
    result = search("barks & !cat")
    (tree,) = result.picture().trees
    assert tree.text_of(tree.texts[0].node).strip() == result.text.strip()
    assert [tree.nodes[number].step for number in tree.path(tree.texts[0].node)] == list(
        range(len(result.tokens) + 1)
    )
    assert tree.prompt == "The"


def test_nodes_know_states_group_chance_and_plan() -> None:
    tree = tree_of("barks & !cat")
    path = [tree.nodes[number] for number in tree.path(tree.texts[0].node)]
    assert tree.clauses == ("barks", "!cat")
    assert path[0].states == "13"
    assert path[-1].states == "43"
    assert tree.groups[path[-1].group] == (0,)
    assert path[0].plan == 1
    barks = next(node for node in path if node.piece == " barks")
    assert barks.chance == pytest.approx(0.2)
    assert barks.plan == 0


def test_candidates_that_died_keep_their_reason() -> None:
    tree = tree_of("sleeps & !cat")
    fates = {node.fate for node in tree.nodes}
    assert "budget" in fates  # no word goes on after "cat", so nothing could save that text
    assert fates <= {*tree.whys}
    assert "does not fit" in tree.whys["budget"]


def test_a_dominated_candidate_is_told_from_one_that_found_the_beam_full() -> None:
    assert "dominated" in {fate for step in tree_of("dog | cat").steps for fate in step.fates}
    assert "dominated" not in {
        fate for step in tree_of("dog | cat", dominance=False).steps for fate in step.fates
    }


def test_forced_tokens_are_marked() -> None:
    tree = tree_of("sleeps & barks", num_beams=1, max_new_tokens=3, reserve=0, whole_sentences=False)
    assert any(node.forced for node in tree.nodes if node.is_alive)


def test_the_budget_shrinks_with_every_step() -> None:
    tree = tree_of("dog")
    assert [step.left for step in tree.steps] == list(range(7, 7 - len(tree.steps), -1))


def test_alike_candidates_are_counted_not_kept() -> None:
    records = made_up_trace(beams=20, steps=5)
    (tree,) = Picture.of(records).trees
    per_step = Counter(node.step for node in tree.nodes if not node.is_alive)
    assert max(per_step.values()) <= 4
    assert tree.steps[3].fates["not selected"] == 40


@pytest.mark.parametrize("decoder", ["beam", "greedy", "cbs", "gbs", "dba", "vdba", "astar", "top-p"])
def test_every_decoder_that_writes_from_left_to_right_has_a_picture(decoder: str) -> None:
    beams = {} if decoder in ("greedy", "top-p") else {"num_beams": 2}
    result = nl.wrap(toy()).generate(
        "The", "dog", raw=True, decoder=decoder, reduce=True, max_new_tokens=6, trace=True, **beams
    )
    (tree,) = result.picture().trees
    assert tree.text_of(tree.texts[0].node).strip() == result.text.strip()


def test_drawn_texts_have_a_picture() -> None:
    result = search("dog", do_sample=True, seed=3)
    (tree,) = result.picture().trees
    assert tree.steps


def test_without_a_trace_there_is_no_picture() -> None:
    with pytest.raises(NeurologicError, match="trace=True"):
        nl.Result("a", 0.0).picture()


RESULT = {"input": 0, "result": {"texts": [{"text": "a", "tokens": [1]}]}}  # no verdict, no score


@pytest.mark.parametrize(
    "record", [{}, {"input": 0, "step": 1, "beam": []}, {"prompt": "not a trace"}, RESULT]
)
def test_what_is_not_a_trace_is_refused(record: dict[str, object]) -> None:
    with pytest.raises(NeurologicError, match="trace"):
        Picture.of([record])


@dataclass(frozen=True)
class Spot:
    parent: int
    step: int
    score: float
    is_alive: bool = True


Children = list[tuple[int, int, bool]]
STEPS = st.lists(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-9, 0), st.booleans()), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
)


def grown(steps: list[Children]) -> list[Spot]:
    """Return a tree with the nodes of each step: which living one they continue, their score, their fate."""
    nodes, last = [Spot(-1, 0, 0.0)], [0]
    for step, children in enumerate(steps, 1):
        first = len(nodes)
        nodes += [Spot(last[place % len(last)], step, score, alive) for place, score, alive in children]
        last = [number for number in range(first, len(nodes)) if nodes[number].is_alive]
        if not last:
            break
    return nodes


@given(STEPS, st.integers(0, 30))
def test_no_two_living_texts_of_a_step_share_a_lane(steps: list[Children], choice: int) -> None:
    nodes = grown(steps)
    living_ones = [number for number, node in enumerate(nodes) if node.is_alive]
    best = living_ones[choice % len(living_ones)]
    lanes = lanes_of(nodes, best)
    living = Counter((node.step, lane) for node, lane in zip(nodes, lanes, strict=True) if node.is_alive)
    assert set(living.values()) == {1}
    assert max(lanes) < max(Counter(node.step for node in nodes if node.is_alive).values())
    while best >= 0:  # the best text is the first line
        assert lanes[best] == 0
        best = nodes[best].parent
