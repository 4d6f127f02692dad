"""Seams: the step of a crowd, left and entered again wherever users' Python has to run in between."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinematch.character.constants import CONTACT_LEAD, FARTHEST_QUERY
from kinematch.character.layers import apply_layer, finish_layers, predict_lowering
from kinematch.character.lookups import find_ages, find_ground_below, list_own_features, searches_alone
from kinematch.character.mishaps import look_closer
from kinematch.character.pose import Pose
from kinematch.character.source import Sample, Search
from kinematch.character.step.playback import find_rate, limit_adjustment, read_playing
from kinematch.character.step.project import choose_frame, note_found
from kinematch.character.step.step import ASK, BEGIN, END, FEET, MOVE, PROJECT, SCHEDULE, SHOW, count_pieces
from kinematch.character.step.transition import ROW_AFTER, ROW_BEFORE
from kinematch.database.features import Trajectory
from kinematch.database.schema import FeatureSchema
from kinematch.database.table import Table
from kinematch.errors import KinematchError, call_own
from kinematch.math.angles import rotate_about_y
from kinematch.motion.heading import yaw_direction

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd


def step_with_seams(crowd: "Crowd", dt: float, pose: Pose) -> None:
    """One step that users' Python takes part in."""
    check_numbers(crowd)
    pieces = count_pieces(dt, crowd.longest_step)
    try:
        for piece in range(pieces):
            if crowd.trajectory is not None and piece:
                crowd.trajectory = replace(crowd.trajectory, elapsed=piece * dt / pieces)
            step_piece(crowd, dt / pieces, pose, SCHEDULE if piece else BEGIN)
        look_closer(crowd, pose)
    finally:  # a step that ends with another error leaves none for the next
        crowd.runner.work.failures[0] = 0


def check_numbers(crowd: "Crowd") -> None:
    """Clamp source numbers, which users may have written, to those that exist; kernels do so where they read them."""
    numbers = crowd.state.playing.sources
    np.clip(numbers, 0, len(crowd.sources) - 1, out=numbers)


def step_piece(crowd: "Crowd", dt: float, pose: Pose, enter: int) -> None:
    runner, state, restarted = crowd.runner, crowd.state, pose.restarted.copy()
    write_status(crowd)
    if runner.run(dt, enter, ASK):
        look_closer(crowd, pose)

    searching = np.flatnonzero(runner.work.searching).astype(np.int32)
    ask_sources(crowd, searching)
    if crowd.trajectory is not None:
        note_trajectories(crowd, searching)
    runner.run(dt, ASK, PROJECT)
    searching = searching[runner.work.searching[searching]]  # those that have entered an action search no more

    ask_features(crowd, searching)
    change_queries(crowd, searching)
    project_by_sources(crowd, searching, pose)
    runner.run(dt, PROJECT, MOVE)

    if crowd.trajectory is not None:
        crowd.trajectory.place_bodies(state.body, crowd.characters, dt)
    compute_poses(crowd, dt)
    runner.run(dt, MOVE, SHOW)
    pose_crowd(crowd, dt, pose)
    for characters, contacts in crowd.computed:
        pose.contacts[characters] = contacts
    if enter == BEGIN:
        restarted[:] = False  # of the step before
    characters = np.flatnonzero(pose.restarted & ~restarted).astype(np.int32)
    if len(characters):
        show_restarted(crowd, pose, characters)


def pose_crowd(crowd: "Crowd", dt: float, pose: Pose) -> None:
    """Retargeting, layers, terrain and feet."""
    runner = crowd.runner
    if crowd.retargeting is not None:
        runner.retarget(pose)
    runner.run(0.0, SHOW, FEET)
    lowering = predict_lowering(crowd.state, dt, crowd.settings)
    for layer in crowd.layers:
        apply_layer(layer, pose, dt, lowering, crowd.rig)
        runner.run(0.0, SHOW, FEET)
    runner.set_ground(*find_ground_below(crowd, pose, dt))
    runner.run(dt, FEET, END)
    finish_layers(crowd.layers, pose, dt, crowd.rig, lambda: runner.run(0.0, SHOW, FEET))


def show_restarted(crowd: "Crowd", pose: Pose, characters: np.ndarray) -> None:
    """Pose characters (M,) that were reset in a piece of a step by a step of no time, without layers until the next."""
    runner = crowd.runner
    for own, new in zip(crowd.state.sources, crowd.beginning.sources):
        for name, array in own.items():
            array[characters] = new[name]
    compute_poses(crowd, 0.0, characters)
    runner.run(0.0, MOVE, SHOW, characters)
    if crowd.retargeting is not None:
        positions, rotations = (array[characters] for array in runner.source_pose)
        pose.positions[characters], pose.rotations[characters] = crowd.retargeting.apply(positions, rotations)
    runner.run(0.0, SHOW, FEET, characters)
    runner.run(0.0, FEET, END, characters)


def group_by(keys: np.ndarray, characters: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Characters (M,) by the key (N,) that each has."""
    own = keys[characters]
    return [(int(key), characters[own == key]) for key in np.unique(own)]


def group_computed(crowd: "Crowd", characters: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Characters that play sources of users, by source."""
    if crowd.runner.rows:
        for number, own in group_by(crowd.state.playing.sources, characters):
            if number in crowd.runner.rows:
                yield number, own


def write_status(crowd: "Crowd") -> None:
    """Write the status that the search schedule reads into the rows of users' sources."""
    for number, characters in group_computed(crowd, crowd.characters):
        rows, sample = crowd.runner.rows[number], crowd.sources[number].decode(crowd.state, characters)
        rows.loops[characters], rows.no_exit[characters] = ~sample.ended, sample.committed
        rows.paces[characters], rows.contacts[characters] = sample.paces, sample.contacts
        rows.velocities[characters], rows.angular_velocities[characters] = sample.velocities, sample.angular_velocities
        write_pose(crowd, rows, characters, sample)


def write_pose(crowd: "Crowd", rows: Table, characters: np.ndarray, sample: Sample) -> None:
    rows.rotations[characters], rows.places[characters] = sample.rotations, sample.positions[:, rows.moving]
    crowd.state.playing.frames[characters], crowd.state.playing.fractions[characters] = characters, 0.0


def ask_sources(crowd: "Crowd", searching: np.ndarray) -> None:
    """Features of the poses that users' sources play, into their rows."""
    for number, characters in group_computed(crowd, searching):
        source, rows = crowd.sources[number], crowd.runner.rows[number]
        rows.features[characters] = source.description.normalise(source.describe_features(crowd.state, characters))


def note_trajectories(crowd: "Crowd", searching: np.ndarray) -> None:
    """The controller's trajectory at the schema's times, as it is asked for."""
    assert crowd.trajectory is not None
    horizons = np.array([time for time in crowd.sources[0].description.schema.times if time >= 0])
    positions, yaws = crowd.predict(horizons, searching, find_ages(crowd, searching))
    crowd.state.schedule.trajectories[searching] = np.concatenate([positions, yaws[..., None]], axis=-1)


def ask_features(crowd: "Crowd", searching: np.ndarray) -> None:
    """Columns of users' features, which their own functions fill."""
    own = list_own_features(crowd)
    if not own:
        return
    for number, characters in group_by(crowd.state.playing.sources, searching):
        source, about = crowd.sources[number], crowd.sources[number].description
        given = replace(source.describe_pose(crowd.state, characters), trajectory=look_ahead(crowd, characters))
        queries = about.normalise(about.schema.query(given))
        for feature in own:
            columns = about.schema.columns[feature.name]
            crowd.state.schedule.queries[characters, columns] = queries[:, columns]


def change_queries(crowd: "Crowd", searching: np.ndarray) -> None:
    """Queries as users' `asks` change them."""
    queries = crowd.state.schedule.queries
    for ask in crowd.asks:
        for number, characters in group_by(crowd.state.playing.sources, searching):
            about = crowd.sources[number].description
            physical = call_ask(ask, about.restore_units(queries[characters]), characters, about.schema)
            queries[characters] = about.normalise(physical)


def call_ask(ask: Any, physical: np.ndarray, characters: np.ndarray, schema: FeatureSchema) -> np.ndarray:
    """The queries (M, D) that a user's function returns, checked."""
    name = getattr(ask, "__name__", type(ask).__name__)
    given = physical.copy(), characters, schema
    found = call_own(f"ask {name}", lambda: np.asarray(ask(*given), np.float32))
    if found.shape != physical.shape or not np.isfinite(found).all():
        raise KinematchError(f"ask {name} returned queries {found.shape}, expected finite numbers {physical.shape}")
    return found


def look_ahead(crowd: "Crowd", characters: np.ndarray) -> Trajectory:
    """Where characters will be, or were, in the axes of their roots at the moment of the frame that plays."""
    body, playing, ages = crowd.state.body, crowd.state.playing, find_ages(crowd, characters)
    roots = playing.positions[characters] - ages[:, None] * body.velocities[characters]
    # queries know no terrain
    roots[:, 1] = body.positions[characters, 1] - ages * body.velocities[characters, 1]
    root_yaws = (playing.yaws[characters] - ages * body.yaw_rates[characters])[:, None]

    def find_places(times: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        positions, yaws = crowd.predict(np.array(times), characters, ages)
        there = rotate_about_y(positions - roots[:, None], -root_yaws) / crowd.rig.scale
        return there, yaw_direction(yaws - root_yaws)

    return find_places


def project_by_sources(crowd: "Crowd", searching: np.ndarray, pose: Pose) -> None:
    """Search the sources whose matcher or projection is users' Python, and apply the jumps."""
    state, orders = crowd.state, crowd.orders
    near = (np.abs(state.schedule.queries[searching]) < FARTHEST_QUERY).all(axis=1)
    for number, own in group_by(state.playing.sources, searching[near]):
        for target, those in group_by(orders.sources, own):
            if searches_alone(crowd, number, target):
                continue
            if target != number:  # queries are put into the units of the source they go to
                here, there = crowd.sources[number].description, crowd.sources[target].description
                queries = state.schedule.queries
                queries[those] = there.normalise(here.restore_units(queries[those]))
            if target in crowd.runner.searches:
                search_frames(crowd, number, target, those, pose)
                continue
            for filter_, these in group_by(orders.filters, those):
                for idle, some in group_by(state.schedule.idle, these):
                    search = Search(crowd.filters.text(filter_), bool(idle), target == number, crowd.settings)
                    ask_for_projections(crowd, number, target, some, search, pose)


def search_frames(crowd: "Crowd", number: int, target: int, characters: np.ndarray, pose: Pose) -> None:
    """Search database `target` for characters that play `number`, as step.project does, by a matcher in Python."""
    data, searches = crowd.runner.data, crowd.runner.searches[target]
    table = crowd.sources[target].by_frame._replace(search=searches)
    for n in characters.tolist():
        current = read_playing(data, table, n)[0] if target == number else -1
        frame = choose_frame(data, table, n, current, None)
        if frame != current:
            jump(crowd, number, target, n, np.array([frame]), pose)


def ask_for_projections(
    crowd: "Crowd", number: int, target: int, characters: np.ndarray, search: Search, pose: Pose
) -> None:
    """Have users' source `target` project characters (M,) that play `number`; those for whom it is better jump."""
    found = crowd.sources[target].project(crowd.state, characters, crowd.state.schedule.queries[characters], search)
    for m, n in enumerate(characters.tolist()):
        note_found(crowd.runner.data, n, -1, found.costs[m])
        if found.jumps[m]:
            crowd.state.schedule.left[n] = -1
            jump(crowd, number, target, n, found.targets[m : m + 1], pose)


def jump(crowd: "Crowd", number: int, target: int, n: int, goal: np.ndarray, pose: Pose) -> None:
    """Character n, which plays source `number`, goes on from a goal (1, ...) of source `target`."""
    take_sample(crowd, number, n, ROW_BEFORE)
    crowd.state.playing.sources[n], pose.jumped[n] = target, True
    crowd.sources[target].enter(crowd.state, crowd.characters[n : n + 1], goal)
    take_sample(crowd, target, n, ROW_AFTER)
    settings = crowd.runner.data.settings
    crowd.runner.start_transition(n, settings.transition, settings.transition_halflife)


def take_sample(crowd: "Crowd", number: int, n: int, row: int) -> None:
    """What character n plays of source `number`, into a row of the sample."""
    source: Any = crowd.sources[number]
    if number not in crowd.runner.rows:
        crowd.runner.sample(n, row)
    else:
        sample = source.decode(crowd.state, crowd.characters[n : n + 1])
        crowd.runner.set_sample(sample, source.measure_toes(sample), row, crowd.moving)
        crowd.runner.rows[number].paces[n] = sample.paces[0]


def compute_poses(crowd: "Crowd", dt: float, those: np.ndarray | None = None) -> None:
    """Advance users' sources, and write their poses into the rows that the step reads."""
    runner, state = crowd.runner, crowd.state
    crowd.computed = []
    for number, characters in group_computed(crowd, crowd.characters if those is None else those):
        rows, source = runner.rows[number], crowd.sources[number]
        seconds = dt * np.array([find_rate(runner.data, rows, n, n) for n in characters.tolist()])
        motions = source.advance(state, characters, seconds) * [crowd.rig.scale, crowd.rig.scale, 1.0]
        runner.work.motions[characters, :3] = motions
        for n in characters.tolist():
            limit_adjustment(runner.data, n, 0.0)
        sample = source.decode(state, characters, CONTACT_LEAD - dt)
        write_pose(crowd, rows, characters, sample)
        rows.contacts[characters], rows.contact_left[characters] = sample.contact_left > 0, sample.contact_left
        rows.toe_heights[characters], _ = source.measure_toes(sample)
        crowd.computed.append((characters, sample.contacts))
