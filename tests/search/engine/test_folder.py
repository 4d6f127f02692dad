"""Databases for engines: a page of C++ answers the vectors to the bit, files are as described, folders are whole."""

import hashlib
import json
import shutil
import subprocess

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.database.storage import load
from kinematch.errors import FileError
from kinematch.math import quaternion, rotation
from kinematch.motion.kinematics import forward
from kinematch.search import WideMatcher, search_space
from kinematch.search.engine.folder import PAGES, export_engine


@pytest.fixture(scope="module")
def exported(built_of, tmp_path_factory):
    """A database with several tags and its folder."""
    built = built_of("idle", "walk_1.35", "run_2.6", "idle_level1", "walk_level1")
    folder = tmp_path_factory.mktemp("engine") / "card"
    assert main(["export", str(built.path), "-o", str(folder), "--to", "engine"]) == 0
    return load(built.path), folder


@pytest.fixture(scope="module")
def about(exported):
    return json.loads((exported[1] / "database.json").read_text())


def read(folder, about, name):
    one = about["arrays"][name]
    return np.fromfile(folder / one["file"], one["type"]).reshape(one["shape"])


def test_arrays_are_the_databases_own_and_their_checksums_hold(exported, about):
    database, folder = exported
    for name, own in {
        "positions": database.poses.positions,
        "rotations": database.poses.rotations,
        "features": database.features.values,
        "tags": database.poses.tags.frames,
        "parents": database.skeleton.parents,
        "feature_weights": database.features.column_weights(),
    }.items():
        np.testing.assert_array_equal(read(folder, about, name), own)
    whole = hashlib.sha256()
    for one in about["arrays"].values():
        digest = hashlib.sha256((folder / one["file"]).read_bytes())
        assert digest.hexdigest() == one["sha256"]
        assert len(one["axes"]) == len(one["shape"])
        whole.update(digest.digest())
    assert about["hash"] == whole.hexdigest()
    assert about["version"] == 2
    assert {path.name for path in folder.iterdir()} == {
        *PAGES, "database.json", "joints.txt", "clips.txt", "tags.txt", "filters.txt",
        *(one["file"] for one in about["arrays"].values()),
    }  # fmt: skip


def test_vectors_are_what_the_default_search_finds(exported, about):
    database, folder = exported
    matcher = WideMatcher(search_space(database))
    queries, current, which, bias, ignore, frames, costs = (
        read(folder, about, name)
        for name in (
            *("queries", "query_current", "query_filters", "query_stay_bias", "query_ignore"),
            *("found_frames", "found_costs"),
        )
    )
    filters = (folder / "filters.txt").read_text().splitlines()
    for n, query in enumerate(queries):
        found = matcher.find(
            query, [current[n]], filter=filters[which[n]], stay_bias=float(bias[n]), ignore=int(ignore[n])
        )
        assert (found.frames[0], found.costs[0]) == (frames[n], costs[n])
    # they try what a port may get wrong: jumps, staying, no answer, no current frame
    jumps = (frames >= 0) & (frames != current)
    for share in (
        jumps.mean(),
        ((frames == current) & (frames >= 0)).mean(),
        (frames < 0).mean(),
        (current < 0).mean(),
    ):
        assert 0.02 < share < 0.98


def test_the_page_of_cpp_answers_to_the_bit_and_notices_a_change(exported, tmp_path, need_program):
    compiler = need_program("g++")
    _, folder = exported
    program, changed = tmp_path / "check", tmp_path / "changed"
    options = ["-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    subprocess.run([compiler, *options, folder / "check.cpp", "-o", program], check=True)
    done = subprocess.run([program, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert " 0 differences" in done.stdout
    shutil.copytree(folder, changed)
    for name, wrong in (("tags", 1), ("cost_factor", 1), ("rotations", 1), ("targets", 2)):
        content = bytearray((folder / f"{name}.bin").read_bytes())
        content = content[:-1] if wrong == 2 else content[::-1]  # cut off, or another order
        (changed / f"{name}.bin").write_bytes(content)
        assert subprocess.run([program, changed], capture_output=True).returncode == wrong
        shutil.copy(folder / f"{name}.bin", changed)


def test_the_page_of_c_sharp_finds_the_same_frames_at_the_same_costs(exported, tmp_path, need_program):
    compiler, mono = need_program("mcs"), need_program("mono")
    _, folder = exported
    program = tmp_path / "check.exe"
    subprocess.run([compiler, f"-out:{program}", folder / "Kinematch.cs", folder / "Check.cs"], check=True)
    done = subprocess.run([mono, program, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "256 queries, 0 differences" in done.stdout
    changed = tmp_path / "changed"
    shutil.copytree(folder, changed)
    (changed / "cost_factor.bin").write_bytes((folder / "cost_factor.bin").read_bytes()[::-1])
    assert subprocess.run([mono, program, changed], capture_output=True).returncode == 1


@pytest.mark.parametrize("engine", ["unreal", "unity", "blender", "godot"])
def test_poses_in_the_axes_of_an_engine_stand_where_ours_do(exported, engine, tmp_path):
    database, ours = exported
    export_engine(database, tmp_path / "out", engine=engine)
    about = json.loads((tmp_path / "out" / "database.json").read_text())
    assert about["joints"][database.skeleton.roles["hips"]] == {"unreal": "pelvis", "blender": "hips"}.get(
        engine, "Hips"
    )
    x, y, z = np.moveaxis(read(ours, about, "pose_positions"), -1, 0)
    expected = {"unreal": (100 * z, -100 * x, 100 * y), "unity": (-x, y, z), "blender": (x, -z, y), "godot": (x, y, z)}
    frames = read(ours, about, "pose_frames")
    # composed from the turned local arrays alone, as an engine composes them
    positions, rotations = (read(tmp_path / "out", about, name)[frames] for name in ("positions", "rotations"))
    placed = forward(database.skeleton, positions, rotations)[0]
    scale = 100 if engine == "unreal" else 1
    np.testing.assert_allclose(placed, np.stack(expected[engine], axis=-1), atol=1e-4 * scale)
    # a velocity of a rotation turns with it: a small step along it leads towards the next frame
    spins = read(tmp_path / "out", about, "angular_velocities")
    all_turns = read(tmp_path / "out", about, "rotations")
    step = rotation.from_rotation_vector(spins[20:40] / database.poses.frame_rate)
    ahead = quaternion.multiply(step, all_turns[20:40])
    assert quaternion.angle(ahead, all_turns[21:41]).max() < 0.05
    np.testing.assert_array_equal(read(tmp_path / "out", about, "features"), read(ours, about, "features"))


def test_an_earlier_export_is_replaced_by_the_same_bytes_and_others_are_left_alone(exported, tmp_path):
    database, folder = exported
    again = tmp_path / "card"
    shutil.copytree(folder, again)
    export_engine(database, again)
    assert all((again / path.name).read_bytes() == path.read_bytes() for path in folder.iterdir())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.docx").write_text("mine")
    with pytest.raises(FileError, match="thesis"):
        export_engine(database, tmp_path / "mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card", "mine"]


def test_a_packed_database_is_exported_unpacked(exported, tmp_path):
    from kinematch.database.packing.pack import pack_database

    packed = pack_database(exported[0], 1e-4).database
    export_engine(packed, tmp_path / "out")
    about = json.loads((tmp_path / "out" / "database.json").read_text())
    np.testing.assert_allclose(read(tmp_path / "out", about, "positions"), exported[0].poses.positions, atol=1e-3)
    np.testing.assert_array_equal(read(tmp_path / "out", about, "features"), packed.features.values[:])
