"""Rows of a search as sequences of one cache of llama.cpp.

All decodings of a model share one cache. A copy of a row is another name for the same cells until the two
continue differently; llama.cpp moves no keys and values. Limits: llama.cpp names at most 256 sequences, and
all rows share `n_ctx` cells: a common beginning counts once, every further token of every row once more.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import torch

from neurologic.errors import ModelError
from neurologic.matching.vocabulary import TokenIds
from neurologic.models.llama_cpp.file import LlamaFile
from neurologic.models.token_rows import TokenRows

# A sequence, the position of its first new token, and the new tokens.
NewTokens = tuple[int, int, Sequence[int]]


class Sequences:
    """The sequences of one cache, and which of them are in use; safe to use from several threads."""

    def __init__(self, file: LlamaFile, *, threads: int, n_ctx: int, n_seq_max: int) -> None:
        self._file = file  # must stay open as long as its cache
        self._library = library = file.library
        self._context = context = file.new_context(threads, n_ctx, n_seq_max)
        weakref.finalize(self, library.llama_free, context)
        self._memory = library.llama_get_memory(context)
        self._size = file.vocabulary_size
        self._most = int(library.llama_n_seq_max(context))
        self._cells = int(library.llama_n_ctx(context))
        self._room = int(library.llama_n_batch(context))
        self._batch = library.llama_batch_init(self._room, 0, 1)
        weakref.finalize(self, library.llama_batch_free, self._batch)
        self._free = list(range(self._most - 1, -1, -1))
        # Reentrant, since Python may collect unused rows, which give sequences back, at any moment.
        self._lock = threading.RLock()

    def take(self, count: int) -> list[int]:
        """Return empty sequences."""
        with self._lock:
            if count > len(self._free):
                raise ModelError(
                    f"{self._most - len(self._free) + count} texts at once are more than the {self._most} "
                    "sequences of llama.cpp's cache; lower num_beams or batch_size, or load the model with a "
                    f"larger n_seq_max (at most {self._library.llama_max_parallel_sequences()})"
                )
            return [self._free.pop() for _ in range(count)]

    def give_back(self, sequences: Iterable[int]) -> None:
        """Empty these sequences."""
        with self._lock:
            for sequence in sequences:
                self._library.llama_memory_seq_rm(self._memory, sequence, -1, -1)
                self._free.append(sequence)

    def copies(self, sequences: Sequence[int]) -> list[int]:
        """Return copies of sequences."""
        with self._lock:
            taken = self.take(len(sequences))
            for source, target in zip(sequences, taken, strict=True):
                self._library.llama_memory_seq_cp(self._memory, source, target, -1, -1)
            return taken

    def cut(self, sequence: int, length: int) -> None:
        """Keep only the first tokens of a sequence."""
        with self._lock:
            if not self._library.llama_memory_seq_rm(self._memory, sequence, length, -1):
                raise ModelError("llama.cpp cannot take tokens back in this kind of model")

    def read(self, sequences: Sequence[NewTokens]) -> torch.Tensor:
        """Read new tokens; return the scores after each sequence's last one: [sequences, vocabulary]."""
        scores = np.empty((len(sequences), self._size), dtype=np.float32)
        flat = [
            (sequence, start + place, token, number if place + 1 == len(tokens) else -1)
            for number, (sequence, start, tokens) in enumerate(sequences)
            for place, token in enumerate(tokens)
        ]
        with self._lock:
            for begin in range(0, len(flat), self._room):
                self._read_batch(flat[begin : begin + self._room], scores)
        return torch.from_numpy(scores)

    def _read_batch(self, entries: Sequence[tuple[int, int, int, int]], scores: np.ndarray) -> None:
        batch, library = self._batch, self._library
        batch.n_tokens = len(entries)
        for place, (sequence, position, token, number) in enumerate(entries):
            batch.token[place] = token
            batch.pos[place] = position
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = sequence
            batch.logits[place] = number >= 0
        status = library.llama_decode(self._context, batch)
        if status == 1:
            raise ModelError(
                f"llama.cpp's cache of {self._cells} tokens is full: it holds the prompts and every token of "
                "every text; load the model with a larger n_ctx, or lower num_beams, batch_size or "
                "max_new_tokens"
            )
        if status:
            raise ModelError(f"llama.cpp could not run the model (llama_decode gave {status})")
        for place, (_, _, _, number) in enumerate(entries):
            if number >= 0:
                pointer = library.llama_get_logits_ith(self._context, place)
                ctypes.memmove(scores[number].ctypes.data, pointer, scores[number].nbytes)


class LlamaRows(TokenRows):
    """Unfinished texts in a model of llama.cpp; row i is sequence `_held[i]`."""

    def __init__(self, sequences: Sequences, rows: list[TokenIds], *, pad_id: int, can_rewind: bool) -> None:
        super().__init__(rows, pad_id=pad_id)
        self.can_rewind = can_rewind
        self._sequences = sequences
        self._hold(sequences.take(len(rows)))
        self._logits = sequences.read([(held, 0, row) for held, row in zip(self._held, rows, strict=True)])

    def _hold(self, held: list[int]) -> None:
        """Own these sequences until nobody needs the rows; from now on only change the list in place."""
        self._held = held
        weakref.finalize(self, self._sequences.give_back, held)

    def _read(self) -> None:
        last = [(held, len(row) - 1, row[-1:]) for held, row in zip(self._held, self._rows, strict=True)]
        self._logits = self._sequences.read(last)

    def _take_rows(self, parents: list[int]) -> None:
        """Let the first child of a row take over its sequence; other children get a copy."""
        old = list(self._held)
        self._sequences.give_back([old[row] for row in range(len(old)) if row not in set(parents)])
        first = {parent: place for place, parent in reversed(list(enumerate(parents)))}
        others = [place for place, parent in enumerate(parents) if first[parent] != place]
        self._held[:] = [old[parent] for parent in first]  # ours even if making copies fails
        copies = self._sequences.copies([old[parents[place]] for place in others])
        copy_at = dict(zip(others, copies, strict=True))
        self._held[:] = [copy_at.get(place, old[parent]) for place, parent in enumerate(parents)]

    def branch(self, parents: torch.Tensor) -> Self:
        """Return rows that continue these independently; the rows here stay as they are."""
        other = super().branch(parents)
        other._hold(self._sequences.copies([self._held[parent] for parent in parents.tolist()]))
        return other

    def rewind(self, count: int, logits: torch.Tensor) -> None:
        """Take back the last tokens of every row; `logits` are the scores from before these tokens."""
        super().rewind(count, logits)
        if count:
            for held, row in zip(self._held, self._rows, strict=True):
                self._sequences.cut(held, len(row))

    def join(self, other: Self) -> None:
        """Append the rows of a branch of the same length."""
        super().join(other)
        self._held += self._sequences.copies(other._held)
