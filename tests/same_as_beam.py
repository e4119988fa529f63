"""Count texts that constraints leave as they are: `python tests/same_as_beam.py`.

A constraint that binds nothing should change nothing. Take prompts of the everyday yardstick and let plain
beam search write. Of its texts that end by themselves and show no mark, make two formulas each that the text
already obeys: one that forbids common words that it does not have, and one that requires two of its words,
for a search without the hint. Write again with `neurologic` and the same settings, and print how many texts
are the same, and those that are not.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

import neurologic as nl
from neurologic.experiments.tasks.everyday.task_file import read_tasks
from neurologic.logic import Formula, all_of, none_of
from neurologic.logic.characters import word_runs

# Words that turn up in everyday texts, from which the bans are drawn.
_COMMON = (
    "perfect", "great", "amazing", "beautiful", "simple", "quality", "experience", "journey", "unique",
    "best", "love", "important", "special", "wonderful", "always", "never", "very", "really", "make", "help",
    "people", "time", "world", "home", "water", "morning", "small", "large", "happy", "friend",
)  # fmt: skip
_BANS = 5
# Kinds of texts that often end by themselves within the limit.
_SHORT = ("headline", "paraphrase", "facts")
_SHORTEST = 5  # letters of a word that a formula requires


def main() -> None:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="all")
    parser.add_argument("--limit", type=int, help="the first so many prompts only")
    parser.add_argument("--max-new-tokens", type=int, default=80)
    arguments = parser.parse_args()
    lm = nl.load(arguments.model)
    settings: dict[str, Any] = {
        "max_new_tokens": arguments.max_new_tokens,
        "no_repeat_ngram_size": 0,  # that of beam search counts the prompt's n-grams, as in Hugging Face
        "batch_size": 8,
    }
    tasks = [task for task in read_tasks() if arguments.half in ("all", task.half) and task.kind in _SHORT]
    prompts = [prompt for task in tasks for prompt in (task.plain, task.naming)][: arguments.limit]
    free = lm.generate(prompts, decoder="beam", **settings)
    cases = [
        (prompt, result.text)
        for prompt, result in zip(prompts, free, strict=True)
        if result.ending == "end" and not result.marks
    ]
    print(f"{len(prompts)} prompts, {len(cases)} texts of beam search end by themselves and show no mark")
    for name, formulas, more in (
        ("bans only", [bans(text) for _, text in cases], {}),
        ("two required words, hint off", [required(text) for _, text in cases], {"hint": "off"}),
    ):
        ours = lm.generate([prompt for prompt, _ in cases], formulas, **settings, **more)
        same = [mine.text == text for mine, (_, text) in zip(ours, cases, strict=True)]
        print(f"{name}: {sum(same)} of {len(same)} texts are the same ({sum(same) / max(1, len(same)):.1%})")
        for is_same, mine, formula, (prompt, text) in zip(same, ours, formulas, cases, strict=True):
            if not is_same:
                print(f"  {prompt}\n    {formula}\n    beam {text!r}\n    ours {mine.text!r}")
                print(
                    f"    {mine.ending}, forced {mine.forced}, {' '.join(mark.kind for mark in mine.marks)}"
                )


def bans(text: str) -> Formula:
    """Return a formula that forbids words which the text does not have."""
    present = {word.casefold() for word in word_runs(text)}
    absent = [word for word in _COMMON if word not in present]
    return none_of(*random.Random(text).sample(absent, _BANS))


def required(text: str) -> Formula:
    """Return a formula that requires two words of the text, chosen by chance."""
    usable = (
        word for word in word_runs(text) if len(word) >= _SHORTEST and word.isalpha() and word.islower()
    )
    known = sorted(set(usable))
    return all_of(*random.Random(text).sample(known, min(2, len(known))))


if __name__ == "__main__":
    main()
