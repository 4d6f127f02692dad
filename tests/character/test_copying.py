"""Copies: a crowd that is copied, pickled or sent to another process steps bit for bit like the original."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.pose import Pose
from kinematch.control.command import follow_trajectory, move
from kinematch.control.trajectory import Trajectory
from kinematch.database.packing.pack import pack
from kinematch.database.storage import Database, load, save
from kinematch.errors import KinematchError
from kinematch.layers.reach_layer import ReachLayer
from kinematch.motion.clean.root import with_root
from kinematch.motion.clip import Clip
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.scene.terrain import HeightGrid
from kinematch.search import BoxMatcher, search_space

from .cyclic_walk import CyclicWalk

COUNT, DT = 3, 1 / 60
WALK = move(np.array([[0.0, 0, 1.3], [0.5, 0, 0.5], [0.0, 0, 0.0]]), filter="!run")
WAYS = {
    "copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "pickle 5": lambda one: pickle.loads(pickle.dumps(one, protocol=5)),
}  # fmt: skip


def search_boxes(database: Database) -> BoxMatcher:
    return BoxMatcher(search_space(database))


class Named(Crowd):
    """A user's own crowd."""

    def __init__(self, name, *given, **options):
        self.name = name
        super().__init__(*given, **options)


def make_crowd(kind: str, database: Database, body) -> Crowd:
    if kind == "plain":
        return Crowd(database, COUNT, settings=Settings(transition="dead", weights={"hips_velocity": 2.0}))
    if kind == "uncompiled":
        return Crowd(database, COUNT, compiled=False)
    if kind == "packed":
        return Crowd(pack(database), COUNT)
    if kind == "own source":
        return Crowd([database, CyclicWalk(database)], COUNT)
    if kind == "own matcher":
        return Crowd([database, database], COUNT, matcher=search_boxes)
    if kind == "subclass":
        return Named("walkers", database, COUNT, positions=np.eye(3), yaws=[0.0, 1.0, 2.0])
    hills = HeightGrid(np.random.default_rng(0).uniform(0, 0.2, (20, 20)), 0.5)
    if kind == "another body":
        return Crowd(database, COUNT, skeleton=body, terrain=hills)
    return Crowd(database, COUNT, layers=[ReachLayer(database.skeleton, targets=[0.3, 1.3, 0.6])], terrain=hills)


KINDS = ("plain", "uncompiled", "packed", "own source", "own matcher", "subclass", "another body", "layer, terrain")


def walk(crowd: Crowd, steps: int) -> list[Pose]:
    other = replace(WALK, source=np.arange(COUNT) % len(crowd.sources))
    return [crowd.step(WALK if step % 20 < 10 else other, DT) for step in range(steps)]


def check_same(one, two) -> None:
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_copied_crowd_steps_like_the_original_and_leaves_it_alone(kind, way, database, humanoid):
    crowd = make_crowd(kind, database, with_root(humanoid(3)))
    crowd.longest_step = 0.015
    walk(crowd, 25)
    before = crowd.state.copy()
    copied = WAYS[way](crowd)
    assert type(copied) is type(crowd)
    assert getattr(copied, "name", None) == getattr(crowd, "name", None)
    shown = walk(copied, 45)
    copied.settings = replace(copied.settings, quality=3.0)
    copied.start_over(np.zeros((COUNT, 3)), np.zeros(COUNT))
    check_same(crowd.state.arrays().values(), before.arrays().values())
    for pose, expected in zip(shown, walk(crowd, 45), strict=True):
        check_same(pose, expected)
    again = WAYS[way](crowd)
    for one in (again, crowd):
        one.start_over(np.zeros((COUNT, 3)), np.zeros(COUNT))
    check_same(again.state.arrays().values(), crowd.state.arrays().values())


def test_a_crowd_on_a_trajectory_is_copied_with_it(database):
    path = np.array([[[0.0, 0, 0], [0, 0, 1.3]]] * COUNT)
    crowd = Crowd(database, COUNT)
    command = follow_trajectory(Trajectory([0.0, 1.0], path, path + [0, 0, 1.0]))
    crowd.step(command, DT)
    for way in WAYS.values():
        copied = way(crowd)
        given = np.array([0.0, 0.5]), crowd.characters, np.zeros(COUNT)
        check_same(copied.predict(*given), crowd.predict(*given))


@pytest.fixture(scope="module")
def child():
    # unlike multiprocessing's own pool, this one fails where a child cannot unpickle what it is given
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def make_clip(database: Database) -> Clip:
    poses = database.poses
    return Clip(database.skeleton, poses.positions[:9], poses.rotations[:9], 30.0, "walk", frozenset({"a"}))


def find_arrays(one) -> dict[str, np.ndarray]:
    """All arrays of a record and of the records in it."""
    found = {}
    for name, value in vars(one).items():
        if hasattr(value, "dtype"):
            found[name] = value
        elif hasattr(value, "__dataclass_fields__"):
            found |= {f"{name}.{inner}": array for inner, array in find_arrays(value).items()}
    return found


@pytest.mark.parametrize("way", [*WAYS, "child"])
@pytest.mark.parametrize("kind", ["settings", "skeleton", "clip", "retargeting", "database", "packed", "from file"])
def test_records_are_copied_whole_and_stay_read_only(kind, way, database, humanoid, tmp_path, child):
    save(tmp_path / "small.kinematch", database)
    record = {
        "settings": lambda: Settings(quality=2.0, weights={"hips_velocity": 2.0}),
        "skeleton": lambda: database.skeleton,
        "clip": lambda: make_clip(database),
        "retargeting": lambda: Retargeting(database.skeleton, with_root(humanoid(3))),
        "database": lambda: replace(database), "packed": lambda: pack(database),
        "from file": lambda: load(tmp_path / "small.kinematch", mapped=True),
    }[kind]()  # fmt: skip
    copied = child.submit(copy.copy, record).result() if way == "child" else WAYS[way](record)
    assert type(copied) is type(record)
    if kind == "settings":
        assert copied == record
        with pytest.raises(TypeError):
            copied.weights["hips_velocity"] = 1.0
    arrays = find_arrays(record)
    assert find_arrays(copied).keys() == arrays.keys()
    for name, array in find_arrays(copied).items():
        np.testing.assert_array_equal(np.asarray(array), np.asarray(arrays[name]), err_msg=name)
        if isinstance(array, np.ndarray) and isinstance(arrays[name], np.ndarray):
            assert array.flags.writeable <= arrays[name].flags.writeable, name
    if isinstance(record, Database):
        assert copied.file == record.file
        assert (copied.filter, copied.about) == (record.filter, record.about)
        assert copied.features.weights == record.features.weights


@pytest.mark.parametrize("kind", ["plain", "packed", "layer, terrain"])
def test_a_crowd_steps_in_another_process_as_it_does_here(kind, database, child):
    crowd = make_crowd(kind, database, None)
    walk(crowd, 20)
    there = child.submit(Crowd.step, crowd, WALK, 0.8).result()
    back = child.submit(copy.copy, crowd).result()
    expected = crowd.step(WALK, 0.8)
    check_same(there, expected)
    check_same(back.step(WALK, 0.8), expected)


def test_a_database_of_a_file_is_pickled_by_its_name_while_the_file_is_the_same(database, tmp_path):
    path = tmp_path / "small.kinematch"
    save(path, database)
    opened = load(path)
    pickled = pickle.dumps(opened)
    assert len(pickled) < 1000
    save(path, replace(database, filter="walk"))
    with pytest.raises(KinematchError, match=r"small\.kinematch: has changed since.*dataclasses\.replace"):
        pickle.loads(pickled)
    path.unlink()
    with pytest.raises(KinematchError, match=r"small\.kinematch: cannot be opened any more.*dataclasses\.replace"):
        pickle.loads(pickled)
    by_arrays = pickle.loads(pickle.dumps(opened))  # what was opened is still whole
    np.testing.assert_array_equal(by_arrays.poses.rotations, opened.poses.rotations)


def test_a_copy_of_a_pose_to_write_to_is_refused_with_the_reason(database):
    crowd = Crowd(database, COUNT)
    pose = crowd.step(WALK, DT)
    for copied in (pose.copy(), pickle.loads(pickle.dumps(pose))):
        with pytest.raises(KinematchError, match="out is a copy of a pose"):
            crowd.step(WALK, DT, out=copied)
