"""Make sentences of CommonGen's concept sets by editing them, and show what it does to their perplexity.

    python examples/editing.py --data path/to/commongen --decoder cgmh

The default model sees four examples as chat turns. Prints for every set its keywords, the perplexity of the
bare keyword list (per token, end token included, after the same prompt), that of the edited sentence, their
ratio, the seconds of processor time and the sentences evaluated that it took, and the sentence.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import neurologic as nl
from neurologic.experiments.tasks import commongen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with commongen.SPLIT.src_alpha.txt")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--decoder", choices=("cgmh", "gradient"), default="cgmh")
    parser.add_argument("--edit-steps", type=int, help="edits that are tried for each sentence")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    steps = {} if arguments.edit_steps is None else {"edit_steps": arguments.edit_steps}

    lm = nl.load()
    ratios = []
    for concepts in commongen.read_concepts(arguments.data, arguments.split)[: arguments.limit]:
        before = perplexity_of_list(lm, concepts)
        started = time.process_time()
        result = lm.generate(
            commongen.conversation(concepts),
            nl.all_of(*map(nl.phrase, concepts)),
            decoder=arguments.decoder,
            max_new_tokens=commongen.SETTINGS["max_new_tokens"],
            seed=arguments.seed,
            **steps,
        )
        after = math.exp(-result.logprob / len(result.tokens))
        ratios.append(after / before)
        missing = "" if result.satisfied else f" (missing: {', '.join(result.unmet)})"
        print(
            f"{' '.join(concepts):28} {before:8.1f} {after:6.1f}  ×{after / before:.3f} "
            f"{time.process_time() - started:5.1f} s {result.calls:4} calls  {result.text}{missing}",
            flush=True,
        )
    print(f"{len(ratios)} texts; largest ratio {max(ratios):.3f}, mean {sum(ratios) / len(ratios):.3f}")


@torch.inference_mode()
def perplexity_of_list(lm: Any, concepts: Sequence[str]) -> float:
    """Of the keywords with spaces between them as an answer to the same prompt, by the model alone."""
    prompt = lm.tokenizer.apply_chat_template(
        commongen.conversation(concepts), add_generation_prompt=True, return_dict=False
    )
    answer = [*lm.tokenizer.encode(" ".join(concepts), add_special_tokens=False), lm.tokenizer.eos_token_id]
    logits = lm.model(torch.tensor([[*prompt, *answer]], device=lm.model.device)).logits[0]
    scores = torch.log_softmax(logits[-len(answer) - 1 : -1].float(), dim=-1)
    return math.exp(-scores[range(len(answer)), answer].mean())


if __name__ == "__main__":
    main()
