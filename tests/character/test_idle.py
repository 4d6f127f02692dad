"""A character that stands switches to an idle clip, whatever the stop was like, and leaves it when told."""

from dataclasses import replace

import numpy as np
import pytest

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.control.command import Command
from kinematch.database.build import build
from kinematch.database.idle import ANY, IDLING, MOVING, find_search_terms
from kinematch.database.storage import Database
from kinematch.scene.terrain import HeightFunction

DT = 1 / 60
COUNT = 12


@pytest.fixture(scope="module")
def stopping(built_of) -> Database:
    """With clips that stand for a second or two between their moves."""
    clips = "idle", "idle_level[34]", "turn_in_place_level3", "starts_and_stops_*", "walk_turn_*_90", "stand_turn_*"
    return built_of(*clips).database


def walked_and_stopped(database: Database, seconds: float, filter: str = "level0") -> tuple[Crowd, np.ndarray]:
    """A crowd whose characters stop at different moments of their strides, and its jumps (T, N) after that."""
    crowd, stops = Crowd(database, COUNT), 90 + 7 * np.arange(COUNT)
    jumps = []
    for step in range(stops[-1] + round(seconds / DT)):
        speeds = np.where(step < stops, 1.35, 0.0)
        jumps.append(crowd.step(told(np.outer(speeds, [0, 0, 1]), filter=filter), DT).jumped)
    return crowd, np.array(jumps)


def told(velocities: np.ndarray, facing: float | None = None, filter: str = "level0") -> Command:
    facings = np.zeros_like(velocities)
    if facing is not None:
        facings[:] = np.sin(facing), 0, np.cos(facing)
    return Command(velocities, facings, filter)


def test_characters_begin_in_the_first_idle(stopping):
    targets = stopping.features.targets[stopping.poses.clip_frames(0)]
    assert stopping.poses.clip_names[0] == "idle"
    assert (Crowd(stopping, 3).frames == np.argmax(targets)).all()


def test_who_stops_settles_in_an_idle_and_stays_in_it(stopping):
    crowd, jumps = walked_and_stopped(stopping, 14)
    clips = {stopping.poses.clip_names[c] for c in stopping.poses.clip_of(crowd.frames)}
    assert clips == {"idle"}
    assert jumps[-600:].mean() / DT < 0.2  # a second; from the end of one stop to the next they make more than one


def test_who_stands_turns_and_walks_on_when_told(stopping):
    crowd, _ = walked_and_stopped(stopping, 5)
    for _ in range(120):
        crowd.step(told(np.zeros((COUNT, 3)), facing=np.pi / 2), DT)
    assert np.abs(crowd.root_yaws - np.pi / 2).max() < 0.3
    before = crowd.root_positions.copy()
    for _ in range(120):
        crowd.step(told(np.full((COUNT, 3), [1.35, 0, 0]), facing=np.pi / 2), DT)
    assert (crowd.root_positions - before)[:, 0].min() > 1.2


def test_an_explanation_is_of_the_search_as_it_was(stopping):
    crowd, _ = walked_and_stopped(stopping, 8)
    assert crowd.state.schedule.idle.all()
    idle = stopping.poses.tags.frames[:, stopping.poses.tags.names.index("idle")]
    assert all(idle[crowd.explain(n).frames].all() for n in range(COUNT))


def test_a_filter_is_narrowed_to_idles_or_to_all_but_these_where_that_leaves_any(stopping):
    def narrow(expression, mode, database=stopping):
        return find_search_terms(database, expression, mode, ignore=1.0)[0]

    assert narrow("", IDLING) == "idle"
    assert narrow("walk | level0", IDLING) == "(walk | level0) & idle"
    assert narrow("walk", IDLING) == "walk"
    assert narrow("walk | level0", MOVING) == "(walk | level0) & !idle"
    assert narrow("idle", MOVING) == "idle"
    assert narrow("walk | level0", ANY) == "walk | level0"
    tags = stopping.poses.tags
    others = replace(tags, names=tuple("stand" if name == "idle" else name for name in tags.names))
    untagged = replace(stopping, poses=replace(stopping.poses, tags=others))
    assert {narrow("level0", mode, untagged) for mode in (ANY, IDLING, MOVING)} == {"level0"}


def test_no_idle_frame_plays_while_movement_is_commanded(stopping):
    """Not at a speed either that the database has nothing near to."""
    crowd = Crowd(stopping, COUNT)
    speeds = np.linspace(0.15, 2.0, COUNT)
    velocities = speeds[:, None] * np.array([0.0, 0, 1])
    idle = stopping.poses.tags.of("idle")
    for step in range(240):
        crowd.step(told(velocities), DT)
        assert step < 30 or not idle[crowd.frames].any()


def test_each_filter_has_its_own_idle(stopping):
    crowd, clips = Crowd(stopping, COUNT), set()
    for step in range(480):
        crowd.step(told(np.zeros((COUNT, 3)), facing=0.5 + 0.2 * (step // 80), filter="level3"), DT)
        clips |= {stopping.poses.clip_names[c] for c in stopping.poses.clip_of(crowd.frames)}
    assert clips >= {"idle_level3", "turn_in_place_level3"}
    for _ in range(180):
        crowd.step(told(np.zeros((COUNT, 3)), facing=1.5, filter="level3"), DT)
    assert {stopping.poses.clip_names[c] for c in stopping.poses.clip_of(crowd.frames)} == {"idle_level3"}


def test_the_last_second_of_an_idle_is_not_played_for_ever(stopping):
    crowd, still = Crowd(stopping, COUNT), told(np.zeros((COUNT, 3)), filter="level4")
    for _ in range(120):
        crowd.step(still, DT)
    ways = []
    for _ in range(900):
        before = crowd.frames.copy()
        jumped = crowd.step(still, DT).jumped
        ways += np.abs(crowd.frames - before)[jumped].tolist()
    assert len(ways) >= COUNT  # its ten seconds are over
    assert min(ways) > 2.9 / DT


def test_who_has_settled_steps_over_with_one_foot_after_the_other(stopping):
    crowd, still = Crowd(stopping, 1), told(np.zeros((1, 3)))
    for _ in range(60):
        shown = crowd.step(still, DT)
    assert shown.locked.all()
    where = crowd.state.feet.places.copy()
    crowd.state.feet.places[0, :, 0] += [0.15, 0.25]  # as after a stop with feet apart
    held = []
    for _ in range(150):
        shown = crowd.step(still, DT)
        held.append(shown.locked[0].copy())
    assert np.any(held, axis=1).all()  # never both in the air
    assert not np.all(held, axis=0).any()  # yet each was
    assert shown.locked.all()
    assert np.linalg.norm((crowd.state.feet.places - where)[..., ::2], axis=-1).max() < 0.08


def test_a_short_idle_is_not_played_in_instants(tmp_path):
    idle = '[[source]]\nbuiltin = "locomotion"\nclips = ["idle"]\ntrim = [8.0, 10.5]\n'
    others = '[[source]]\nbuiltin = "locomotion"\nclips = ["starts_and_stops_walk"]\n'
    (tmp_path / "short.toml").write_text(idle + others)
    database, jumps = build(tmp_path / "short.toml").database, []
    crowd = Crowd(database, COUNT)
    for _ in range(600):
        jumps.append(crowd.step(told(np.zeros((COUNT, 3))), DT).jumped)
    assert np.mean(jumps) / DT < 0.8  # a second; who may go on anywhere makes more than two


def test_without_idles_nothing_changes(stopping):
    for expression in ("walk", "level0"):
        settings = Settings()
        narrow = find_search_terms(stopping, expression, IDLING, ignore=settings.ignore)
        assert (narrow == find_search_terms(stopping, expression, ANY, ignore=settings.ignore)) == (
            expression == "walk"
        )


def test_planted_feet_stand_on_high_steps(stopping):
    stairs = HeightFunction(lambda x, z: 0.25 * np.floor(np.clip(z, 0, 3) / 0.3))
    crowd, depths = Crowd(stopping, terrain=stairs), []
    toes = stopping.poses.contact_joints
    for _ in range(240):
        shown = crowd.step(told(np.array([[0, 0, 1.0]])), DT)
        lock = crowd.state.feet.places[0, :, 1] - shown.global_positions[0, toes, 1]
        depths += lock[shown.locked[0]].tolist()
    assert len(depths) > 50
    assert max(depths) < 0.03


def test_a_toe_that_cannot_be_reached_is_not_caught_and_freed_in_turn(stopping):
    drop = HeightFunction(lambda x, z: np.where(x > 0, 0.0, -0.3))  # under one foot
    crowd, locked = Crowd(stopping, terrain=drop), []
    for _ in range(240):
        locked.append(crowd.step(told(np.zeros((1, 3))), DT).locked[0].copy())
    assert crowd.state.schedule.idle[0]
    assert np.abs(np.diff(np.array(locked, int), axis=0)).sum() < 8


def test_nobody_steps_over_while_another_foot_is_in_the_air(stopping):
    crowd, still = Crowd(stopping, 1), told(np.zeros((1, 3)))
    for _ in range(60):
        crowd.step(still, DT)
    feet = crowd.state.feet
    feet.locked[0, 0], feet.refused[0, 0], feet.shortfalls[0, 0, 0] = False, True, 0.1  # out of the leg's reach
    feet.places[0, 1, 0] += 0.2
    assert crowd.step(still, DT).locked[0].tolist() == [False, True]


def test_nobody_counts_as_settled_where_no_search_would_tell(tmp_path):
    (tmp_path / "held.toml").write_text(
        '[[source]]\nbuiltin = "locomotion"\nclips = ["idle"]\n[[source.range]]\nno_exit = true\n'
    )
    crowd = Crowd(build(tmp_path / "held.toml").database, 2)
    crowd.state.schedule.idle[:] = True
    crowd.step(told(np.array([[0, 0, 1.35], [0, 0, 0]])), DT)
    assert not crowd.state.schedule.idle.any()
