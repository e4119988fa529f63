"""SPICE (Anderson et al., 2016) with its own Java program, with a CoreNLP that the user has fetched.

The program parses outputs and references into scene graphs and compares their tuples; the score is the mean F
over the inputs. It comes with pycocoevalcap, but without its parser, Stanford CoreNLP 3.6.0 (400 MB), which
this module never fetches, and it runs on Java 8 to 14 only. If any of these is missing, SPICE is n/a.

`NEUROLOGIC_CORENLP` names the folder with `stanford-corenlp-3.6.0.jar` and
`stanford-corenlp-3.6.0-models.jar`. By default it is pycocoevalcap's own, `pycocoevalcap/spice/lib`.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np

from neurologic.experiments.metrics import commongen_tokens
from neurologic.experiments.metrics.base import Corpus, Mean, Numbers
from neurologic.experiments.metrics.java_programs import Java, find_java
from neurologic.experiments.metrics.optional_packages import UnavailableError, package_file

_CORENLP = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")


@dataclass(frozen=True)
class Spice(Mean):
    """SPICE with rows (F, 1).

    timeout  seconds for the program; None for ten minutes and ten seconds per input
    """

    name: ClassVar[str] = "spice"
    title: ClassVar[str] = "SPICE"
    timeout: float | None = None

    def statistics(self, texts: Corpus) -> Numbers:
        program = package_file("pycocoevalcap", "spice/spice-1.0.jar")
        parser = _corenlp(program.parent / "lib")
        java = _old_java()
        timeout = 600 + 10 * len(texts) if self.timeout is None else self.timeout
        with TemporaryDirectory(prefix="neurologic-spice-") as folder:
            request, answer = Path(folder, "in.json"), Path(folder, "out.json")
            request.write_text(json.dumps(_request(texts)), encoding="ascii")
            path = os.pathsep.join(map(str, [program, *parser, program.parent / "lib" / "*"]))
            command = ["-Xmx8G", "-cp", path, "edu.anu.spice.SpiceScorer", str(request)]
            java.run([*command, "-out", str(answer), "-silent"], "", timeout, Path(folder))
            return _rows(answer, len(texts))

    def settings(self) -> str:
        return f"spice:1.0|corenlp:3.6.0|{commongen_tokens.signature()}"


def _request(texts: Corpus) -> list[dict[str, Any]]:
    inputs = zip(texts.output_tokens, texts.reference_tokens, strict=True)
    return [
        {"image_id": index, "test": " ".join(output), "refs": list(map(" ".join, references))}
        for index, (output, references) in enumerate(inputs)
    ]


def _rows(answer: Path, inputs: int) -> Numbers:
    """Return (F, 1) per input; F is null where neither text has any tuples, which counts as 0."""
    try:
        scored = json.loads(answer.read_text(encoding="utf-8"))
        by_index = {entry["image_id"]: entry["scores"]["All"]["f"] for entry in scored}
        values = [float(by_index[index] or 0) for index in range(inputs)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnavailableError(f"SPICE did not give a score for each of {inputs} inputs") from error
    return np.array([(0.0 if math.isnan(value) else value, 1.0) for value in values], dtype=np.float64)


def _corenlp(default: Path) -> list[Path]:
    """Return CoreNLP's two archives."""
    named = os.environ.get("NEUROLOGIC_CORENLP")
    folder = Path(named) if named else default
    missing = [name for name in _CORENLP if not (folder / name).is_file()]
    if not missing:
        return [folder / name for name in _CORENLP]
    if named:
        raise UnavailableError(f"{folder} (from NEUROLOGIC_CORENLP) has no {missing[0]}")
    raise UnavailableError(
        "SPICE needs Stanford CoreNLP 3.6.0, which is not part of any package: "
        f"fetch it and put the folder of {_CORENLP[0]} into NEUROLOGIC_CORENLP"
    )


def _old_java() -> Java:
    java = find_java()
    if not 8 <= java.version <= 14:
        raise UnavailableError(
            f"SPICE needs Java 8 to 14, and {java.program} is {java.version}: name another in NEUROLOGIC_JAVA"
        )
    return java
