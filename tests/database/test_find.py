"""Finding clips: what is asked for is what is found, and likeness is that of a plain comparison of all frames."""

import numpy as np
import pytest

from kinematch.database.feature_database import build_features
from kinematch.database.find import Find, choose_frames, find_clips, list_clips, measure_likeness, parse_query
from kinematch.database.poses import ClipEntry, build_poses
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.database.storage import Database, open_on_disk, save
from kinematch.errors import KinematchError
from kinematch.motion.clean.contacts import contact_joints
from kinematch.motion.clean.root import add_root
from kinematch.synth import walk_along


def make_database(*walks) -> Database:
    clips = [add_root(walk_along(np.array(path, float), speed, name=name)) for name, path, speed in walks]
    joints = np.array(contact_joints(clips[0].skeleton), np.int32)
    entries = [
        ClipEntry(clip.with_(tags=frozenset({clip.name.split()[1]})), np.ones((clip.frame_count, len(joints)), bool))
        for clip in clips
    ]
    poses = build_poses(entries, joints)
    return Database(poses, build_features(poses, FeatureSchema(default_features()), warn=lambda _: None))


@pytest.fixture(scope="module")
def database() -> Database:
    line, bend = [[0, 0], [0, 6]], [[0, 0], [0, 3], [3, 4]]
    return make_database(
        ("slow line", line, 0.8), ("fast line", line, 1.5), ("slow bend", bend, 0.8), ("fast bend", bend, 1.5),
        ("slow line again", line, 0.8),
    )  # fmt: skip


def names(database, query):
    return [row.name for row in find_clips(parse_query(query), [database])]


def test_every_part_of_a_query_has_to_hold(database):
    assert names(database, "") == list(database.poses.clip_names)
    assert names(database, "FAST") == ["fast line", "fast bend"]
    assert names(database, "fast tag:bend") == ["fast bend"]
    speeds = {row.name: row.speed for row in list_clips(database.poses)}
    border = float(np.mean(list(speeds.values())))
    faster = [name for name, speed in speeds.items() if speed >= border]
    assert 0 < len(faster) < len(speeds)
    assert names(database, f"speed:{border}-") == faster
    assert names(database, f"speed:-{border} bend") == [one for one in ("slow bend", "fast bend") if one not in faster]
    assert names(database, "seconds:1000-") == []
    rows = {row.name: row.seconds for row in list_clips(database.poses)}
    assert names(database, f"seconds:{rows['fast line']:.3f}-{rows['fast line'] + 0.001:.3f} line") == ["fast line"]


def test_clips_held_twice_are_named_with_the_earlier_one(database):
    (row,) = find_clips(Find(same=True), [database])
    assert (row.name, row.same_as) == ("slow line again", ("slow line",))
    across = find_clips(Find(words=("bend",), same=True), [database, database])
    assert [(row.database, row.same_as) for row in across] == [(1, ("slow bend",)), (1, ("fast bend",))]


def test_likeness_is_the_mean_distance_of_frames_to_the_nearest_of_each_clip(database):
    frames = choose_frames(database.poses, 0)
    distance, at = measure_likeness(database, frames, database)
    values = database.features.weighted_values().astype(np.float64)
    for clip in range(database.poses.clip_count):
        own = values[database.poses.clip_frames(clip)]
        apart = np.linalg.norm(values[frames][:, None] - own[None], axis=-1)
        assert distance[clip] == pytest.approx(apart.min(axis=1).mean(), abs=2e-2)
        assert apart.min(axis=0)[at[clip]] == pytest.approx(apart.min(), abs=2e-2)
    assert distance[0] < 1e-2


def test_more_like_this_puts_the_most_similar_first_without_the_clip_itself(database):
    assert names(database, "like:slow") == names(database, 'like:"slow line"')  # the first whose name has the word
    found = find_clips(Find(like=("slow line", None)), [database])
    assert found[0].name == "slow line again"
    assert found[1].name in ("slow bend", "fast line")
    assert [row.distance for row in found] == sorted(row.distance for row in found)
    assert "slow line" not in [row.name for row in found]


def test_a_pose_is_found_at_its_time(database):
    (row,) = find_clips(Find(words=("again",), like=("slow line", 2.0)), [database])
    assert row.at == pytest.approx(2.0, abs=0.1)


def test_databases_on_disk_give_what_those_in_memory_do(database, tmp_path):
    save(tmp_path / "a.kinematch", database)
    on_disk = open_on_disk(tmp_path / "a.kinematch")
    for query in ("fast", "same", "like:fast"):
        assert find_clips(parse_query(query), [on_disk]) == find_clips(parse_query(query), [database])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("sped:1", "unknown key 'sped'|no key 'sped'"),
        ("speed:x", "expected a range such as"),
        ("speed:3-1", "3 is more than 1"),
        ("tag:wlak", "no tag 'wlak'"),
        ("like:nothing-like-it", "no clip"),
        ("like:slow@99", "has no frame at 99 s"),
        ("like:slow@x", "'x' is not a number"),
        ('like:"slow', "No closing quotation"),
    ],
)
def test_a_query_that_cannot_be_answered_names_what_is_wrong(database, query, message):
    with pytest.raises(KinematchError, match=message):
        names(database, query)
