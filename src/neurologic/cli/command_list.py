"""The commands by name. Modules are names here, not imports: the command line imports the one it needs."""

from __future__ import annotations

# By name: the module with `add_command`, and a line for `neurologic --help`.
COMMANDS = {
    "generate": ("neurologic.cli.generate", "write texts that obey a formula"),
    "translate": ("neurologic.cli.translate", "translate sentences with the terms of a glossary"),
    "explain": ("neurologic.cli.explain", "show a formula's clauses, contradictions and cost"),
    "check": ("neurologic.cli.check", "verify texts against constraints, without a model"),
    "serve": ("neurologic.cli.serve", "serve a model over HTTP, as OpenAI does"),
    "picture": ("neurologic.cli.picture", "show how a search found its text"),
    "cache": ("neurologic.cli.cache", "list or clear what is kept on disk between runs"),
    "compare": ("neurologic.experiments.commands.compare", "run several decoders on the same inputs"),
    "eval": ("neurologic.experiments.commands.eval", "run the paper's experiments and score the texts"),
    "bench": ("neurologic.experiments.commands.bench", "measure speed against Hugging Face's beam search"),
    "train": ("neurologic.experiments.commands.train", "train a model on a task's data"),
    "reproduce": ("neurologic.experiments.commands.reproduce", "run a whole experiment of the paper"),
}
