"""The laws of every language model: cached scores equal fresh ones, however the search moves rows.

Advancing, branching, rewinding, joining and admitting rows must give the scores that the model gives for
each text read anew and alone. `TrackedDecoding` keeps a decoding beside the plain list of texts that it
stands for, and compares the two; the laws are short scripts on it.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

from neurologic.matching.vocabulary import TokenIds
from neurologic.models.base import Admitting, EncodedPrompt, LanguageModel

# A prompt, and the tokens generated after it.
Row = tuple[EncodedPrompt, TokenIds]
# Returns the scores after each text, [rows, vocabulary].
Reference = Callable[[Sequence[Row]], torch.Tensor]


class ModelLaw(Protocol):
    """A law: raises `AssertionError` if the model breaks it.

    reference  returns the right scores; default: the model itself, which reads each text anew and alone
    tolerance  how far scores may differ, since the order of additions changes rounding
    """

    __name__: str

    def __call__(
        self,
        model: LanguageModel,
        prompts: Sequence[EncodedPrompt],
        *,
        reference: Reference | None = None,
        tolerance: float = 1e-3,
    ) -> None: ...


class TrackedDecoding:
    """A decoding beside the plain list of rows that it stands for."""

    def __init__(
        self,
        model: LanguageModel,
        prompts: Sequence[EncodedPrompt],
        *,
        reference: Reference | None = None,
        tolerance: float = 1e-3,
    ) -> None:
        self.model = model
        self.reference = reference or (lambda rows: fresh_scores(model, rows))
        self.tolerance = tolerance
        self.random = random.Random(7)
        self.writable = [token for token, piece in enumerate(model.vocabulary.pieces) if piece]
        self.rows: list[Row] = [(prompt, ()) for prompt in prompts]
        self.decoding: Any = model.start(prompts)

    def advance(self, parents: Sequence[int]) -> None:
        """Advance with random tokens."""
        tokens = self.random.choices(self.writable, k=len(parents))
        self.decoding.advance(torch.tensor(list(parents)), torch.tensor(tokens))
        self.rows = [
            (self.rows[parent][0], (*self.rows[parent][1], token))
            for parent, token in zip(parents, tokens, strict=True)
        ]

    def branch(self, parents: Sequence[int]) -> TrackedDecoding:
        """Return a branch with its own list of rows."""
        other = copy.copy(self)
        other.decoding = self.decoding.branch(torch.tensor(list(parents)))
        other.rows = [self.rows[parent] for parent in parents]
        return other

    def admit(self, prompts: Sequence[EncodedPrompt]) -> None:
        """Admit further prompts."""
        self.decoding.admit(prompts)
        self.rows = [*self.rows, *((prompt, ()) for prompt in prompts)]

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row."""
        self.decoding.rewind(count, logits)
        self.rows = [(prompt, tokens[: len(tokens) - count]) for prompt, tokens in self.rows]

    def join(self, other: TrackedDecoding) -> None:
        """Append the rows of a branch."""
        self.decoding.join(other.decoding)
        self.rows = self.rows + other.rows

    def check(self) -> None:
        """Raise `AssertionError` unless every row has the scores and the tokens of its text."""
        logits = self.decoding.logits
        expected_shape = (len(self.rows), len(self.model.vocabulary))
        assert tuple(logits.shape) == expected_shape, (
            f"logits have the shape {list(logits.shape)}; {len(self.rows)} rows and a vocabulary of "
            f"{len(self.model.vocabulary)} tokens need {list(expected_shape)}"
        )
        assert logits.dtype == torch.float32, f"logits are {logits.dtype}, not float32"
        assert not logits.is_inference(), (
            "logits must allow changes in place; copy them outside of inference mode"
        )
        expected = self.reference(self.rows).to(logits.device)
        torch.testing.assert_close(logits, expected, atol=self.tolerance, rtol=0)
        self._check_input_ids()

    def _check_input_ids(self) -> None:
        continues = not is_encoder_decoder(self.model)
        for row, ids in zip(self.rows, self.decoding.input_ids().tolist(), strict=True):
            prompt, tokens = row
            written = [*(prompt.ids if continues else prompt.opening), *tokens]
            assert ids[len(ids) - len(written) :] == written, f"input_ids {ids} do not end with {written}"


def fresh_scores(model: LanguageModel, rows: Sequence[Row]) -> torch.Tensor:
    """Return the scores after each text, which the model reads anew and alone: [rows, vocabulary]."""
    apart = is_encoder_decoder(model)
    scores = []
    for prompt, tokens in rows:
        if apart:
            whole = EncodedPrompt(prompt.ids, opening=prompt.opening + tokens)
        else:
            whole = EncodedPrompt(prompt.ids + tokens)
        scores.append(model.start([whole]).logits[0])
    return torch.stack(scores)


def is_encoder_decoder(model: LanguageModel) -> bool:
    """Return whether a text is separate from its prompt; a plain language model continues it."""
    return bool(getattr(model, "is_encoder_decoder", False))


# --- The laws ----------------------------------------------------------------------------------


def steps_equal_fresh_runs(model: LanguageModel, prompts: Sequence[EncodedPrompt], **options: Any) -> None:
    """Advancing one text token by token gives the scores of reading it anew."""
    tracked = TrackedDecoding(model, prompts[:1], **options)
    tracked.check()
    for _ in range(8):
        tracked.advance([0])
        tracked.check()


def batches_equal_single_inputs(
    model: LanguageModel, prompts: Sequence[EncodedPrompt], **options: Any
) -> None:
    """Inputs in a batch, whatever their lengths, have the scores that each has alone."""
    tracked = TrackedDecoding(model, prompts, **options)
    tracked.check()
    for _ in range(4):
        tracked.advance(range(len(prompts)))
        tracked.check()


def rows_follow_their_parents(model: LanguageModel, prompts: Sequence[EncodedPrompt], **options: Any) -> None:
    """`advance` copies, moves and drops rows as `parents` says."""
    tracked = TrackedDecoding(model, _three(prompts), **options)
    for parents in (
        [0, 0, 0, 1, 1, 2, 2, 2],  # 3, 2 and 3 rows per input
        [2, 1, 1, 4, 3, 5, 5, 6],  # rows change places within their inputs
        [0, 1, 2, 3, 4, 5, 6, 7],  # nothing moves
        [1, 1, 5, 6, 7],  # the second input is finished
        [4, 3, 2, 0],  # inputs change places
        [2],  # one row is left
        [0, 0, 0, 0],
    ):
        tracked.advance(parents)
        tracked.check()


def branches_are_independent(model: LanguageModel, prompts: Sequence[EncodedPrompt], **options: Any) -> None:
    """A branch and the rows it came from do not affect each other."""
    for parents in ([3, 0, 0, 1, 2, 3], [2], [0, 1, 2, 3]):
        tracked = TrackedDecoding(model, _three(prompts), **options)
        tracked.advance([0, 0, 1, 2])
        branch = tracked.branch(parents)
        branch.check()
        for _ in range(6):
            branch.advance(range(len(parents)))
        branch.check()
        tracked.check()
        tracked.advance([3, 2, 1, 0, 0])
        tracked.check()
        branch.advance([0, 0])
        branch.check()


def tokens_can_be_taken_back(model: LanguageModel, prompts: Sequence[EncodedPrompt], **options: Any) -> None:
    """After `rewind` a branch continues as if the tokens had never been there.

    The law asks nothing of a decoding without `can_rewind` (see `models.base.Rewindable`).
    """
    tracked = TrackedDecoding(model, _three(prompts), **options)
    if not can_rewind(tracked):
        return
    tracked.advance([0, 0, 1, 2])
    rewound, other = tracked.branch([0, 1, 2, 3]), tracked.branch([0, 1, 2, 3])
    before = rewound.decoding.logits
    for _ in range(3):
        rewound.advance([0, 1, 2, 3])
    rewound.rewind(3, before)
    for branch in (rewound, other):
        branch.check()
        branch.advance([3, 1, 0, 2, 2])
        branch.check()
    rewound.rewind(0, rewound.decoding.logits)
    rewound.check()
    assert rewound.decoding.input_ids().shape == other.decoding.input_ids().shape


def branches_can_be_joined(model: LanguageModel, prompts: Sequence[EncodedPrompt], **options: Any) -> None:
    """`join` appends the rows of a branch, which itself stays usable.

    The law asks nothing of a decoding without `can_rewind` (see `models.base.Rewindable`).
    """
    tracked = TrackedDecoding(model, _three(prompts), **options)
    if not can_rewind(tracked):
        return
    tracked.advance([0, 0, 1, 2])
    joined, other = tracked.branch([0, 1, 2, 3]), tracked.branch([3, 0, 2])
    joined.advance([1, 2, 3])
    other.advance([0, 1, 1, 2])
    joined.join(other)
    joined.check()
    other.check()
    for parents in ([0, 1, 2, 6, 5, 4, 3], [6, 5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5, 6], [5, 5, 0]):
        joined.advance(parents)
        joined.check()
    other.advance([0, 1, 2, 3])
    other.check()


def inputs_can_be_admitted(model: LanguageModel, prompts: Sequence[EncodedPrompt], **options: Any) -> None:
    """`admit` puts the rows of further prompts after the others, and changes none of them.

    The law asks nothing of a decoding that is not `Admitting`.
    """
    tracked = TrackedDecoding(model, _three(prompts)[:2], **options)
    if not isinstance(tracked.decoding, Admitting):
        return
    for parents in ([0, 0, 1, 1, 1], [1, 0, 3, 4]):
        tracked.advance(parents)
    tracked.admit([prompts[2], prompts[0]])
    tracked.check()
    for parents in ([0, 1, 1, 2, 4, 4, 5], [0, 0, 4, 5, 6], [3, 4]):
        tracked.advance(parents)
        tracked.check()
    tracked.admit(prompts[:1])
    tracked.advance([2, 1, 1])
    tracked.check()


MODEL_LAWS: tuple[ModelLaw, ...] = (
    steps_equal_fresh_runs,
    batches_equal_single_inputs,
    rows_follow_their_parents,
    branches_are_independent,
    tokens_can_be_taken_back,
    branches_can_be_joined,
    inputs_can_be_admitted,
)


def check_model(
    model: LanguageModel,
    prompts: Sequence[EncodedPrompt],
    *,
    reference: Reference | None = None,
    tolerance: float = 1e-3,
) -> None:
    """Check all laws; `prompts` are at least three."""
    for law in MODEL_LAWS:
        law(model, prompts, reference=reference, tolerance=tolerance)


def can_rewind(tracked: TrackedDecoding) -> bool:
    """Return whether `rewind` and `join` work for branches of a decoding."""
    return bool(getattr(tracked.decoding, "can_rewind", False))


def _three(prompts: Sequence[EncodedPrompt]) -> Sequence[EncodedPrompt]:
    if len(prompts) < 3:
        raise ValueError(f"the laws need at least three prompts, not {len(prompts)}")
    return prompts[:3]
