"""Silence transformers while it loads files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from transformers.utils import logging as transformers_logging


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Switch the progress bars and warnings of transformers off."""
    logging: Any = transformers_logging  # has no types
    verbosity = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
