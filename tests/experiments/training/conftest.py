"""Tiny models on the disk, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.training.tiny import save_causal, save_encoder_decoder


@pytest.fixture(scope="session")
def causal_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_causal(tmp_path_factory.mktemp("causal"))


@pytest.fixture(scope="session")
def pair_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder_decoder(tmp_path_factory.mktemp("pair"))
