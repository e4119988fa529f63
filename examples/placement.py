"""What a placement of the default model costs: seconds and memory for five constrained sentences.

    python examples/placement.py                            # float32
    python examples/placement.py --dtype bfloat16
    python examples/placement.py --dtype int8
    python examples/placement.py --engine llama.cpp         # pip install 'neurologic[llama-cpp]'

One thread, so that the seconds of processor time mean the same on a machine that does other things too. The
memory is the process's after the texts, Python and torch included. The divergence says how far the first
token's distribution is from float32's, in nats, after the worst of the five prompts.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import psutil
import torch

import neurologic as nl
from neurologic.generation.constrained_model import ConstrainedModel

CASES = {
    "Write one sentence about a dog in the park.": 'inflect(dog) & (frisbee | "flying disc") & !ball',
    "Write one sentence about the sea at night.": "sea & inflect(star) & !inflect(moon)",
    "Write one sentence about a walk in the rain.": "inflect(walk) & (!rain | umbrella)",
    "Write one sentence about a cook in a kitchen.": "inflect(cook) & soup & onion",
    "Write one sentence about winter.": "snow & inflect(child) & !cold",
}


def distributions(lm: ConstrainedModel) -> torch.Tensor:
    """Log-probabilities of the first token after each prompt, [prompts, vocabulary]."""
    text_model: Any = lm._loaded
    return torch.log_softmax(
        torch.cat([text_model.start([text_model.encode(prompt)]).logits for prompt in CASES]), dim=-1
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=("transformers", "llama.cpp"))
    parser.add_argument("--dtype", choices=("float32", "float16", "bfloat16", "int8"))
    parser.add_argument("--num-beams", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    given = {name: getattr(arguments, name) for name in ("engine", "dtype", "threads")}

    lm = nl.load(**{name: value for name, value in given.items() if value is not None})
    seconds, tokens = 0.0, 0
    for prompt, formula in CASES.items():
        started = time.process_time()
        result = lm.generate(prompt, formula, num_beams=arguments.num_beams, max_new_tokens=32)
        seconds += time.process_time() - started
        tokens += len(result.tokens)
        print(f"{'✓' if result.satisfied else '✗'} {result.text}", flush=True)
    memory = psutil.Process().memory_info().rss / 1e6
    here = distributions(lm)
    exact = distributions(nl.load(threads=arguments.threads))
    divergence = float((exact.exp() * (exact - here)).sum(dim=-1).max())
    print(
        f"{arguments.engine or arguments.dtype or 'float32'}: {seconds / len(CASES):.1f} s per text, "
        f"{tokens / seconds:.1f} tokens per second, {memory:.0f} MB, divergence {divergence:.4f}"
    )


if __name__ == "__main__":
    main()
