"""Dialogue responses as a task of `neurologic eval`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.errors import DataError
from neurologic.experiments.tasks.base import (
    PACKAGES,
    Item,
    Option,
    Options,
    lines_of_outputs,
    place_of,
    without_references,
)
from neurologic.experiments.tasks.dialogue import prompts
from neurologic.experiments.tasks.dialogue.acts import DOMAINS, Act, distinct, parse_act, read_lines
from neurologic.experiments.tasks.dialogue.exchange import with_exchanged
from neurologic.experiments.tasks.dialogue.formulas import UNASKED, formula, names_in

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score
    from neurologic.experiments.training import Pair

_EXAMPLES = """
  neurologic eval dialogue --data DIR -o runs/neurologic
  neurologic eval dialogue --data DIR --domain hotel --sample 100 -o runs/both --decoders neurologic,beam
  neurologic eval dialogue --data DIR --prompt supervised --model FOLDER --decoder beam -o runs/supervised
  neurologic eval dialogue --data DIR --inputs lines --references kind --predictions runs/one/outputs.txt
"""

BOTH, ACTS, LINES, OWN, OF_KIND = "both", "acts", "lines", "act", "kind"

_INPUTS = {ACTS: "every act once, with all that was said for it", LINES: "every line, as papers count"}
_REFERENCES = {
    OWN: "what people said for the same act",
    OF_KIND: "and for acts that differ in values alone, with the values exchanged, as papers do",
}
_PUNCTUATION = re.compile(r"[^\w']+")


class Dialogue:
    """What an assistant for hotels or restaurants says (Wen et al., NAACL 2016)."""

    name = "dialogue"
    title = "Dialogue"
    summary = "one answer or question of an assistant that says all facts of a dialogue act"
    data = "folder with hotel/SPLIT.json and restaurant/SPLIT.json, as in RNNLG"
    packages: Mapping[str, str] = PACKAGES
    options: tuple[Option, ...] = (
        Option(
            "domain", "what is talked about", {BOTH: "both"} | {domain: f"{domain}s" for domain in DOMAINS}
        ),
        Option("prompt", "what the model is asked", prompts.PROMPTS),
        Option("unasked", "whether a text may say what its act does not", UNASKED),
        Option("inputs", "what is an input", _INPUTS),
        Option("references", "what a text is compared with", _REFERENCES),
    )
    examples = _EXAMPLES

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        return prompts.settings(decoder)

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        lines = read_lines(data, split, _domains(options["domain"]))
        references = distinct(lines)
        if options["references"] == OF_KIND:
            references = with_exchanged(references)
        acts = {act.identity: act for act in references}
        listed = [acts[line.act.identity] for line in lines] if options["inputs"] == LINES else [*references]
        known = _known_names(data, options)
        return [
            _item(act, f"{split}-{number}", references[act], options, known.get(act.domain, ()))
            for number, act in enumerate(listed, 1)
        ]

    def pairs(self, data: str | Path, split: str) -> list[Pair]:
        """Every reference of every act of both domains, after the prompt of supervised models."""
        from neurologic.experiments.training import Pair

        return [
            Pair(prompts.supervised(act), reference)
            for act, several in distinct(read_lines(data, split)).items()
            for reference in several
        ]

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """One output a line for the distinct acts, for every line of the data, or for the chosen inputs.

        Where the inputs are acts, the first of several outputs for one counts.
        """
        counts: dict[int, str] = {}
        acts: dict[int, list[Act]] = {}
        for listed in _listings(data, split, [_act(item) for item in items]):
            once = list({act.identity: act for act in listed}.values())
            for several, what in ((once, "one an act"), (listed, "one a line of the data")):
                counts.setdefault(len(several), what)
                acts.setdefault(len(several), several)
        counts.setdefault(len(items), "one for each of the chosen inputs")
        found = lines_of_outputs(path, counts)
        if len(found) not in acts:
            return found
        said = list(zip((act.identity for act in acts[len(found)]), found, strict=True))
        chosen = [(place_of(item), _act(item).identity) for item in items]
        if all(place < len(said) and said[place][0] == act for place, act in chosen):
            return [said[place][1] for place, _ in chosen]
        outputs: dict[object, str] = {}
        for act, output in said:
            outputs.setdefault(act, output)
        return [outputs[act] for _, act in chosen]

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        from neurologic.experiments.metrics import METRICS, Corpus, Score, corpus, measure
        from neurologic.experiments.metrics.tokens import normalised
        from neurologic.experiments.tasks.dialogue.slot_error import FactCoverage, SlotError

        acts = tuple(map(_act, items))
        references = tuple(tuple(map(normalised, item.references)) for item in items)
        # Clauses end at punctuation, so that these need it; they do not look at references.
        as_written = Corpus(tuple(map(normalised, outputs)), references)
        facts = [measure(FactCoverage(acts), as_written), measure(SlotError(acts), as_written)]
        compared = [metric for name, metric in METRICS.items() if name != FactCoverage.name]
        missing = without_references(items)
        if missing:
            return [*(Score(metric, None, reason=missing) for metric in compared), *facts]
        texts = corpus([spoken(output) for output in outputs], [list(map(spoken, one)) for one in references])
        return [*(measure(metric, texts) for metric in compared), *facts]


def spoken(text: str) -> str:
    """A text as the references are: in lower case, without punctuation.

    >>> spoken("It’s at 25 Mason Street, near an ultra-high-end bar.")
    "it's at 25 mason street near an ultra high end bar"
    """
    return " ".join(_PUNCTUATION.sub(" ", text.lower().replace("’", "'")).split())


def _domains(option: str) -> tuple[str, ...]:
    return DOMAINS if option == BOTH else (option,)


def _known_names(data: str | Path, options: Options) -> dict[str, tuple[str, ...]]:
    """The names in train, which an assistant knows; none where there is no train split."""
    with contextlib.suppress(DataError):
        return names_in(line.act for line in read_lines(data, "train", _domains(options["domain"])))
    return {}


def _item(act: Act, name: str, references: tuple[str, ...], options: Options, known: Sequence[str]) -> Item:
    prompt = prompts.prompt_of(act, options["prompt"])
    return Item(
        id=name,
        title=f"{act.domain} {act}",
        prompt=prompt,
        formula=formula(act, options["unasked"], known),
        references=references,
        raw=isinstance(prompt, str),
        fields={"domain": act.domain, "act": str(act)},
    )


def _act(item: Item) -> Act:
    return parse_act(item.fields["act"], item.fields["domain"])


def _listings(data: str | Path, split: str, chosen: Sequence[Act]) -> Iterator[list[Act]]:
    """The acts of all lines that outputs may be meant for: those of the chosen domains, or of both."""
    domains = tuple(domain for domain in DOMAINS if any(act.domain == domain for act in chosen))
    yield [line.act for line in read_lines(data, split, domains)]
    if domains != DOMAINS:
        with contextlib.suppress(DataError):  # the other domain need not be there
            yield [line.act for line in read_lines(data, split)]
