"""Crowds: go where they are told, keep their pose at jumps, are hard to break and able to go back."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinematch.character import Command, Crowd, Settings
from kinematch.character.reason import Reason
from kinematch.character.step.project import find_frame
from kinematch.character.step.schedule import MIN_SEARCHES, SPARE
from kinematch.compile.lanes import round_up
from kinematch.control.command import move
from kinematch.errors import KinematchError
from kinematch.layers.clip_layer import ClipLayer
from kinematch.scene.terrain import HeightFunction
from kinematch.search import Matches, WideMatcher, search_space

DT = 1 / 60
TRANSITIONS = ["spring", "quintic", "dead", "none"]


def wandering(count: int, steps: int, seed: int = 0):
    """Commands of sticks that are pushed elsewhere now and then."""
    rng = np.random.default_rng(seed)
    velocities = np.zeros((count, 3))
    for step in range(steps):
        if step % 40 == 0:
            angles, speeds = rng.uniform(-np.pi, np.pi, count), rng.choice([0.0, 1.35, 2.6], count)
            velocities = np.stack([speeds * np.sin(angles), 0 * angles, speeds * np.cos(angles)], axis=1)
        yield move(velocities)


def played(crowd: Crowd, steps: int, seed: int = 0, dt: float = DT):
    return [crowd.step(command, dt) for command in wandering(crowd.count, steps, seed)]


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_a_restored_state_goes_on_bit_for_bit(database, transition):
    crowd = Crowd(database, 2, settings=Settings(transition=transition))
    played(crowd, 70)
    kept = crowd.state.copy()
    first = played(crowd, 30, seed=1)
    crowd.restore(kept)
    for a, b in zip(first, played(crowd, 30, seed=1)):
        for x, y in zip(a, b):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("transition", ["spring", "quintic", "dead"])
def test_at_the_moment_of_a_jump_the_shown_pose_does_not_change(database, transition):
    crowd = Crowd(database, 8, settings=Settings(transition=transition, foot_lock=False, pelvis=False))
    jumps = 0
    for command in wandering(8, 200):
        before = crowd.step(command, DT)
        crowd.state.schedule.since[:] = 1.0
        at_once = crowd.step(command, 0.0)
        jumps += at_once.jumped.sum()
        dots = abs((before.rotations.astype(float) * at_once.rotations).sum(axis=-1))
        assert dots.min() > 1 - 1e-6
        np.testing.assert_allclose(before.positions, at_once.positions, atol=1e-5)
    assert jumps > 20


@pytest.mark.parametrize("transition", ["spring", "quintic", "dead"])
@pytest.mark.parametrize("halflife", [0.02, 0.1, 1.0])
def test_offsets_never_grow_without_bound(database, transition, halflife):
    settings = Settings(transition=transition, transition_halflife=halflife, search_interval=0.02, stay_bias=0.0)
    crowd = Crowd(database, 6, settings=settings)
    for shown in played(crowd, 400):
        assert np.isfinite(shown.global_positions).all()
        heads = shown.global_positions[:, database.poses.skeleton.joint("head")]
        assert np.linalg.norm(heads - shown.positions[:, 0], axis=-1).max() < 2.5
    assert abs(crowd.state.offsets.rotations[:, :3]).max() < 2 * np.pi
    assert abs(crowd.state.offsets.positions[:, :3]).max() < 2


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_before_any_jump_the_clip_itself_is_shown(database, transition):
    settings = Settings(transition=transition, foot_lock=False, pelvis=False, search_interval=2.0)
    crowd = Crowd(database, settings=settings)
    crowd.state.schedule.commands[:] = 0  # as if it had searched
    crowd.state.schedule.filters[:] = 0
    shown = crowd.step(move([[0.0, 0, 0]]), 0.0)
    assert not shown.jumped[0]
    np.testing.assert_allclose(shown.rotations[0, 1:], database.poses.rotations[shown.frames[0], 1:], atol=1e-6)


@pytest.mark.parametrize("earlier", TRANSITIONS)
@pytest.mark.parametrize("later", TRANSITIONS[:3])
def test_another_kind_of_transition_may_be_chosen_in_the_midst_of_one_and_nothing_pops(database, earlier, later):
    crowd = Crowd(database, 6, settings=Settings(transition=earlier, foot_lock=False, pelvis=False))
    for step, command in enumerate(wandering(6, 130)):
        crowd.step(command, DT)
        if step in (47, 90, 129):
            command = replace(command, velocities=0 * command.velocities)
            crowd.state.schedule.since[:] = 0
            before = crowd.step(command, 0.0)
            crowd.settings = replace(crowd.settings, transition=later)
            crowd.state.schedule.since[:] = 0
            after = crowd.step(command, 0.0)
            assert not after.jumped.any()
            np.testing.assert_allclose(after.global_positions, before.global_positions, atol=2e-5)
            crowd.settings = replace(crowd.settings, transition=earlier)


@pytest.mark.parametrize("transition", TRANSITIONS)
@pytest.mark.parametrize("halflife", [0.05, 0.5])
def test_another_halflife_may_be_chosen_in_the_midst_of_a_transition_and_nothing_pops(database, transition, halflife):
    crowd = Crowd(database, 6, settings=Settings(transition=transition, foot_lock=False, pelvis=False))
    earlier, under_way = crowd.settings, 0
    for command in wandering(6, 60):
        crowd.step(command, DT)
        crowd.state.schedule.since[:] = 0
        before = crowd.step(replace(command, velocities=0 * command.velocities), 0.0)
        crowd.settings = replace(earlier, transition_halflife=halflife)
        crowd.state.schedule.since[:] = 0
        after = crowd.step(replace(command, velocities=0 * command.velocities), 0.0)
        crowd.settings = earlier
        if not after.jumped.any():
            under_way += (crowd.state.offsets.ages < earlier.transition_halflife).any()
            np.testing.assert_allclose(after.global_positions, before.global_positions, atol=2e-5)
    assert under_way > 3


def test_a_character_goes_where_it_is_told_and_stays_near_its_body(database):
    crowd = Crowd(database)
    for step in range(300):
        angle = 0.0 if step * DT < 2 else np.pi / 2
        shown = crowd.step(move([[1.35 * np.sin(angle), 0, 1.35 * np.cos(angle)]]), DT)
    assert shown.positions[0, 0, 2] > 1.5
    assert shown.positions[0, 0, 0] > 2.0
    assert np.linalg.norm(crowd.root_positions - crowd.body.positions) <= Settings().clamp_distance + 1e-9


def test_planted_feet_stand_still_when_locked(database):
    slides = {}
    for lock in (True, False):
        crowd = Crowd(database, 3, settings=Settings(foot_lock=lock))
        angles = np.array([0.0, 0.3, -0.5])  # off the clips' own ways, so that the root is adjusted
        walks = [
            move(1.2 * np.stack([np.sin(angles * t), 0 * angles, np.cos(angles * t)], 1)) for t in np.arange(300) * DT
        ]
        shown = [crowd.step(walk, DT) for walk in walks]
        toes = np.array([pose.global_positions[:, database.poses.contact_joints] for pose in shown])
        planted = np.array([pose.contacts for pose in shown])[1:]
        slides[lock] = (np.linalg.norm(np.diff(toes, axis=0), axis=-1) / DT)[planted].mean()
    assert slides[True] < 0.6 * slides[False]


def test_bones_keep_their_length_and_knees_their_side(database):
    skeleton = database.poses.skeleton
    lengths = np.linalg.norm(database.poses.positions[0], axis=-1)
    for shown in played(Crowd(database, 8, settings=Settings(clamp_distance=0.1)), 300):
        found = np.linalg.norm(np.diff(shown.global_positions[:, [skeleton.parents, range(23)]], axis=1)[:, 0], axis=-1)
        hips = int(np.flatnonzero(np.asarray(skeleton.parents) == 0)[0])
        np.testing.assert_allclose(found[:, hips + 1 :], np.tile(lengths[hips + 1 :], (8, 1)), atol=1e-4)
        for side in ("left", "right"):
            upper, lower = skeleton.joint(f"{side}_upper_leg"), skeleton.joint(f"{side}_lower_leg")
            foot = skeleton.joint(f"{side}_foot")
            p = shown.global_positions
            ahead = p[:, lower] - (p[:, upper] + p[:, foot]) / 2  # from the line of hip and ankle to the knee
            toes = p[:, skeleton.joint(f"{side}_toes")] - p[:, foot]
            assert ((ahead * toes).sum(axis=-1) > -0.02).all()


def test_steps_of_any_length_lead_to_the_same_pose_while_no_choice_is_made(database):
    settings = Settings(search_interval=2.0, velocity_change=10, facing_change=4, foot_lock=False, pelvis=False)
    command, ends = move([[0.0, 0, 1.35]]), []
    for rate in (20, 60, 500):
        crowd = Crowd(database, settings=settings)
        for _ in range(rate // 2):
            shown = crowd.step(command, 1 / rate)
        ends.append(shown)
    for other in ends[1:]:
        np.testing.assert_allclose(other.global_positions, ends[0].global_positions, atol=5e-3)
        dots = abs((other.global_rotations.astype(float) * ends[0].global_rotations).sum(axis=-1))
        assert np.degrees(2 * np.arccos(np.minimum(dots, 1))).max() < 1


def test_planted_toes_come_to_rest_alike_at_any_rate(database):
    settings = Settings(search_interval=2.0, velocity_change=10, facing_change=4)
    angles, slides = np.linspace(-0.6, 0.6, 8), []
    command = move(1.35 * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], 1))
    for often in (1, 2, 8):  # times 60 Hz
        crowd = Crowd(database, 8, settings=settings)
        crowd.state.schedule.since[:] = settings.search_interval  # all choose at the same moments
        shown = [[crowd.step(command, DT / often) for _ in range(often)][-1] for _ in range(360)]
        toes = np.array([pose.global_positions[:, database.poses.contact_joints] for pose in shown])[..., [0, 2]]
        locked = np.array([pose.locked for pose in shown])
        slides.append(np.linalg.norm(np.diff(toes, axis=0), axis=-1)[locked[1:] & locked[:-1]].mean())
    np.testing.assert_allclose(slides[1:], slides[0], rtol=0.05)


def test_root_motion_adds_up_to_the_way_gone(database):
    crowd = Crowd(database, 3)
    shown = played(crowd, 100)
    shown.append(crowd.step(move(np.tile([0.0, 0, 1.0], (3, 1))), 0.35))  # longer than a piece
    np.testing.assert_allclose(sum(one.displacements for one in shown), crowd.root_positions, atol=1e-9)


def test_a_crowd_too_large_for_a_pose_is_refused_before_memory_is_taken(database):
    with pytest.raises(KinematchError, match="expected at most 1587201 of 23 joints"):
        Crowd(database, 3_000_000)


def test_a_long_pause_is_survived(database):
    crowd = Crowd(database)
    crowd.step(move([[0, 0, 1.35]]), DT)
    for pause in (7.0, 1000.0):
        assert np.isfinite(crowd.step(move([[0, 0, 1.35]]), pause).global_positions).all()


def test_why_a_search_was_made_is_told(database):
    crowd = Crowd(database, settings=Settings(search_interval=0.5, forced_interval=0.1))
    reasons = [Reason(crowd.step(move([[0, 0, 1.35]]), DT).reasons[0]) for _ in range(60)]
    assert reasons[0] == Reason.FIRST
    assert Reason.INTERVAL in reasons
    for _ in range(10):
        crowd.step(move([[0, 0, 1.35]]), DT)
    assert crowd.step(move([[0, 0, 3.0]]), DT).reasons[0] in (Reason.VELOCITY, Reason.INTERVAL)
    explained = crowd.explain()
    assert explained.chosen >= -1
    assert len(explained.frames) == 5


def test_a_step_that_is_split_tells_why_it_searched_last(database):
    crowd = Crowd(database, settings=Settings(search_interval=0.05))
    assert crowd.step(move([[0, 0, 1.35]]), 0.2).reasons[0] == Reason.INTERVAL  # the first was long ago


def test_sharp_commands_of_many_wait_their_turn(database):
    crowd = Crowd(database, 300, settings=Settings(search_interval=1.0))
    counts = []
    for step in range(30):
        speed = 1.35 if step < 15 else -1.35
        counts.append(int(crowd.step(move(np.tile([0.0, 0, speed], (300, 1))), DT).searched.sum()))
    assert max(counts) <= MIN_SEARCHES
    assert sum(counts) >= 590


def test_characters_change_database_and_filter_and_keep_their_pose(database):
    crowd = Crowd([database, database], 2, settings=Settings(foot_lock=False, pelvis=False))
    walk = move(np.tile([0.0, 0, 1.35], (2, 1)))
    for _ in range(60):
        crowd.step(walk, DT)
    before = crowd.step(walk, 0.0)
    after = crowd.step(replace(walk, source=[0, 1]), 0.0)
    assert after.sources.tolist() == [0, 1]
    assert after.reasons[1] == Reason.SOURCE
    assert abs((before.rotations.astype(float) * after.rotations).sum(axis=-1)).min() > 1 - 1e-5
    for _ in range(20):
        idle = crowd.step(replace(walk, filter=["walk", "idle"]), DT)
    tags, poses = database.poses.tags, database.poses
    assert tags.frames[idle.frames[1], tags.names.index("idle")], poses.clip_names[poses.clip_of(idle.frames[1])]


def test_databases_in_which_other_joints_move_share_what_transitions_remember(database):
    poses = database.poses
    positions = np.array(poses.positions)
    positions[:, 5:, 1] += np.linspace(0, 0.02, poses.frame_count, dtype=np.float32)[:, None]  # bones that stretch
    stretching = replace(database, poses=replace(poses, positions=positions))
    crowd = Crowd([database, stretching], 2)
    assert crowd.state.offsets.positions.shape[2] == round_up(poses.skeleton.joint_count - 4)
    for step in range(60):
        command = move(np.tile([0.0, 0, 1.35], (2, 1)))
        assert np.isfinite(crowd.step(replace(command, source=step // 10 % 2), DT).global_positions).all()


def test_a_layer_owns_its_joints(database):
    crowd = Crowd(database, 2)
    joints = database.poses.skeleton.joint_count
    arm = database.poses.skeleton.joint("left_upper_arm")
    rotations, weights = np.zeros((2, joints, 4)), np.zeros((2, joints))
    rotations[..., 0] = 1
    weights[1, arm] = 1
    crowd.layers = [ClipLayer(rotations, weights)]
    shown = crowd.step(move(np.zeros((2, 3))), DT)
    np.testing.assert_allclose(shown.rotations[1, arm], [1, 0, 0, 0], atol=1e-6)
    assert abs(shown.rotations[0, arm, 0]) < 0.999
    crowd.layers = [ClipLayer(rotations[:1], weights)]
    with pytest.raises(KinematchError, match="layer"):
        crowd.step(move(np.zeros((2, 3))), DT)


def test_feet_and_root_follow_a_slope(database):
    slope = HeightFunction(lambda x, z: 0.3 * z)
    crowd = Crowd(database, terrain=slope)
    for _ in range(240):
        shown = crowd.step(move([[0, 0, 1.35]]), DT)
        toes = shown.global_positions[0, database.poses.contact_joints].astype(float)
        assert (toes[:, 1] - slope.heights(toes[:, [0, 2]]) > -0.025).all()  # who looks under the toe alone has 4 cm
    assert crowd.root_positions[0, 2] > 3
    np.testing.assert_allclose(crowd.root_positions[0, 1], 0.3 * crowd.root_positions[0, 2], atol=0.08)


def test_a_teleported_character_stands_elsewhere(database):
    crowd = Crowd(database, 2)
    played(crowd, 30)
    crowd.teleport(np.array([[10.0, 0, 5.0]]), np.array([1.0]), np.array([1]))
    shown = crowd.step(move(np.zeros((2, 3))), DT)
    assert np.linalg.norm(shown.positions[1, 0] - [10, 0, 5]) < 0.1
    assert np.linalg.norm(shown.positions[0, 0]) < 2


@pytest.mark.parametrize(
    ("command", "dt", "words"),
    [
        (move(np.zeros((2, 3))), DT, "shape"),
        (move(np.full((1, 3), np.nan)), DT, "nan"),
        (move(np.zeros((1, 3))), -1.0, "step of -1"),
        (move(np.zeros((1, 3))), np.nan, "step of nan"),
        (Command(np.zeros((1, 3)), np.zeros((1, 3)), source=3), DT, "sources 3 to 3"),
        (Command(np.zeros((1, 3)), np.zeros((1, 3)), filter="nosuchtag"), DT, "nosuchtag"),
    ],
)
def test_bad_commands_are_refused(database, command, dt, words):
    with pytest.raises(KinematchError, match=words):
        Crowd(database).step(command, dt)


def test_bad_settings_are_refused():
    with pytest.raises(KinematchError, match="search_interval is 0"):
        Settings(search_interval=0)
    with pytest.raises(KinematchError, match="quintic"):
        Settings(transition="quintik")  # type: ignore[arg-type]


def test_a_result_of_another_size_is_not_written_over(database):
    crowd, other = Crowd(database, 3), Crowd(database, 2)
    command = Command(np.zeros((3, 3)), np.zeros((3, 3)))
    small = other.step(Command(np.zeros((2, 3)), np.zeros((2, 3))), DT)
    with pytest.raises(KinematchError, match=r"positions is float32 \(2, .*expected float32 \(3, "):
        crowd.step(command, DT, out=small)
    shown = crowd.step(command, DT)
    assert crowd.step(command, DT, out=shown) is shown


def test_searches_are_spread_evenly_over_steps_from_the_first_on(database):
    count, steps = 600, 60
    crowd = Crowd(database, count, settings=Settings(search_interval=0.1))
    still = move(np.zeros((count, 3)))
    searches = np.array([crowd.step(still, DT).searched.sum() for _ in range(steps)])
    mean = count * DT / 0.1
    assert searches.max() <= np.ceil(SPARE * mean)
    assert searches[10:].min() > 0.75 * mean
    # told anew all at once they have to queue, and none waits for longer than a round
    turned = move(np.tile([0.0, 0.0, 1.3], (count, 1)))
    searched = np.array([crowd.step(turned, DT).searched for _ in range(12)])
    assert searched.sum(axis=1).max() <= np.ceil(SPARE * mean)
    assert searched[:7].any(axis=0).all()


def test_numbers_written_into_the_state_never_lead_out_of_the_database(database):
    crowd = Crowd(database, 3, settings=Settings(rate_change=0.1))
    crowd.frames[:] = [10**9, -5, 7]
    shown = played(crowd, 5)[-1]
    assert ((shown.frames >= 0) & (shown.frames < database.poses.frame_count)).all()
    assert np.isfinite(shown.global_positions).all()
    state = crowd.state.copy()
    state.playing.sources[1] = 4
    with pytest.raises(KinematchError, match="sources 0 to 4 of 1"):
        crowd.restore(state)


def test_a_state_may_be_set_and_one_that_does_not_fit_changes_nothing(database):
    crowd = Crowd(database, 2)
    played(crowd, 5)
    kept = crowd.state.copy()
    wanted = played(crowd, 3)[-1].global_positions.copy()
    crowd.state = kept
    np.testing.assert_array_equal(played(crowd, 3)[-1].global_positions, wanted)
    before = crowd.state.copy()
    broken = kept._replace(feet=kept.feet._replace(pelvis=np.zeros(2)))
    for other in (Crowd(database, 5).state, broken):
        with pytest.raises(KinematchError, match=r"5 characters|feet.pelvis is float64 \(2,\)"):
            crowd.state = other
    for name, array in crowd.state.arrays().items():
        np.testing.assert_array_equal(array, before.arrays()[name])


@pytest.mark.parametrize(
    ("place", "yaw"), [([np.nan, 0, 0], 0.0), ([0, 0, 1e30], 0.0), ([0, 0, 0], np.inf), ([0, 0], 0.0)]
)
def test_nobody_is_put_where_nobody_can_be(database, place, yaw):
    crowd = Crowd(database, 1)
    with pytest.raises(KinematchError, match="positions"):
        crowd.teleport(np.array([place]), np.array([yaw]))
    with pytest.raises(KinematchError, match="positions"):
        Crowd(database, 1, positions=np.array([place]), yaws=np.array([yaw]))


def test_ground_and_layers_that_are_none_are_refused_and_leave_no_trace(database):
    crowd = Crowd(database, 1, terrain=HeightFunction(lambda x, z: np.where(z > 0.2, np.nan, 0.0)))
    with pytest.raises(KinematchError, match=r"terrain: (heights|normals) at x, z = .* are .*nan"):
        played(crowd, 200)
    crowd = Crowd(database, 1)
    joints = database.poses.skeleton.joint_count
    crowd.layers = [ClipLayer(np.zeros((1, joints, 4)), np.ones((1, joints)))]
    with pytest.raises(KinematchError, match="the layer owns joint 1 of character 0"):
        crowd.step(next(wandering(1, 1)), DT)
    crowd.layers = []
    assert np.isfinite(played(crowd, 3)[-1].global_positions).all()


def test_a_matcher_that_finds_what_is_not_there_is_refused(database):
    class Wrong:
        def __init__(self, space):
            self.space, self.right = space, WideMatcher(space)

        def set_weights(self, weights):
            pass

        def find(self, queries, current=None, **options):
            found = self.right.find(queries, current, **options)
            return found if current is None else Matches(found.frames + 10**8, found.costs)

    crowd = Crowd(database, matcher=lambda one: Wrong(search_space(one)))
    with pytest.raises(KinematchError, match="Wrong found frame 1"):
        played(crowd, 3)


@pytest.mark.parametrize("compiled", [True, False])
def test_nobody_goes_back_at_once_to_where_a_jump_left(database, compiled):
    class ToAndFro(WideMatcher):
        """Offers two moments by turns, as a clip and its mirror image may."""

        def find(self, queries, current=None, **options):
            there = np.where(abs(current - first - 30) < 60, second + 30, first + 30)
            return Matches(there.astype(np.int32), np.zeros(len(queries), np.float32))

    starts = database.poses.clip_starts
    first, second = (starts[database.poses.clip_names.index(name)] for name in ("walk_1.35", "run_2.6"))
    crowd = Crowd(database, matcher=lambda one: ToAndFro(search_space(one)), compiled=compiled)
    jumps = [pose.jumped[0] for pose in played(crowd, 120)]
    apart = np.diff(np.flatnonzero(jumps)) * DT
    assert len(apart) >= 3
    assert (apart[1:] > 0.5).all()  # before the second jump there is no way back


def test_who_starts_over_is_as_good_as_new(database):
    crowd = Crowd(database, 2)
    wanted = played(crowd, 30)[-1].global_positions.copy()
    crowd.body.positions[1], crowd.state.offsets.rotations[0] = np.nan, np.nan
    crowd.start_over(np.zeros((2, 3)), np.zeros(2))
    assert np.isfinite(played(crowd, 30)[-1].global_positions).all()
    crowd = Crowd(database, 2)
    crowd.start_over(np.zeros((2, 3)), np.zeros(2))
    np.testing.assert_array_equal(played(crowd, 30)[-1].global_positions, wanted)


@pytest.mark.parametrize("turn", [-0.8, 0.8])
def test_legs_that_a_transition_bends_backwards_are_bent_forwards(database, turn):
    crowd, skeleton = Crowd(database), database.poses.skeleton
    still = move([[0.0, 0, 0]])
    for _ in range(60):
        crowd.step(still, DT)
    hinges = crowd.rig.hinges
    for k, side in enumerate(("left", "right")):
        crowd.state.offsets.rotations[0, :3, skeleton.joint(f"{side}_lower_leg")] = turn * hinges[k]
    crowd.state.offsets.ages[:] = 0
    for _ in range(30):
        p = crowd.step(still, DT).global_positions[0]
        for side in ("left", "right"):
            upper, lower, foot, toes = (
                p[skeleton.joint(f"{side}_{part}")] for part in ("upper_leg", "lower_leg", "foot", "toes")
            )
            assert (lower - (upper + foot) / 2) @ (toes - foot) > -0.002


def test_who_may_go_nowhere_else_goes_back_and_a_filter_that_admits_nothing_is_refused(database, monkeypatch):
    crowd = Crowd(database)
    source, current = crowd.sources[0], int(database.poses.clip_stops[0] - 1)
    far = 10**6  # frames around the playing one: all there are
    assert source.find(database.features.values[0], current, "idle", 0.0, far)[0] == -1
    with monkeypatch.context() as changed:
        changed.setattr("kinematch.character.database_source.find_search_terms", lambda *given, **more: ("idle", far))
        plain = Crowd(database, compiled=False)
        plain.prepare(move([[0.0, 0, 1.35]]))
        plain.state.schedule.queries[0] = database.features.values[0]
        found, _, _ = find_frame(plain.runner.data, plain.runner.tables[0], 0, current, 0.0, None)
    assert 0 <= found < database.poses.clip_stops[0]
    with pytest.raises(KinematchError, match="the filter 'idle & run' admits none"):
        crowd.step(move([[0.0, 0, 1.35]], filter="idle & run"), DT)


@pytest.mark.parametrize("filter", [5, [5]])
def test_a_filter_that_is_no_text_is_refused(database, filter):
    with pytest.raises(KinematchError, match="expected a text, or one for each character"):
        Crowd(database).step(move([[0.0, 0, 1.35]], filter=filter), DT)


@pytest.mark.parametrize("given", ["walker.kinematch", Path("walker.kinematch"), None, ["walker.kinematch"]])
def test_a_path_is_no_database(given):
    with pytest.raises(KinematchError, match=r"as km.load opens them, or motion sources, not "):
        Crowd(given)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("terrain", [None, HeightFunction(lambda x, z: 0.1 * z)], ids=["flat", "slope"])
def test_a_long_step_is_its_pieces_one_after_the_other(database, terrain, compiled):
    """To the bit; what it reports of them is added up."""
    long, short = (Crowd(database, 3, terrain=terrain, compiled=compiled) for _ in range(2))
    jumps = 0
    for step in range(24):
        angles = np.array([0.0, 1.0, -2.0]) + 1.5 * (step // 6)
        command = move(1.35 * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1))
        whole = long.step(command, 0.1)
        pieces = [short.step(command, 0.02) for _ in range(5)]
        for name, array in long.state.arrays().items():
            np.testing.assert_allclose(array, short.state.arrays()[name], atol=1e-12, err_msg=name)
        for name in ("searched", "jumped", "restarted"):
            np.testing.assert_array_equal(getattr(whole, name), np.any([getattr(one, name) for one in pieces], axis=0))
        np.testing.assert_allclose(whole.displacements, sum(one.displacements for one in pieces), atol=1e-12)
        np.testing.assert_allclose(whole.turns, sum(one.turns for one in pieces), atol=1e-12)
        np.testing.assert_allclose(whole.global_positions, pieces[-1].global_positions, atol=1e-6)
        for n in range(3):
            last = [one.reasons[n] for one in pieces if one.searched[n]]
            assert whole.reasons[n] == (last[-1] if last else Reason.NONE)
        jumps += whole.jumped.sum()
    assert jumps > 3


@pytest.mark.parametrize("compiled", [True, False])
def test_crowds_that_share_filters_go_on_from_each_others_states(database, compiled):
    """Before their first step, and after it."""
    first, second = (Crowd(database, 2, compiled=compiled) for _ in range(2))
    second.step(move(np.zeros((2, 3)), filter="run"), DT)
    for crowd in (first, second, Crowd(database, 2, compiled=compiled)):
        crowd.filters = first.filters
        walk = move(np.tile([0.0, 0, 1.35], (2, 1)), filter=["", "idle"])
        for _ in range(20):
            shown = crowd.step(walk, DT)
        tags = database.poses.tags
        idle = tags.frames[shown.frames, tags.names.index("idle")]
        assert idle.tolist() == [False, True]
    second.restore(first.state)
    a, b = (crowd.step(walk, DT) for crowd in (first, second))
    np.testing.assert_array_equal(a.reasons, b.reasons)
    np.testing.assert_array_equal(a.global_positions, b.global_positions)
