"""What was written for `force_words_ids`, for Sockeye or for fairseq, and what comes out here.

    python examples/migration.py --translation-model path/to/opus-mt-en-fr

Print the texts of docs/guides/migration.md, first with the default model and then, if given, with a
translation model from English to French. For each text, print whether it obeys and how many tokens were
forced.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import neurologic as nl
from neurologic.cli import main as command_line

FORMS = ["scream", "screams", "screaming", "screamed"]

SOCKEYE = """\
{"text": "The nurse helped the doctor.", "constraints": ["infirm@@ ier"], "avoid": ["docteur"]}
{"text": "Do you like your new job?", "constraints": ["vous"], "avoid": ["travail"], "text_id": "job"}
{"text": "The report was published on Monday.", "avoid": ["publié"]}
"""

FAIRSEQ = """\
The car is in front of the house.\tvéhicule\tmaison
The committee adopted the proposal.\tcomm@@ ission\tapprouvé

Good morning.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--translation-model", help="hub id or folder of an English–French model")
    arguments = parser.parse_args()
    lm = nl.load()
    one_of_several(lm)
    forbidden_words(lm)
    papers_constraints(lm)
    if arguments.translation_model is not None:
        translator = nl.load(arguments.translation_model)
        formal_address(translator)
        ids_of_the_wrong_side(translator)
        toolkit_files(arguments.translation_model)


def one_of_several(lm: Any) -> None:
    """A word and one of several others, for two inputs at once."""
    ids = lm.tokenizer([" scared", *(f" {form}" for form in FORMS)], add_special_tokens=False).input_ids
    formula = nl.from_force_words([ids[0], ids[1:]], tokenizer=lm.tokenizer)
    prompts = [
        "Write one sentence about soldiers who scream because they are scared.",
        "Write one sentence about a child who screams because it is scared.",
    ]
    print("\n# force_words_ids: scared, and a form of scream")
    for result in lm.generate(prompts, formula, max_new_tokens=40, no_repeat_ngram_size=2):
        show(result)
    for report in result.clauses:
        print(f"  {report.state.name} {report.text}, by {', '.join(report.by)}")


def forbidden_words(lm: Any) -> None:
    """A word forbidden by its ids comes back in other tokens; forbidden as text it does not."""
    ids = lm.tokenizer([" butter", "butter"], add_special_tokens=False).input_ids
    prompt = "Write one sentence about butter."
    for match in ("tokens", "word"):
        formula = nl.from_force_words(bad_words_ids=ids, tokenizer=lm.tokenizer, match=match, case="fold")
        print(f"\n# bad_words_ids of butter, match={match}")
        result = lm.generate(prompt, formula, max_new_tokens=32)
        show(result)
        print("  the word is in the text:", nl.occurs("butter", result.text))


def papers_constraints(lm: Any) -> None:
    """The paper's constraint files: on each line a list of clauses, each a list of phrases."""
    line = '[["dog", "dogs"], ["run", "runs", "ran", "running"], ["ball", "stick"]]'
    print("\n# the paper's lists of lists")
    show(lm.generate("Write one sentence about a dog on the beach.", json.loads(line), max_new_tokens=40))


def formal_address(lm: Any) -> None:
    """The formal address of Hugging Face's announcement, in French."""
    source = "Do you like your new job?"
    ids = lm.tokenizer(text_target=["vous"], add_special_tokens=False).input_ids
    print("\n# no constraint, force_words_ids of vous, and the same inside model.generate")
    show(lm.generate(source, None, num_beams=5, max_new_tokens=40))
    show(lm.generate(source, nl.from_force_words(ids), num_beams=5, max_new_tokens=40))
    inputs = lm.tokenizer([source], return_tensors="pt").to(lm.model.device)
    search = nl.decoder(lm.tokenizer, nl.from_force_words(constraints=[nl.PhrasalConstraint(ids[0])]))
    output = lm.model.generate(**inputs, custom_generate=search, num_beams=5, max_new_tokens=40)
    print(lm.tokenizer.decode(output[0], skip_special_tokens=True))
    ids = lm.tokenizer(text_target=["tu"], add_special_tokens=False).input_ids
    for match in ("tokens", "word"):
        formula = nl.from_force_words(ids, tokenizer=lm.tokenizer, match=match)
        print(f"\n# force_words_ids of tu, match={match}")
        show(lm.generate("How old are you?", formula, num_beams=5, max_new_tokens=40))


def ids_of_the_wrong_side(lm: Any) -> None:
    """A French word cut by the English side of the tokenizer: as text it is the same word."""
    ids = lm.tokenizer(["infirmier"], add_special_tokens=False).input_ids
    for match in ("tokens", "word"):
        formula = nl.from_force_words(ids, tokenizer=lm.tokenizer, match=match)
        print(f"\n# force_words_ids of infirmier without text_target, match={match}")
        show(lm.generate("The nurse helped the doctor.", formula, num_beams=5, max_new_tokens=40))


def toolkit_files(model: str) -> None:
    """Sockeye's and fairseq's input through the command line."""
    for name, lines in (("sockeye", SOCKEYE), ("fairseq", FAIRSEQ)):
        print(f"\n# --format {name}", flush=True)
        with TemporaryDirectory() as folder:
            source, target = Path(folder, "in"), Path(folder, "out.jsonl")
            source.write_text(lines, encoding="utf-8")
            command = ["generate", "-i", source, "--format", name, "-o", target]
            command_line([*map(str, command), "--model", model, "--max-new-tokens", "40"])
            for line in map(json.loads, target.read_text(encoding="utf-8").splitlines()):
                print(line.get("text", f"error: {line.get('error')}"))
            command_line(["check", "-i", str(target)])


def show(result: nl.Result) -> None:
    verdict = "obeys" if result.satisfied else f"unmet: {', '.join(result.unmet)}"
    print(f"{result.text}\n  {verdict}; {result.forced} forced", flush=True)


if __name__ == "__main__":
    main()
