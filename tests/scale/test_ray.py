"""Runs on a real local cluster of three nodes: every row once, whatever dies on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import paths
from echo_model import EchoModel
from neurologic.errors import DataError
from neurologic.generation.constrained_model import ConstrainedModel

pytest.importorskip("ray.data", reason="the extra ray is not installed, or has no wheel for this Python")

import ray
from ray.cluster_utils import Cluster

from neurologic.scale import Generator
from neurologic.scale.ray_run import RayOptions, RayRun
from scale.sabotage import KILL_ONCE, MEMORY, POISON, SLOW, make

MANIFEST = {"model": "sabotaged"}
OPTIONS = {"model": make, "decoder": "greedy"}


@pytest.fixture(scope="module")
def cluster():
    """A head and two more nodes with a core each; workers find the tests' modules."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(paths.REPOSITORY / "tests"), *sys.path])
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    started = start_cluster()
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()
    os.environ.pop("PYTHONPATH")
    if before is not None:
        os.environ["PYTHONPATH"] = before


def start_cluster(attempts: int = 3) -> Cluster:
    """Start three nodes; a node of Ray gives up if its agents need more than 15 s, as on a busy machine."""
    for attempt in range(attempts):
        started = Cluster()
        try:
            for _ in range(3):
                started.add_node(num_cpus=1, include_dashboard=False)
            return started
        except Exception:
            started.shutdown()
            if attempt == attempts - 1:
                raise
    raise AssertionError


def write_input(path: Path, prompts: list[str]) -> list[dict]:
    rows = [{"id": f"r{number}", "prompt": prompt} for number, prompt in enumerate(prompts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def run(
    given: Path, output: Path, *, workers: int = 2, block_rows: int = 8, options=OPTIONS, **further
) -> list:
    """Run to the end; return the parts that this run wrote."""
    written = []
    RayRun(
        [str(given)],
        str(output),
        MANIFEST,
        options,
        RayOptions(workers=workers, threads=1, block_rows=block_rows),
        **further,
    ).run(lambda part, total, was_there: None if was_there else written.append(part))
    return written


def read_output(folder: Path) -> list[dict]:
    parts = sorted(folder.glob("part-*"))
    listed = json.loads((folder / "manifest.json").read_text())
    assert [part["name"] for part in listed["parts"]] == [part.name for part in parts]
    rows = []
    for part in parts:
        if part.suffix == ".parquet":
            import pyarrow.parquet

            rows += pyarrow.parquet.read_table(part).to_pylist()
        else:
            rows += [json.loads(line) for line in part.read_text().splitlines()]
    assert len(rows) == listed["rows"]
    return sorted(rows, key=lambda row: int(row["id"][1:]))


def single_process(prompts: list[str]) -> list[str]:
    lm = ConstrainedModel(EchoModel())
    return [result.text for result in lm.generate(prompts, decoder="greedy")]


def test_the_texts_are_those_of_one_process_and_the_next_run_writes_what_is_missing(cluster, tmp_path):
    prompts = [f"number {number}" for number in range(20)]
    given, output = tmp_path / "in.jsonl", tmp_path / "out"
    write_input(given, prompts[:12])
    first = run(given, output, workers=1)
    assert sorted(part.rows for part in first) == [4, 8]
    write_input(given, prompts)
    assert sum(part.rows for part in run(given, output, workers=3)) == 8
    rows = read_output(output)
    assert [row["text"] for row in rows] == single_process(prompts)
    assert [row["prompt"] for row in rows] == prompts
    assert run(given, output) == []
    with pytest.raises(DataError, match=r"model was \"sabotaged\" and is now \"another\".*--fresh"):
        RayRun([str(given)], str(output), {"model": "another"}, OPTIONS).run(lambda *_: None)
    write_input(given, prompts[:-1])
    with pytest.raises(DataError, match=r"1 rows of .* no longer in the input, or changed"):
        run(given, output)
    assert read_output(output) == rows


def test_whatever_a_row_does_the_others_are_written_as_if_it_were_not_there(cluster, tmp_path):
    """A worker killed once, a row that always kills it, one without memory, a slow one, and a lost node."""
    prompts = [f"number {number}" for number in range(24)]
    harm = {3: KILL_ONCE + str(tmp_path / "killed"), 9: POISON, 12: MEMORY, 17: SLOW}
    for place, prompt in harm.items():
        prompts[place] = prompt
    given, output = tmp_path / "in.jsonl", tmp_path / "out"
    write_input(given, prompts)
    node = cluster.add_node(num_cpus=1)

    def remove_node() -> None:
        while not (tmp_path / "killed").exists():
            time.sleep(0.05)
        cluster.remove_node(node, allow_graceful=False)

    remover = threading.Thread(target=remove_node)
    remover.start()
    run(given, output, workers=3, block_rows=4, suffix=".parquet", options={**OPTIONS, "max_time": 30})
    remover.join()
    rows = read_output(output)
    assert [row["id"] for row in rows] == [f"r{place}" for place in range(24)]
    assert rows[9]["error"] == "the worker died 2 times while it wrote this row"
    assert rows[12]["error"] == "MemoryError: no room"
    good = [place for place in range(24) if place not in (9, 12)]
    assert [rows[place]["error"] for place in good] == [None] * len(good)
    assert [rows[place]["text"] for place in good] == single_process([prompts[place] for place in good])
    assert not list(output.glob("attempts*"))


def test_a_driver_that_is_killed_is_followed_by_another(cluster, tmp_path):
    # Slow rows at the end leave time to kill the driver after its first part.
    prompts = [f"number {number}" for number in range(56)] + [SLOW] * 8
    given, output = tmp_path / "in.jsonl", tmp_path / "out"
    write_input(given, prompts)
    program = str(Path(__file__).with_name("driver.py"))
    argv = [sys.executable, program, cluster.address, str(given), str(output)]
    driver = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert driver.stdout is not None
    assert driver.stdout.readline().startswith(b"part-")
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    kept = {part.name: part.read_bytes() for part in output.glob("part-*")}
    assert 1 <= len(kept) < 8
    run(given, output)
    assert [row["text"] for row in read_output(output)] == single_process(prompts)
    assert all((output / name).read_bytes() == content for name, content in kept.items())


def test_a_pipeline_of_ones_own(cluster):
    rows = [{"prompt": f"number {number}", "note": number} for number in range(6)] + [
        {"prompt": None, "note": 6}
    ]
    written = (
        ray.data.from_items(rows, override_num_blocks=3)
        .map_batches(
            Generator,
            fn_constructor_kwargs=OPTIONS,
            compute=ray.data.ActorPoolStrategy(
                size=1, max_concurrent_calls_per_actor=2, enable_true_multi_threading=True
            ),
            batch_size=4,
        )
        .take_all()
    )
    written.sort(key=lambda row: row["note"])
    assert [row["text"] for row in written[:6]] == single_process([row["prompt"] for row in rows[:6]])
    assert [row["error"] is None for row in written] == [True] * 6 + [False]
    assert [row["note"] for row in written] == list(range(7))


def test_twice_the_same_id_is_refused(cluster, tmp_path):
    given = tmp_path / "in.jsonl"
    given.write_text('{"id": 1, "prompt": "a"}\n{"id": 1, "prompt": "b"}\n')
    with pytest.raises(DataError, match="1 id occurs more than once"):
        run(given, tmp_path / "out")
