"""Translate English into French with the terms that a client wants instead of those the model prefers.

    python examples/terminology.py --model path/to/opus-mt-en-fr

    python examples/terminology.py --model path/to/opus-mt-en-fr --glossary examples/lease.tsv \\
        --sentences examples/lease.txt

For every sentence the formula requires a term, in any of its forms, and forbids what the model writes by
itself; with a glossary it is made of the terms that the sentence has. Prints a table of the sources, the
translations without and with the formula, and the verdicts; exits with 1 if a formula is not satisfied, or if
a translation without one is not that of Hugging Face's own beam search with the same settings, token for
token.

`--tsv FILE` takes other sentences, one a line: source ⇥ formula; `--sentences FILE` plain ones, for a
glossary.
To translate a file with a glossary and nothing else, there is `neurologic translate`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import torch
from transformers.utils import logging

import neurologic as nl
from neurologic.generation.constrained_model import ConstrainedModel
from neurologic.generation.result import Result
from neurologic.logic import ClauseState

# Source and formula. Forms of number and gender are alternatives: the sentence decides which one fits.
TERMS = (
    ("The tenant must pay the rent on the first day of each month.", "(preneur | preneuse) & !locataire"),
    ("The buyer may cancel the contract within fourteen days.", "(acquéreur | acquéreuse) & !acheteur"),
    ("The defendant appealed against the judgment.", "jugement & none(arrêt, décision)"),
    (
        "The patient was given a painkiller after the surgery.",
        "(antidouleur | antidouleurs) & none(analgésique, analgésiques)",
    ),
    ("The doctor prescribed an ointment for the rash.", 'onguent & none(pommade, pommades, "une onguent")'),
    (
        "The nurse measured the patient's blood pressure every morning.",
        '("tension artérielle" | tension) & !pression',
    ),
    (
        "The runner twisted her ankle during the race.",
        "(coureuse | coureuses) & none(coureur, coureurs, tordue)",
    ),
    ("Restart the computer to complete the update.", "(terminer | achever) & !compléter"),
    ("The developer fixed the bug in the login form.", "(bogue | bogues) & none(bug, bugs)"),
    (
        "Send me an email when the server is back online.",
        '(courriel | courriels) & none("e-mail", "e-mails", email, mail)',
    ),
    ("Leave the dough in the fridge for one hour.", "(frigo | frigidaire) & !réfrigérateur"),
    (
        "The team won the match thanks to a goal in the last minute.",
        "(rencontre | rencontres) & none(match, matches, matchs)",
    ),
    (
        "The coach replaced two players at half-time.",
        "(sélectionneur | sélectionneuse) & none(entraîneur, entraineur)",
    ),
    (
        "The company has hired fifty employees this year.",
        "(salarié | salariés | salariées) & none(employé, employés, employées)",
    ),
    (
        "The car must be taken to the garage for repair.",
        "(véhicule | véhicules) & none(voiture, voitures)",
    ),
    ("The shop opens at nine and closes at six.", "(magasin | magasins) & none(boutique, boutiques)"),
    ("The meeting has been postponed until next week.", "séance & none(réunion, rencontre)"),
    ("Parking is free for customers at weekends.", "(parking | parkings) & !stationnement"),
    (
        "The flight attendant asked the passengers to fasten their seat belts.",
        '("hôtesse de l\'air" | steward) & attacher & none(agent, agente, fixer)',
    ),
    ("The plumber repaired the leak under the sink.", "(lavabo | lavabos) & !évier"),
)


def read_terms(path: Path) -> tuple[tuple[str, str], ...]:
    """Sources and formulas of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple((source, formula) for source, formula in (line.split("\t") for line in lines if line))


def rows_of(arguments: argparse.Namespace) -> list[tuple[str, str, nl.Formula | None]]:
    """Sources with what the table says of their formulas, and the formulas."""
    if arguments.sentences is None:
        terms = read_terms(arguments.tsv) if arguments.tsv else TERMS
        return [(source, f"`{formula}`", nl.parse(formula)) for source, formula in terms]
    glossary = nl.Glossary.read(arguments.glossary)
    lines = arguments.sentences.read_text(encoding="utf-8").splitlines()
    return [
        (source, ", ".join(use.term.source for use in glossary.uses(source)), glossary.formula(source))
        for source in lines
        if source
    ]


@torch.inference_mode()
def hugging_face(lm: ConstrainedModel, source: str, settings: dict[str, Any]) -> tuple[int, ...]:
    """The tokens of `model.generate`, which come after the token that starts every translation."""
    inputs = lm.tokenizer(source, return_tensors="pt").to(lm.model.device)
    output = lm.model.generate(**inputs, do_sample=False, **settings)[0].tolist()
    return tuple(output[1:])


def table_row(source: str, terms: str, plain: Result, bound: Result) -> str:
    required = [clause for clause in bound.clauses if clause.state is ClauseState.S4]
    verdict = f"✓ {', '.join(clause.by[0] for clause in required)}"
    if not bound.satisfied:
        verdict = f"✗ {'; '.join(bound.unmet)}"
    if bound.forced:
        verdict += f" ({bound.forced} tokens forced)"
    cells = (source, terms, plain.text, bound.text, verdict)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="folder or hub id of an English–French model")
    parser.add_argument("--tsv", type=Path, help="other sentences and formulas")
    parser.add_argument("--sentences", type=Path, help="other sentences, for --glossary")
    parser.add_argument("--glossary", type=Path, help="terms for --sentences, as docs/guides/terminology.md")
    parser.add_argument("--num-beams", type=int, default=8)
    parser.add_argument("--max-new-tokens", type=int, default=64)
    parser.add_argument("--length-penalty", type=float, default=1.0)
    parser.add_argument("--alpha", type=int)
    parser.add_argument("--beta", type=int)
    parser.add_argument("--lambda", dest="lambda_", type=float)
    parser.add_argument("--threads", type=int, help="threads that torch may use")
    arguments = parser.parse_args()
    if (arguments.sentences is None) != (arguments.glossary is None):
        parser.error("--sentences and --glossary go together")
    settings = {name: getattr(arguments, name) for name in ("num_beams", "max_new_tokens", "length_penalty")}
    knobs = {name: getattr(arguments, name) for name in ("alpha", "beta", "lambda_")}
    knobs = {name: value for name, value in knobs.items() if value is not None}
    rows = rows_of(arguments)

    logging.set_verbosity_error()  # no word on max_new_tokens beside the config's own max_length
    lm = nl.load(arguments.model, threads=arguments.threads)
    satisfied = equal = 0
    print(f"| source | {'terms' if arguments.sentences else 'formula'} | without | with | verdict |")
    print("| --- | --- | --- | --- | --- |")
    for source, terms, formula in rows:
        plain = lm.generate(source, decoder="beam", **settings)
        bound = lm.generate(source, formula, **settings, **knobs)
        print(table_row(source, terms, plain, bound), flush=True)
        satisfied += bound.satisfied
        equal += plain.tokens == hugging_face(lm, source, settings)
    print(f"\n{satisfied} of {len(rows)} satisfied; without a formula {equal} equal Hugging Face's")
    sys.exit(not satisfied == equal == len(rows))


if __name__ == "__main__":
    main()
