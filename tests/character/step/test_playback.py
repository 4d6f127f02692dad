"""Playback: time and the root lead to the same place in any steps, round loops and at the ends of clips."""

from types import SimpleNamespace

import numpy as np
import pytest

from kinematch.character import Crowd, Settings
from kinematch.character.database_source import DatabaseSource
from kinematch.character.step.playback import advance, find_rate
from kinematch.database.packing.pack import pack_database
from kinematch.database.table import EACH_ROW, empty_table
from kinematch.database.time_kernels import advance_time, measure_root_motion
from kinematch.motion.heading import yaw_of

from ..rigs import RIGS, make_database
from ..states import open_stages

LOOP = 3  # clip of rigs.make_database that loops


@pytest.fixture(scope="module", params=["plain", "packed"])
def source(request):
    database = make_database(RIGS["one leg"]())
    return DatabaseSource(pack_database(database, 1e-4).database if request.param == "packed" else database)


def travel(table, frame, fraction, steps):
    """Where steps of time lead: frame, fraction, x, z and yaw in the axes of the start."""
    x = z = yaw = 0.0
    for seconds in steps:
        after, part, rounds = advance_time(table, frame, fraction, seconds)
        dx, dz, turn = measure_root_motion(table, frame, fraction, after, part, rounds)
        x, z = x + np.cos(yaw) * dx + np.sin(yaw) * dz, z + np.cos(yaw) * dz - np.sin(yaw) * dx
        frame, fraction, yaw = after, part, yaw + turn
    return np.array([frame + fraction, x, z, yaw])


@pytest.mark.parametrize("clip", [0, LOOP])
def test_any_steps_lead_to_the_same_place(source, clip):
    start = int(source.poses.clip_starts[clip]) + 10
    ends = [travel(source.by_frame, start, 0.37, steps) for steps in ([2.4], [0.02] * 120, [1.1, 0.001, 1.299])]
    for end in ends[1:]:
        np.testing.assert_allclose(end, ends[0], atol=1e-6)
    assert np.hypot(*ends[0][1:3]) > 0.5


def test_the_way_of_the_root_is_that_of_its_clip(source):
    """From the poses themselves."""
    poses, clip = source.poses, 1
    start, stop = int(poses.clip_starts[clip]), int(poses.clip_stops[clip]) - 1
    frame, *way = travel(source.by_frame, start, 0.0, [1 / 100] * 1000)
    assert frame == stop  # time stands still there
    yaw = yaw_of(np.asarray(poses.rotations)[[start, stop], 0])
    x, _, z = np.asarray(poses.positions)[stop, 0] - np.asarray(poses.positions)[start, 0]
    own = np.cos(yaw[0]) * x - np.sin(yaw[0]) * z, np.cos(yaw[0]) * z + np.sin(yaw[0]) * x
    np.testing.assert_allclose(way[:2], own, atol=1e-4)
    np.testing.assert_allclose(np.exp(1j * way[2]), np.exp(1j * (yaw[1] - yaw[0])), atol=1e-4)


def test_a_loop_goes_on_round_after_round(source):
    poses, table = source.poses, source.by_frame
    start, count = int(poses.clip_starts[LOOP]), int(poses.clip_stops[LOOP] - poses.clip_starts[LOOP])
    once, thrice = (travel(table, start, 0.0, [rounds * count / poses.frame_rate]) for rounds in (1, 3))
    assert once[0] == pytest.approx(start, abs=1e-6)
    assert thrice[0] == pytest.approx(start, abs=1e-6)
    x = z = yaw = 0.0
    for _ in range(3):
        x, z = (
            x + np.cos(yaw) * once[1] + np.sin(yaw) * once[2],
            z + np.cos(yaw) * once[2] - np.sin(yaw) * once[1],
        )
        yaw += once[3]
    np.testing.assert_allclose(thrice[1:3], [x, z], atol=1e-6)
    np.testing.assert_allclose(np.exp(1j * thrice[3]), np.exp(1j * yaw), atol=1e-6)


def test_the_root_goes_on_across_the_seam_of_a_loop_as_it_does_inside_of_a_round(source):
    poses, table = source.poses, source.by_frame
    start, stop = int(poses.clip_starts[LOOP]), int(poses.clip_stops[LOOP])
    ways = []
    for frame in range(start, stop):
        after, part, rounds = advance_time(table, frame, 0.6, 1 / poses.frame_rate)
        ways.append(measure_root_motion(table, frame, 0.6, after, part, rounds))
    ways = np.array(ways)
    assert np.hypot(*ways[:, :2].T).min() > 1e-3
    changes = np.abs(np.diff(ways, axis=0, append=ways[:1])).max(axis=1)
    assert changes[-2:].max() < 3 * np.sort(changes[:-2])[-3]


def test_time_never_leads_out_of_a_clip(source):
    poses, table = source.poses, source.by_frame
    for frame in (0, int(poses.clip_stops[0]) - 1, int(poses.clip_starts[LOOP]) + 5):
        clip = int(poses.clip_of(np.array([frame]))[0])
        for seconds in (-100.0, -0.01, 0.0, 1e9, np.nan, np.inf):
            after, part, _ = advance_time(table, frame, 0.5, seconds)
            assert poses.clip_starts[clip] <= after < poses.clip_stops[clip]
            assert 0 <= part <= 1


def test_clips_play_towards_the_speed_of_the_body_within_the_change(database):
    crowd = Crowd(database, 1, settings=Settings(rate_change=0.25), compiled=False)
    data, _ = open_stages(crowd)
    source = crowd.runner.tables[0]
    walking = int(np.argmax(source.paces))
    pace = float(source.paces[walking])
    standing = int(np.argmin(source.paces))
    for speed, rate in ((pace, 1.0), (1.1 * pace, 1.1), (9.0, 1.25), (0.0, 0.75)):
        crowd.body.velocities[0] = [0.6 * speed, 5.0, -0.8 * speed]
        assert find_rate(data, source, 0, walking) == pytest.approx(rate)
        assert find_rate(data, source, 0, standing) == 1.0
    crowd.frames[0], crowd.fractions[0] = walking, 0.0
    advance(data, source, 0, 0.1)
    ahead = crowd.frames[0] + crowd.fractions[0] - walking
    assert ahead == pytest.approx(0.75 * 0.1 * database.poses.frame_rate, abs=1e-6)


def test_a_pose_of_a_users_source_plays_at_its_own_rate():
    """Its row says that it goes on, as loops do; only clips that loop follow their body's speed by themselves."""
    body, acting = SimpleNamespace(velocities=np.array([[0.0, 0.0, 3.0]])), SimpleNamespace(stretches=[-1])
    data = SimpleNamespace(settings=Settings(), body=body, acting=acting)
    row = empty_table()._replace(
        paces=np.ones(1, np.float32), loops=np.ones(1, bool), clip_of=np.zeros(1, np.int32), each=EACH_ROW
    )
    assert find_rate(data, row, 0, 0) == 1.0
    assert find_rate(data, row._replace(each=0), 0, 0) > 1.0
