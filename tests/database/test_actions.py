"""Actions and heights in a recipe and in a database."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinematch.database.actions import Actions, empty_actions
from kinematch.database.build import build
from kinematch.database.features import Feature
from kinematch.database.packing.pack import pack
from kinematch.database.recipe import parse_recipe
from kinematch.database.schema import FeatureSchema
from kinematch.database.storage import Database, load, save
from kinematch.errors import FileError, KinematchError
from kinematch.motion.clean.floor import floor_height, put_on_floor
from kinematch.motion.clean.ground import find_ground, find_lowest_floor
from kinematch.motion.clean.root import add_root
from kinematch.motion.kinematics import forward
from kinematch.synth.actions import list_actions, perform_action

LOCOMOTION = '[[source]]\nbuiltin = "locomotion"\nclips = ["idle", "walk_1.10"]\n'
ACTIONS = (
    '[[source]]\nbuiltin = "actions"\nclips = ["jump_1.2", "step_up_0.4", "sit"]\nground = "stances"\nmirror = true\n'
)
END = '[matching]\nfilter = "level0"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("actions")


@pytest.fixture(scope="module")
def database(folder: Path) -> Database:
    (folder / "both.toml").write_text(LOCOMOTION + ACTIONS + END)
    return build(folder / "both.toml").database


def clip_named(database: Database, name: str) -> slice:
    return database.poses.clip_frames(database.poses.clip_names.index(name))


def test_actions_are_listed_with_their_events_and_points(database: Database):
    actions = database.poses.actions
    assert actions.names == ("jump", "sit", "step_up")
    assert len(actions.stretches) == 6  # with mirror images
    assert [kind for kind, _ in actions.list_events(0)] == ["take-off", "landing"]
    step = next(k for k, stretch in enumerate(actions.stretches) if actions.names[stretch[0]] == "step_up")
    np.testing.assert_allclose(actions.points[actions.targets[step], 1], 0.4, atol=0.02)
    seat = next(k for k, stretch in enumerate(actions.stretches) if actions.names[stretch[0]] == "sit")
    np.testing.assert_allclose(actions.points[actions.targets[seat], 1], 0.45, atol=0.02)


def test_a_mirrored_action_has_its_point_on_the_other_side(database: Database):
    actions = database.poses.actions
    steps = [k for k, stretch in enumerate(actions.stretches) if actions.names[stretch[0]] == "step_up"]
    plain, mirrored = actions.points[actions.targets[steps]]
    assert abs(plain[0]) > 0.03
    np.testing.assert_allclose(mirrored, plain * [-1, 1, 1], atol=1e-4)


def test_a_search_without_a_filter_never_enters_an_action(database: Database):
    targets, tags = database.features.targets, database.poses.tags
    for name in database.poses.actions.names:
        assert tags.of(name).any()
        assert not targets[tags.of(name)].any()


def test_actions_leave_the_features_of_locomotion_as_they_are(database: Database, folder: Path):
    (folder / "alone.toml").write_text(LOCOMOTION + END)
    alone, count = build(folder / "alone.toml").database.features, 0
    count = alone.frame_count
    np.testing.assert_array_equal(database.features.offset, alone.offset)
    np.testing.assert_array_equal(database.features.scale, alone.scale)
    np.testing.assert_array_equal(database.features.values[:count], alone.values)
    np.testing.assert_array_equal(database.features.targets[:count], alone.targets)


def test_the_root_has_the_height_of_the_ground_that_it_stands_on(database: Database):
    poses = database.poses
    heights = poses.positions[clip_named(database, "step_up_0.4"), 0, 1]
    assert heights[0] == 0
    assert heights[-1] == pytest.approx(0.4, abs=0.02)
    assert (np.diff(heights) > -1e-6).all()
    for name in ("idle", "jump_1.2", "sit"):
        assert not poses.positions[clip_named(database, name), 0, 1].any(), name
    # the body is where it was: a foot that stands is at the height of its ground
    own = clip_named(database, "step_up_0.4")
    toes = [poses.skeleton.roles[f"{side}_toes"] for side in ("left", "right")]
    for frame in (own.start, own.stop - 1):
        place, _ = forward(poses.skeleton, poses.positions[[frame]], poses.rotations[[frame]])
        assert place[0, toes, 1].min() - poses.positions[frame, 0, 1] == pytest.approx(0.02, abs=0.03)
    assert poses.contacts[own.stop - 30 : own.stop].any()


def test_ground_of_level_motion_is_level():
    names = [motion.name for motion in list_actions()]
    for name in ("jump_run_3.6_0.42", "duck"):
        assert not find_ground(add_root(perform_action(names.index(name)))).any(), name


def test_future_heights_are_features_where_a_recipe_asks(database: Database):
    schema = FeatureSchema((Feature("trajectory_position", times=(0.5, 1.0), dimensions=3),))
    heights = schema.build(database.poses)[clip_named(database, "step_up_0.4")][:, [1, 4]]
    assert heights.max() == pytest.approx(0.4, abs=0.02)
    assert heights[:20].max() < 1e-3


def test_actions_are_saved_and_opened_plain_and_packed(database: Database, folder: Path, tmp_path: Path):
    (folder / "wave.toml").write_text('[[source]]\nbuiltin = "actions"\nclips = ["wave"]\n')
    for name, one in (("plain", database), ("packed", pack(build(folder / "wave.toml").database))):
        save(tmp_path / f"{name}.kinematch", one)
        opened = load(tmp_path / f"{name}.kinematch").poses.actions
        assert opened.names == one.poses.actions.names != ()
        for field in ("stretches", "targets", "events", "points"):
            np.testing.assert_array_equal(getattr(opened, field), getattr(one.poses.actions, field))


def test_a_database_of_locomotion_has_no_actions(database: Database, tmp_path: Path):
    save(tmp_path / "old.kinematch", Database(replace(database.poses, actions=empty_actions()), database.features))
    assert load(tmp_path / "old.kinematch").poses.actions.names == ()


@pytest.mark.parametrize(
    ("field", "place", "value"),
    [
        ("stretches", (0, 3), 10**6),
        ("stretches", (0, 0), 9),
        ("targets", 0, 99),
        ("events", (0, 0), 7),
        ("events", (0, 2), 0),
    ],
)
def test_actions_that_lead_nowhere_are_refused(database: Database, tmp_path: Path, field: str, place, value: int):
    actions = database.poses.actions
    array = getattr(actions, field).copy()
    array[place] = value
    with pytest.raises(KinematchError, match=r"action (stretch|event) 0"):
        replace(database.poses, actions=replace(actions, **{field: array}))
    broken = object.__new__(Actions)
    broken.__dict__.update({**actions.__dict__, field: array})
    poses = object.__new__(type(database.poses))
    poses.__dict__.update({**database.poses.__dict__, "actions": broken})
    save(tmp_path / "broken.kinematch", Database(poses, database.features))
    with pytest.raises(FileError, match=r"broken\.kinematch.*action"):
        load(tmp_path / "broken.kinematch")


ACTION = """\
[[source]]
files = ["a.bvh"]
[[source.action]]
name = "jump"
entry = [1.0, 1.4]
exit = 3.0
target = "landing"
events = [{ kind = "take-off", at = 1.6, joint = "left_toes" }, { kind = "landing", at = 2.0 }]
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("take-off", "takeoff", r"recipe\.toml:8.*source\[0\]\.action\[0\]\.events\[0\]\.kind.*take-off"),
        ("at = 1.6", "at = 2.6", "out of order"),
        ("exit = 3.0", "exit = 1.2", "must follow one another"),
        ('target = "landing"', 'target = "seat"', "no target event 'seat'"),
        ("at = 2.0", "at = 4.0", "expected between 1 and 3"),
        ('name = "jump"', 'nam = "jump"', "nam"),
    ],
)
def test_a_recipe_with_a_wrong_action_is_refused_with_its_place(old: str, new: str, message: str):
    assert parse_recipe(ACTION).source[0].action[0].to_action().find_target().time == 2.0
    with pytest.raises(FileError, match=message):
        parse_recipe(ACTION.replace(old, new))


def test_an_action_in_no_clip_is_a_warning(folder: Path):
    mark = '[[source.action]]\nname = "spin"\nentry = [500, 501]\nexit = 502\n'
    (folder / "none.toml").write_text('[[source]]\nbuiltin = "actions"\nclips = ["wave"]\n' + mark)
    assert build(folder / "none.toml").warnings[0] == "source[0].action[0] ('spin') lies in no clip of wave"


def test_a_clip_that_is_mostly_on_a_ledge_has_its_floor_below_it():
    clip = perform_action(next(k for k, one in enumerate(list_actions()) if one.name == "step_down_0.4"))
    lands = round(clip.actions[0].events[0].time * clip.frame_rate)
    short = clip.frames(0, lands + 15)
    assert floor_height(short) > 0.2  # of the ledge, or of a foot on its way down
    high = put_on_floor(short)
    assert floor_height(short) + find_lowest_floor(high, find_ground(high)) == pytest.approx(0.0, abs=0.03)
