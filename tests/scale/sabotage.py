"""A tiny real model whose prompts can do harm; workers of Ray load it by `make`."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from echo_model import EchoModel
from neurologic.generation.constrained_model import ConstrainedModel

POISON, MEMORY, SLOW, KILL_ONCE = "poison", "memory", "slow", "once "


class SabotagedModel(EchoModel):
    """A row may end its worker always or once, have no memory, or take long; others take a moment."""

    def encode(self, prompt: Any, raw: bool = False, **options: Any) -> Any:
        time.sleep(0.01)
        if prompt == POISON:
            os.kill(os.getpid(), signal.SIGKILL)
        if prompt == MEMORY:
            raise MemoryError("no room")
        if prompt == SLOW:
            time.sleep(0.5)
        if prompt.startswith(KILL_ONCE) and not (mark := Path(prompt.removeprefix(KILL_ONCE))).exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(prompt, raw, **options)


def make() -> ConstrainedModel:
    return ConstrainedModel(SabotagedModel())
