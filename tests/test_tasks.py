"""Tasks: each is done once, in this process, in others, or on a cluster that loses a worker."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from kinematch import tasks
from kinematch.database.build import build
from kinematch.errors import KinematchError
from kinematch.files import write_clip
from kinematch.synth import motions, perform
from kinematch.tasks import KeptTask, Store, call, count_processes, run_tasks


def test_only_functions_of_this_package_are_called(tmp_path):
    with pytest.raises(KinematchError, match="no task of this package"):
        call("os:system", {}, tmp_path)


def test_processes_fit_into_the_memory_that_is_allowed(monkeypatch):
    monkeypatch.setattr(tasks.os, "cpu_count", lambda: 16)
    assert [count_processes(memory) for memory in (0, 400_000_000, 1_200_000_000, 10**12)] == [0, 0, 2, 15]


def test_results_used_longest_ago_go_first_and_those_in_use_stay(tmp_path, monkeypatch):
    store = Store(tmp_path, ".result")
    for number in range(4):
        store.place(str(number)).write_bytes(bytes(10))
        os.utime(store.place(str(number)), (number, number))
    os.utime(store.place("3"))
    monkeypatch.setattr(tasks, "MAX_FOLDER_BYTES", 20)
    store.remove_oldest()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2.result", "3.result"]
    monkeypatch.setattr(tasks, "MAX_FOLDER_BYTES", 0)
    store.remove_oldest()
    assert [path.name for path in tmp_path.iterdir()] == ["3.result"]


def test_a_cluster_without_ray_names_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    task = KeptTask("key", "kinematch.database.clean_files:clean_one", {})
    with pytest.raises(KinematchError, match=r"pip install 'kinematch\[scale\]'"):
        run_tasks([task], Store(tmp_path, ""), lambda *_: None, cluster="auto")


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_builds_the_bits_of_one_machine(tmp_path, monkeypatch, need_extra):
    need_extra("ray", "scale")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray.cluster_utils import Cluster

    for number in range(8):
        write_clip(tmp_path / f"{number}.bvh", perform(motions()[number], seed=[0, number]).clip.frames(0, 90))
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    recipe = tmp_path / "r.toml"
    recipe.write_text('[[source]]\nfiles = ["*.bvh"]\n[cleaning]\nmirror = true\n')
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "here"))
    alone = build(recipe)
    expected = alone.database
    Path(alone.path).unlink()
    monkeypatch.setenv("KINEMATCH_CACHE", str(tmp_path / "there"))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        workers = [cluster.add_node(num_cpus=1) for _ in range(2)]

        def kill_one(stage: str, done: int, total: int) -> None:
            if (stage, done) == ("clips", 2) and len(workers) == 2:
                cluster.remove_node(workers.pop(), allow_graceful=False)

        found = build(recipe, cluster=cluster.address, progress=kill_one)
        assert len(workers) == 1
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert found.warnings == alone.warnings
    assert "broken.bvh" in found.warnings[0]
    for name in ("positions", "rotations", "velocities", "contacts"):
        np.testing.assert_array_equal(getattr(found.database.poses, name), getattr(expected.poses, name))
    np.testing.assert_array_equal(found.database.features.values, expected.features.values)
