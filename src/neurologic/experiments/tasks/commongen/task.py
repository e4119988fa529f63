"""CommonGen as a task of `neurologic eval`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.experiments.tasks.base import (
    PACKAGES,
    Item,
    Option,
    Options,
    lines_of_outputs,
    place_of,
    without_references,
)
from neurologic.experiments.tasks.commongen import prompts
from neurologic.experiments.tasks.commongen.concept_sets import ConceptSet, read_lines, read_sets
from neurologic.experiments.tasks.commongen.formulas import FORMS, LISTS, formulas, without_list

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score
    from neurologic.experiments.training import Pair

HELD_OUT = "held-out"  # a split of its own, to choose settings on

_EXAMPLES = """
  neurologic eval commongen --data DIR --sample 200 -o runs/beam --decoder beam
  neurologic eval commongen --data DIR --sample 200 -o runs/all --decoders neurologic,astar,beam,dba
  neurologic eval commongen --data DIR --prompt zero-shot --model FOLDER -o runs/zero-shot
  neurologic eval commongen --data DIR --prompt supervised --model trained/commongen -o runs/supervised
  neurologic eval commongen --data DIR --predictions outputs.txt
"""


class CommonGen:
    """One sentence with all concepts of a set (Lin et al., Findings of EMNLP 2020)."""

    name = "commongen"
    title = "CommonGen"
    summary = "one sentence about an everyday scene that uses all words of a set"
    data = "folder with commongen.SPLIT.src_alpha.txt and .tgt.txt, or the hub's common_gen"
    packages: Mapping[str, str] = PACKAGES
    options: tuple[Option, ...] = (
        Option("prompt", "what the model is asked", prompts.PROMPTS),
        Option("forms", "the forms of a concept that count", FORMS),
        Option("lists", "with prompts that list the concepts, whether the text may do so", LISTS),
        Option("lead-in", "with --prompt opening, what comes before the sentence", text=prompts.LEAD_IN),
        Option("opening", "with --prompt opening, how every sentence begins", text=prompts.OPENING),
    )
    examples = _EXAMPLES

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        return prompts.settings(options["prompt"], decoder)

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        sets = self._sets(data, split)
        kind = options["prompt"]
        no_lists = kind in prompts.LISTING and options["lists"] == "forbidden"
        items = []
        for number, (one, formula) in enumerate(
            zip(sets, formulas(data, split, sets, options["forms"]), strict=True), 1
        ):
            prompt = prompts.prompt_of(one.concepts, kind, options["lead-in"], options["opening"])
            items.append(
                Item(
                    id=f"{split}-{number}",
                    title=" ".join(one.concepts),
                    prompt=prompt,
                    formula=formula & without_list(one.concepts) if no_lists else formula,
                    references=one.references,
                    raw=isinstance(prompt, str),
                    opening=options["opening"] if kind == prompts.AS_OPENING else "",
                    fields={"concepts": list(one.concepts)},
                )
            )
        return items

    def pairs(self, data: str | Path, split: str) -> list[Pair]:
        """Every reference of every concept set, after the prompt of supervised models."""
        from neurologic.experiments.training import Pair

        return [
            Pair(prompts.supervised(one.concepts), reference)
            for one in read_sets(data, split)
            for reference in one.references
        ]

    def _sets(self, data: str | Path, split: str) -> list[ConceptSet]:
        """The sets of a split; "held-out" are those of train that `neurologic train` leaves out."""
        if split != HELD_OUT:
            return read_sets(data, split)
        from neurologic.experiments.training import TrainingSettings
        from neurologic.experiments.training.pairs import sample

        kept_apart = sample(self.pairs(data, "train"), held_out=TrainingSettings().held_out).held_out
        sources = {pair.source for pair in kept_apart}
        return [one for one in read_sets(data, "train") if prompts.supervised(one.concepts) in sources]

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """One output a line for the distinct sets; or, as CommonGen's script has it, for every reference.

        In the latter case the first output of a set counts, as it does there.
        """
        a_set, a_choice, a_line = "one a concept set", "one for each of the chosen inputs", "one a reference"
        lines = read_lines(data, split) or []
        counts = {len(self._sets(data, split)): a_set}
        counts.setdefault(len(items), a_choice)
        if lines:
            counts.setdefault(len(lines), a_line)
        found = lines_of_outputs(path, counts)
        if counts[len(found)] == a_set:
            return [found[place_of(item)] for item in items]
        if counts[len(found)] == a_choice:
            return found
        outputs: dict[tuple[str, ...], str] = {}
        for concepts, output in zip(lines, found, strict=True):
            outputs.setdefault(concepts, output)
        return [outputs[tuple(item.fields["concepts"])] for item in items]

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        from neurologic.experiments.metrics import METRICS, Corpus, Score, measure, score
        from neurologic.experiments.metrics.tokens import normalised

        concepts = [item.fields["concepts"] for item in items]
        missing = without_references(items)
        if not missing:
            return score(outputs, [item.references for item in items], concepts)
        texts = Corpus(tuple(map(normalised, outputs)), ((),) * len(items), tuple(map(tuple, concepts)))
        return [
            measure(metric, texts) if name == "coverage" else Score(metric, None, reason=missing)
            for name, metric in METRICS.items()
        ]
