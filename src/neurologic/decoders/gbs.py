"""Grid beam search (Hokamp & Liu, ACL 2017).

One bank of k hypotheses for every number of covered constraint tokens. A hypothesis is *open*, and then
writes any token or begins an unmet phrase, or *closed*: inside a phrase, which it has to go on with. Texts
end in the last bank, where everything is covered.

Costs O(N·k·C) model calls for C constraint tokens: the banks are C + 1. Expresses required phrases only;
neither alternatives nor negatives. `rows` shares so many hypotheses out over the banks instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from neurologic.decoders.required import Progress, RequiredPhrases, fill_banks
from neurologic.matching.vocabulary import TokenIds
from neurologic.search.beam import Beam
from neurologic.search.decoder import Decoder, Selection
from neurologic.search.hypothesis import Candidate


class GridBeamSearch(Decoder):
    """A hypothesis remembers the phrase that it is inside of, None if it is open."""

    name = "gbs"

    def step(self, beam: Beam, scores: torch.Tensor) -> Selection:
        phrases = RequiredPhrases(beam.constraint)
        grid: dict[int, list[Candidate]] = {}
        for candidate in self.propose(beam, scores, phrases):
            under_way = () if candidate.memory is None else (candidate.memory,)
            grid.setdefault(phrases.covered(candidate, under_way), []).append(candidate)
        return fill_banks([grid[bank] for bank in sorted(grid)], beam.settings)

    def propose(self, beam: Beam, scores: torch.Tensor, phrases: RequiredPhrases) -> Iterator[Candidate]:
        """Generate, start and continue: the three ways of a cell of the grid to its neighbours."""
        most = beam.settings.rows or beam.settings.num_beams
        values, tokens = (one.tolist() for one in scores.topk(min(2 * most, scores.shape[-1]), dim=-1))
        seen: set[tuple[TokenIds, int, Progress | None]] = set()
        for row, hypothesis in enumerate(beam.hypotheses):
            # A token that starts a phrase may also be generated without starting it: "a new … New York".
            steps: dict[tuple[int, Progress | None], None]
            if hypothesis.memory is not None:
                phrase, done = hypothesis.memory
                steps = {(phrases.tokens[phrase][done], self._after(phrases, phrase, done + 1)): None}
            else:
                steps = dict.fromkeys((token, None) for token in tokens[row])
                for phrase in phrases.unmet(hypothesis):
                    steps[phrases.tokens[phrase][0], self._after(phrases, phrase, 1)] = None
            known = dict(zip(tokens[row], values[row], strict=True))
            for token, memory in steps:
                logprob = known[token] if token in known else float(scores[row, token])
                if logprob > float("-inf") and (hypothesis.tokens, token, memory) not in seen:
                    seen.add((hypothesis.tokens, token, memory))
                    candidate = beam.consider(row, token, logprob)
                    if not candidate.fate:
                        candidate.memory = memory
                        yield candidate

    def _after(self, phrases: RequiredPhrases, phrase: int, done: int) -> Progress | None:
        return (phrase, done) if done < len(phrases.tokens[phrase]) else None
