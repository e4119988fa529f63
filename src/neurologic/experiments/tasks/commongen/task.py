"""CommonGen as a task of `neurologic eval` and `neurologic train`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.experiments.tasks.base import Item, Option, Options
from neurologic.experiments.tasks.commongen import prompts
from neurologic.experiments.tasks.commongen.concept_sets import ConceptSet, concepts_by_line, read_sets
from neurologic.experiments.tasks.commongen.formulas import FORMS, formulas
from neurologic.experiments.tasks.external_outputs import OutputLayout, by_id, read_outputs
from neurologic.experiments.tasks.reference_scores import PACKAGES, corpus_of, reference_scores

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score
    from neurologic.experiments.training import Pair

HELD_OUT = "held-out"  # a split of its own, to choose settings on


class CommonGen:
    """One sentence with all concepts of a set (Lin et al., Findings of EMNLP 2020)."""

    name = "commongen"
    title = "CommonGen"
    summary = "one sentence about an everyday scene that uses all words of a set"
    data = "folder with commongen.SPLIT.src_alpha.txt and .tgt.txt, or the hub's common_gen"
    packages: Mapping[str, str] = PACKAGES
    options: tuple[Option, ...] = (
        Option("prompt", "what the model reads", prompts.PROMPTS),
        Option("forms", "the forms of a concept that count", FORMS),
        Option("lead-in", "with --prompt opening, the text before the sentence", text=prompts.LEAD_IN),
        Option("opening", "with --prompt opening, the start of every sentence", text=prompts.OPENING),
    )
    examples = """
  neurologic eval commongen --data DIR --sample 200 -o runs/beam --decoder beam
  neurologic eval commongen --data DIR --sample 200 -o runs/all --decoders neurologic,astar,beam,dba
  neurologic eval commongen --data DIR --prompt zero-shot --model FOLDER -o runs/zero-shot
  neurologic eval commongen --data DIR --prompt supervised --model trained/commongen -o runs/supervised
  neurologic eval commongen --data DIR --predictions outputs.txt
"""

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        return prompts.settings(options["prompt"], decoder)

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        sets = self._sets(data, split)
        kind = options["prompt"]
        wanted = formulas(data, split, sets, options["forms"])
        items = []
        for number, (concept_set, formula) in enumerate(zip(sets, wanted, strict=True), 1):
            concepts = concept_set.concepts
            prompt = prompts.prompt_of(concepts, kind, options["lead-in"], options["opening"])
            items.append(
                Item(
                    id=f"{split}-{number}",
                    title=" ".join(concepts),
                    prompt=prompt,
                    formula=formula,
                    references=concept_set.references,
                    raw=isinstance(prompt, str),
                    opening=options["opening"] if kind == prompts.AS_OPENING else "",
                    fields={
                        "concepts": list(concepts),
                        "parts_of_speech": list(concept_set.parts_of_speech),
                    },
                    twin=prompts.twin_of(concepts, kind),
                )
            )
        return items

    def pairs(self, data: str | Path, split: str) -> list[Pair]:
        """Return a pair for every reference of every concept set."""
        from neurologic.experiments.training import Pair

        return [
            Pair(prompts.supervised(concept_set.concepts), reference)
            for concept_set in read_sets(data, split)
            for reference in concept_set.references
        ]

    def _sets(self, data: str | Path, split: str) -> list[ConceptSet]:
        """Return the sets of a split; "held-out" are those of train that `neurologic train` leaves out."""
        if split != HELD_OUT:
            return read_sets(data, split)
        from neurologic.experiments.training import TrainingSettings
        from neurologic.experiments.training.pairs import sample

        kept_apart = sample(self.pairs(data, "train"), held_out=TrainingSettings().held_out).held_out
        sources = {pair.source for pair in kept_apart}
        return [found for found in read_sets(data, "train") if prompts.supervised(found.concepts) in sources]

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """Read one output per line for each distinct set or, as CommonGen's script does, for each reference.

        In the latter case the first output of a set counts, as it does there.
        """
        ids = [f"{split}-{number}" for number, _ in enumerate(self._sets(data, split), 1)]
        layouts = [by_id("one per concept set", ids)]
        if lines := concepts_by_line(data, split):
            by_concepts = OutputLayout(
                "one per reference", lines, lambda item: tuple(item.fields["concepts"])
            )
            layouts.append(by_concepts)
        return read_outputs(path, items, layouts)

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        """Score by the metrics against references, then by the concepts: there at all, and as meant."""
        from neurologic.experiments.metrics import METRICS, RightPartOfSpeech, TaggedCorpus, measure

        texts = corpus_of(outputs, items, [item.fields["concepts"] for item in items])
        tags = tuple(tuple(item.fields["parts_of_speech"]) for item in items)
        tagged = TaggedCorpus(texts.outputs, texts.references, texts.concepts, tags)
        concepts = [measure(METRICS["coverage"], texts), measure(RightPartOfSpeech(), tagged)]
        return [*reference_scores(texts, items), *concepts]
