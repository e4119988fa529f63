"""A model in a file or folder is known by its weights, not by its place."""

from neurologic.batches.model_identity import model_name


def test_a_model_in_a_folder_is_known_by_what_is_in_it(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "weights").write_bytes(bytes(5_000_000))
    (folder / "config.json").write_text("{}")
    first = model_name(str(folder))
    assert first.startswith("model#")
    renamed = folder.rename(tmp_path / "elsewhere")
    assert model_name(str(renamed)) == first.replace("model#", "elsewhere#")
    weights = bytearray(5_000_000)
    weights[2_500_000:2_600_000] = b"\1" * 100_000
    (renamed / "weights").write_bytes(weights)
    assert model_name(str(renamed)) != first.replace("model#", "elsewhere#")
    assert model_name("smollm2") == "smollm2"
    assert model_name(str(renamed / "weights")).startswith("weights#")
