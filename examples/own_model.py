"""A real model behind a wire: a server that scores texts over HTTP, and sentences that obey a formula.

    python examples/own_model.py                # server and client in one process

The server knows transformers and nothing of formulas; the client knows formulas, the tokenizer and an
address. Scores travel as 32-bit numbers, 197 kB per text and step with the default model's 49,152 tokens. The
server keeps no state, so every step reads whole texts; docs/guides/own_models.md says how to do better.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import neurologic as nl
from neurologic.models.default_model import default_model_folder

PROMPT = "Write one sentence about a dog that catches a frisbee in the park."
FORMULA = 'inflect(dog) & inflect(catch) & (frisbee | "flying disc") & !ball'


def service(folder: str) -> ThreadingHTTPServer:
    """A server that answers texts, lists of token ids, with the scores of what follows each."""
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            longest = max(map(len, texts))
            # Padding behind a text is seen by nothing before it.
            ids = torch.tensor([text + [0] * (longest - len(text)) for text in texts])
            with torch.inference_mode():
                logits = model(ids).logits[range(len(texts)), [len(text) - 1 for text in texts]]
            data = logits.numpy().astype("<f4").tobytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Answer)


class Client:
    """Asks a server for scores."""

    def __init__(self, address: str, size: int) -> None:
        self.address = address
        self.size = size
        self.calls = 0

    def score(self, texts: list[tuple[int, ...]]) -> np.ndarray:
        self.calls += 1
        with urlopen(Request(self.address, json.dumps(texts).encode()), timeout=60) as answer:
            return np.frombuffer(answer.read(), "<f4").reshape(len(texts), self.size)


def main() -> None:
    folder = str(default_model_folder())
    server = service(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    client = Client(f"http://127.0.0.1:{server.server_port}", len(tokenizer))
    lm = nl.wrap(nl.Scorer(client.score, nl.vocabulary(tokenizer)), tokenizer)
    result = lm.generate(PROMPT, FORMULA, num_beams=4, max_new_tokens=24)
    server.shutdown()
    print(result.text)
    print(f"{'satisfied' if result.satisfied else result.unmet}, {client.calls} calls")


if __name__ == "__main__":
    main()
