"""All metrics together: their names, what is n/a, and texts that are out of the ordinary."""

import importlib
import importlib.util
from importlib import metadata

import pytest

from neurologic.experiments.metrics import METRICS, score

NAMES = ["rouge_l", "bleu_3", "bleu_4", "meteor", "cider", "spice", "coverage"]
WITHOUT_JAVA = [name for name in NAMES if name not in ("meteor", "spice")]


def test_names_in_the_order_of_the_paper_s_tables():
    assert list(METRICS) == NAMES
    assert [METRICS[name].title for name in NAMES] == [
        "ROUGE-L", "BLEU-3", "BLEU-4", "METEOR", "CIDEr", "SPICE", "Coverage",
    ]  # fmt: skip


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="'rouge' is not a metric; choose from rouge_l, bleu_3"):
        score(["a"], [["a"]], names=["rouge"])


@pytest.fixture
def without_packages(monkeypatch):
    """An environment without the extra, whatever is installed."""
    extra = {"spacy", "sacrebleu", "pycocoevalcap"}
    find, load, ask = importlib.util.find_spec, importlib.import_module, metadata.version

    def find_spec(name, *rest):
        return None if name.partition(".")[0] in extra else find(name, *rest)

    def import_module(name, *rest):
        if name.partition(".")[0] in extra:
            raise ImportError(name)
        return load(name, *rest)

    def version(name):
        if name in extra:
            raise metadata.PackageNotFoundError(name)
        return ask(name)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    monkeypatch.setattr(importlib, "import_module", import_module)
    monkeypatch.setattr(metadata, "version", version)
    importlib.import_module("neurologic.experiments.metrics.commongen_tokens")._rules.cache_clear()
    importlib.import_module("neurologic.experiments.metrics.rouge_words").base_forms.cache_clear()


@pytest.mark.usefixtures("without_packages")
def test_without_its_packages_a_metric_is_not_available_and_says_what_to_install():
    for found in score(["a dog", "b"], [["a dog"], ["b"]], [["dog"], ["b"]]):
        assert (found.value, found.per_input, found.signature) == (None, (), "")
        assert found.reason.endswith("is not installed: pip install 'neurologic-decoding[metrics]'")
        assert found.to_json()["value"] is None
        assert str(found) == f"{found.metric.title} n/a ({found.reason})"


def needs_packages():
    for package in ("spacy", "sacrebleu", "pycocoevalcap"):
        pytest.importorskip(package)


def test_odd_texts():
    needs_packages()
    odd = [
        "",
        " \n\r\t",
        "a\nb\n\nc",
        "\x00\x1b[31m",
        "🙂 👩‍👩‍👧",
        "||| |||",
        "\ud800",
        "x" * 20_000,
        "a " * 3000,
    ]
    references = [["A dog.", ""]] * len(odd)
    for found in score(odd, references, [["dog"]] * len(odd), WITHOUT_JAVA):
        assert found.reason == ""
        assert len(found.per_input) == len(odd)
        assert all(0 <= value <= 100 for value in [found.value, *found.per_input])


def test_a_single_input():
    needs_packages()
    scores = {
        found.name: found
        for found in score(["A dog runs far."], [["A dog runs far."]], [["dog"]], WITHOUT_JAVA)
    }
    assert scores.pop("cider").value is None
    assert {name: found.value for name, found in scores.items()} == pytest.approx(
        {"rouge_l": 100, "bleu_3": 100, "bleu_4": 100, "coverage": 100}
    )


def test_a_line_has_the_value_and_the_signature():
    needs_packages()
    (found,) = score(["A dog."], [["A dog."]], names=["rouge_l"])
    assert str(found) == f"ROUGE-L 100.0 ({found.signature})"
    assert found.to_json() == {"name": "rouge_l", "value": 100, "signature": found.signature}


def test_nothing_is_printed(capfd):
    needs_packages()
    score(["A dog .", "b"], [["A dog ."], ["b"]], [["dog"], ["b"]], WITHOUT_JAVA)
    assert capfd.readouterr() == ("", "")
