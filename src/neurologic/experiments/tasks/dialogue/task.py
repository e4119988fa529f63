"""Dialogue responses as a task of `neurologic eval` and `neurologic train`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.errors import DataError
from neurologic.experiments.tasks.base import Item, Option, Options
from neurologic.experiments.tasks.dialogue import prompts
from neurologic.experiments.tasks.dialogue.acts import DOMAINS, Act, distinct, parse_act, read_utterances
from neurologic.experiments.tasks.dialogue.formulas import UNASKED, formula, names_in
from neurologic.experiments.tasks.dialogue.shared_references import with_shared
from neurologic.experiments.tasks.external_outputs import OutputLayout, read_outputs
from neurologic.experiments.tasks.reference_scores import PACKAGES, corpus_of, reference_scores

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score
    from neurologic.experiments.training import Pair

BOTH, ACTS, LINES, OWN, OF_KIND = "both", "acts", "lines", "act", "kind"

_INPUTS = {ACTS: "every act once, with all that people said for it", LINES: "every line, as papers count"}
_REFERENCES = {
    OWN: "what people said for the same act",
    OF_KIND: "and for acts that differ in values alone, with the values exchanged, as papers do",
}
_PUNCTUATION = re.compile(r"[^\w']+")


class Dialogue:
    """Answers and questions of an assistant for hotels or restaurants (Wen et al., NAACL 2016)."""

    name = "dialogue"
    title = "Dialogue"
    summary = "one answer or question of an assistant that says all facts of a dialogue act"
    data = "folder with hotel/SPLIT.json and restaurant/SPLIT.json, as in RNNLG"
    packages: Mapping[str, str] = PACKAGES
    options: tuple[Option, ...] = (
        Option("domain", "the subject", {BOTH: "both"} | {domain: f"{domain}s" for domain in DOMAINS}),
        Option("prompt", "what the model reads", prompts.PROMPTS),
        Option("unasked", "whether a text may say what its act does not", UNASKED),
        Option("inputs", "what is an input", _INPUTS),
        Option("references", "the texts to compare with", _REFERENCES),
    )
    examples = """
  neurologic eval dialogue --data DIR -o runs/neurologic
  neurologic eval dialogue --data DIR --domain hotel --sample 100 -o runs/both --decoders neurologic,beam
  neurologic eval dialogue --data DIR --prompt supervised --model FOLDER --decoder beam -o runs/supervised
  neurologic eval dialogue --data DIR --inputs lines --references kind --predictions runs/one/outputs.txt
"""

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        return prompts.settings(decoder)

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        domains = DOMAINS if options["domain"] == BOTH else (options["domain"],)
        utterances = read_utterances(data, split, domains)
        references = distinct(utterances)
        if options["references"] == OF_KIND:
            references = with_shared(references)
        inputs = list(references)
        if options["inputs"] == LINES:
            acts = {act.identity: act for act in references}
            inputs = [acts[utterance.act.identity] for utterance in utterances]
        known = _known_names(data, domains)
        items = []
        for number, act in enumerate(inputs, 1):
            prompt = prompts.prompt_of(act, options["prompt"])
            items.append(
                Item(
                    id=f"{split}-{number}",
                    title=f"{act.domain} {act}",
                    prompt=prompt,
                    formula=formula(act, options["unasked"], known.get(act.domain, ())),
                    references=references[act],
                    raw=isinstance(prompt, str),
                    fields={"domain": act.domain, "act": str(act)},
                )
            )
        return items

    def pairs(self, data: str | Path, split: str) -> list[Pair]:
        """Return a pair for every reference of every act of both domains."""
        from neurologic.experiments.training import Pair

        return [
            Pair(prompts.supervised(act), reference)
            for act, references in distinct(read_utterances(data, split)).items()
            for reference in references
        ]

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """Read one output a line for the distinct acts, for every line of the data, or for the chosen inputs.

        If the inputs are acts, the first of several outputs for one counts.
        """
        layouts = []
        for acts in _listings(data, split, items):
            once = list({act.identity: act for act in acts}.values())
            layouts += [_layout("one per act", once, items), _layout("one per line of the data", acts, items)]
        return read_outputs(path, items, layouts)

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        """Score by the metrics against references, then by coverage and slot error."""
        from neurologic.experiments.metrics import Corpus, measure
        from neurologic.experiments.tasks.dialogue.slot_error import FactCoverage, SlotError

        acts = tuple(map(_act, items))
        texts = corpus_of(outputs, items)
        spoken_texts = Corpus(
            tuple(map(spoken, texts.outputs)),
            tuple(tuple(map(spoken, references)) for references in texts.references),
        )
        # Slot errors need the punctuation, at which clauses end.
        return [
            *reference_scores(spoken_texts, items),
            measure(FactCoverage(acts), texts),
            measure(SlotError(acts), texts),
        ]


def spoken(text: str) -> str:
    """Return a text in lower case and without punctuation, as the references are.

    >>> spoken("It’s at 25 Mason Street, near an ultra-high-end bar.")
    "it's at 25 mason street near an ultra high end bar"
    """
    return " ".join(_PUNCTUATION.sub(" ", text.lower().replace("’", "'")).split())


def _known_names(data: str | Path, domains: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the names in train, which an assistant knows; empty without a train split."""
    with contextlib.suppress(DataError):
        return names_in(utterance.act for utterance in read_utterances(data, "train", domains))
    return {}


def _act(item: Item) -> Act:
    return parse_act(item.fields["act"], item.fields["domain"])


def _listings(data: str | Path, split: str, items: Sequence[Item]) -> Iterator[list[Act]]:
    """Yield the acts of all lines that outputs may be meant for: of the items' domains, and of both."""
    chosen = {item.fields["domain"] for item in items}
    domains = tuple(domain for domain in DOMAINS if domain in chosen)
    yield [utterance.act for utterance in read_utterances(data, split, domains)]
    if domains != DOMAINS:
        with contextlib.suppress(DataError):  # the data may have one domain only
            yield [utterance.act for utterance in read_utterances(data, split)]


def _layout(name: str, acts: Sequence[Act], items: Sequence[Item]) -> OutputLayout:
    """Return the layout with a line for each act: by the items' numbers if they count these acts."""
    keys = [act.identity for act in acts]
    numbers = {item.id: int(item.id.rpartition("-")[2]) - 1 for item in items}
    if all(keys[numbers[item.id] :][:1] == [_act(item).identity] for item in items):
        return OutputLayout(name, range(len(keys)), lambda item: numbers[item.id])
    return OutputLayout(name, keys, lambda item: _act(item).identity)
