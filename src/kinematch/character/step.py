"""One step in two versions: stage by stage in plain numpy, which defines it, and with kernels for runs of stages."""

from typing import TYPE_CHECKING

import numpy as np

from kinematch.character.constants import CONTACT_LEAD
from kinematch.character.kernels import animation as k
from kinematch.character.kernels import searching
from kinematch.character.layers import PLAIN, apply_layer, finish_layers, predict_lowering
from kinematch.character.pose import Pose
from kinematch.character.project import group_by, project, skip_broken
from kinematch.character.stages.adjust import adjust_roots, find_rates
from kinematch.character.stages.ask import make_queries
from kinematch.character.stages.feet import Ground, plant_feet, stand_on_ground
from kinematch.character.stages.pose import find_global_pose, place_roots
from kinematch.character.stages.predict import find_idle, move_bodies, predict_trajectories, remember_roots
from kinematch.character.stages.schedule import FEWEST, find_reasons, limit_searches, note_search
from kinematch.character.stages.transition import add_offsets, fade_offsets
from kinematch.compile.threads import SHARED

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd


def step_plainly(crowd: "Crowd", dt: float, pose: Pose) -> None:
    """The definition of a step: no compiled code, any source, setting, terrain and layer."""
    state, orders, settings, rig = crowd.state, crowd.orders, crowd.settings, crowd.rig
    everyone, playing = crowd.characters, state.playing.sources

    # whose turn it is to search
    for number, characters in crowd.group_everyone():
        status = crowd.sources[number].describe_status(state, characters)
        pose.reasons[characters] = find_reasons(state, characters, orders, status, settings)
    searching = limit_searches(pose.reasons, state.schedule.since, dt, settings)
    pose.searched[searching] = True

    # predict, ask, project, transition
    for number, characters in group_by(playing, searching):
        project(crowd, number, *ask_plainly(crowd, number, characters, dt), pose)

    # advance and adjust
    move_bodies(state, everyone, orders, crowd.trajectory, dt, settings)
    motions = np.zeros((crowd.count, 3))
    for number, characters in crowd.group_everyone():
        motions[characters] = advance_source(crowd, number, characters, dt)
    shown = motions + fade_offsets(state, everyone, dt, settings)
    pose.displacements[:], pose.turns[:] = adjust_roots(state, everyone, shown, motions[:, 2], dt, settings)
    state.schedule.since[:] += dt

    # decode
    samples = []
    for number, characters in crowd.group_everyone():
        sample = crowd.sources[number].decode(state, characters, CONTACT_LEAD - dt)
        positions, rotations = add_offsets(state, characters, sample, crowd.moving, settings)
        if crowd.retargeting is not None:
            positions, rotations = crowd.retargeting.apply_plainly(positions, rotations)
        pose.positions[characters], pose.rotations[characters] = positions, rotations
        samples.append((characters, sample))
    show_plainly(crowd, pose)

    # layers
    lowering = predict_lowering(state, dt, settings)
    for layer in crowd.layers:
        apply_layer(layer, pose, dt, lowering, crowd.rig, PLAIN)
        show_plainly(crowd, pose)

    # feet
    ground = crowd.find_ground(pose, dt)
    for characters, sample in samples:
        if ground is not None:
            under = Ground(ground.heights[characters], ground.normals[characters])
            rise = stand_on_ground(state, characters, under, dt, settings)
            pose.displacements[characters, 1] = rise
            pose.positions[characters, 0, 1] += rise
        own = pose.positions[characters].astype(np.float64), pose.rotations[characters].astype(np.float64)
        pose.positions[characters], pose.rotations[characters] = plant_feet(
            state, characters, rig, sample, *own, dt, settings, ground is not None
        )
        pose.contacts[characters] = sample.contacts
    show_plainly(crowd, pose)
    finish_layers(crowd.layers, pose, dt, rig, lambda: show_plainly(crowd, pose), PLAIN)

    # output
    tables = np.array([source.table is not None for source in crowd.sources])
    pose.frames[:] = np.where(tables[playing], state.playing.frames, -1)  # computed poses have no frame
    pose.fractions[:] = state.playing.fractions
    pose.sources[:], pose.costs[:], pose.locked[:] = playing, state.schedule.costs, state.feet.locked
    far = np.abs(pose.global_positions[:, 0, [0, 2]]).max(axis=-1)
    finite = np.isfinite(pose.global_positions).all((1, 2)) & np.isfinite(pose.global_rotations).all((1, 2))
    finite &= np.isfinite(pose.displacements).all(1) & np.isfinite(pose.turns)
    pose.restarted[:] = ~(finite & (far <= k.LOST_RADIUS))
    remember_roots(state, dt, crowd.past_spacing)


def ask_plainly(crowd: "Crowd", number: int, characters: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Queries (M, D) of characters (M,) that play source `number`, through the schema, and whose they are."""
    state, source, settings = crowd.state, crowd.sources[number], crowd.settings
    status = source.describe_status(state, characters)
    queries = make_queries(source, state, characters, crowd.orders, crowd.trajectory, settings, crowd.rig.scale)
    state.schedule.idle[characters] = find_idle(state, characters, crowd.orders, status.resting, settings)
    note_search(state, characters, crowd.orders, dt, settings)
    return skip_broken(characters, queries)


def advance_source(crowd: "Crowd", number: int, characters: np.ndarray, dt: float) -> np.ndarray:
    """Play a source on; the motion of the roots (M, 3) in metres of the shown body."""
    state, source, scale = crowd.state, crowd.sources[number], crowd.rig.scale
    paces = source.describe_status(state, characters).paces
    seconds = dt * find_rates(state, characters, paces, crowd.settings)
    motions = source.advance(state, characters, seconds) * [scale, scale, 1.0]
    if source.table is None:  # kernels read computed poses from a row for each character
        state.playing.frames[characters], state.playing.fractions[characters] = characters, 0.0
    return motions


def show_plainly(crowd: "Crowd", pose: Pose) -> None:
    """Global poses from local ones."""
    positions, rotations = pose.positions.astype(np.float64), pose.rotations.astype(np.float64)
    place_roots(crowd.state, crowd.characters, positions, rotations)
    pose.positions[:, 0], pose.rotations[:, 0] = positions[:, 0], rotations[:, 0]
    pose.global_positions[:], pose.global_rotations[:] = find_global_pose(crowd.rig, positions, rotations)


def step_fused(crowd: "Crowd", dt: float, pose: Pose) -> None:
    """The same step by kernels, on all cores: this thread searches, others begin to animate, and it joins them."""
    state, runner = crowd.state, crowd.runner

    # whose turn it is to search
    searching = find_searching(crowd, dt, pose)

    # predict, ask, project, transition; then advance, adjust, decode and, with nothing in between, show and feet
    def search(some: np.ndarray) -> None:
        for number, characters in group_by(state.playing.sources, some):
            project(crowd, number, *ask_fused(crowd, number, characters, dt), pose)

    if crowd.terrain is None:
        runner.set_ground(None)
    straight = crowd.retargeting is None and not crowd.layers and crowd.terrain is None
    stages = k.ADVANCE | k.DECODE | ((k.SHOW | k.FEET) if straight else 0)
    if runner.computes or crowd.trajectory is not None:  # sources and controllers of users run in this thread
        search(searching)
        if crowd.trajectory is not None:
            crowd.trajectory.place_bodies(state.body, crowd.characters, dt)
        else:
            move_bodies(state, crowd.characters, crowd.orders, None, dt, crowd.settings)
        runner.compute_rows(crowd, dt)
        runner.animate(dt, stages)
    elif crowd.count < SHARED:
        search(searching)
        runner.animate(dt, k.BODIES | stages)
    else:  # while this thread searches, others animate the characters that do not
        with runner.helped(np.flatnonzero(~pose.searched).astype(np.int32), dt, k.BODIES | stages):
            search(searching)
            runner.animate(dt, k.BODIES | stages, searching)
    if not straight:
        # retarget, show
        if crowd.retargeting is not None:
            runner.retarget(pose)
        runner.animate(0.0, k.SHOW)

        # layers
        lowering = predict_lowering(state, dt, crowd.settings)
        for layer in crowd.layers:
            apply_layer(layer, pose, dt, lowering, crowd.rig)
            runner.animate(0.0, k.SHOW)

        # feet
        runner.set_ground(crowd.find_ground(pose, dt))
        runner.animate(dt, k.FEET)
        finish_layers(crowd.layers, pose, dt, crowd.rig, lambda: runner.animate(0.0, k.SHOW))

    # the rest of the output
    runner.report_rows(pose)
    remember_roots(state, dt, crowd.past_spacing)


def find_searching(crowd: "Crowd", dt: float, pose: Pose) -> np.ndarray:
    """The characters (M,) whose turn it is to search."""
    state, count = crowd.state, 0
    for number, characters in crowd.group_everyone():
        if crowd.sources[number].table is not None:
            count += searching.find_reasons(crowd.runner.scenes[number], characters, crowd.runner.due)
            continue
        status = crowd.sources[number].describe_status(state, characters)
        reasons = find_reasons(state, characters, crowd.orders, status, crowd.settings)
        pose.reasons[characters] = reasons
        count += int((reasons != 0).sum())
    if not count:
        return crowd.runner.due[:0]
    if count <= FEWEST and len(crowd.sources) == 1 and crowd.sources[0].table is not None:
        found = crowd.runner.due[:count]
    else:
        found = limit_searches(pose.reasons, state.schedule.since, dt, crowd.settings)
    pose.searched[found] = True
    return found


def ask_fused(crowd: "Crowd", number: int, characters: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Queries by a kernel where all features are built in and look ahead; else through the schema."""
    if not crowd.runner.asks_by_kernel[number]:
        return ask_plainly(crowd, number, characters, dt)
    state, table, given = crowd.state, crowd.sources[number].table, crowd.trajectory
    assert table is not None
    if given is not None:
        ago = state.playing.fractions[characters] / table.frame_rate
        positions, yaws = predict_trajectories(
            state, characters, crowd.orders, given, table.horizons, ago, crowd.settings
        )
        state.schedule.trajectories[characters] = np.concatenate([positions, yaws[..., None]], axis=-1)
    queries = np.empty((len(characters), table.features.shape[1]), np.float32)
    prediction = searching.SPRINGS if given is None else searching.GIVEN
    near = searching.make_queries(crowd.runner.scenes[number], characters, queries, dt, prediction)
    return (characters, queries) if near else skip_broken(characters, queries)
