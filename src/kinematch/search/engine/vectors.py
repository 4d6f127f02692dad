"""Test vectors of an exported database: queries with what the Python search finds, and poses in the world."""

import numpy as np

from kinematch.database.storage import Database
from kinematch.motion.kinematics import forward
from kinematch.search.engine.arrays import FlatArray, flag_trajectory
from kinematch.search.exhaustive import ExhaustiveMatcher
from kinematch.search.space import search_space

QUERIES, POSES = 256, 16
FAR_DEVIATIONS = 100.0  # standard deviations; commands that no clip can follow must be answered alike
STAY_BIASES, IGNORED = (0.0, 0.01, 1.0), (0, 5, 20, 1000)


def choose_filters(database: Database) -> tuple[str, ...]:
    """Expressions that use every operator, the database's own first."""
    names = [name for name in database.poses.tags.names if _is_word(name)]
    chosen = [database.filter, ""]
    for first, second in zip(names[:4], [*names[1:5], names[0]] if names else []):
        chosen += [first, f"!{first}", f"{first} & !{second} | {second}", f"!({first} | {second})", f"{first}&!{first}"]
    return tuple(dict.fromkeys(chosen))


def _is_word(name: str) -> bool:
    """Whether an expression can name the tag: those with blanks or operators cannot be named."""
    return bool(name) and not set(name) & set("&|!() \t\n\r") and name.isascii()


def make_vectors(database: Database, filters: tuple[str, ...]) -> dict[str, FlatArray]:
    """Queries as an engine makes them, pose columns of the frame that plays and a trajectory, and their answers."""
    rng = np.random.default_rng(17)
    poses, features = database.poses, database.features
    matcher = ExhaustiveMatcher(search_space(database))
    own = np.flatnonzero(flag_trajectory(database))
    playing = rng.integers(poses.frame_count, size=QUERIES)
    playing[: poses.clip_count][: QUERIES // 4] = poses.clip_stops[: QUERIES // 4] - 1  # ends set no bound
    wanted = features.physical(rng.integers(poses.frame_count, size=QUERIES))[:, own]
    spread = features.scale[own]
    noise = rng.normal(size=wanted.shape) * rng.choice([0.0, 0.3, FAR_DEVIATIONS], size=(QUERIES, 1), p=[0.4, 0.5, 0.1])
    trajectories = (wanted + noise * spread).astype(np.float32)
    queries = np.array(features.values[playing])
    queries[:, own] = (trajectories - features.offset[own]) / spread
    current = np.where(rng.random(QUERIES) < 0.2, -1, playing).astype(np.int32)
    which = rng.integers(len(filters), size=QUERIES).astype(np.int32)
    bias = rng.choice(STAY_BIASES, size=QUERIES).astype(np.float32)
    ignore = rng.choice(IGNORED, size=QUERIES).astype(np.int32)
    frames, costs = np.empty(QUERIES, np.int32), np.empty(QUERIES, np.float32)
    for n in range(QUERIES):
        found = matcher.find(
            queries[n], current[n], filter=filters[which[n]], stay_bias=float(bias[n]), ignore=int(ignore[n])
        )
        frames[n], costs[n] = found.frames[0], found.costs[0]
    shown = rng.integers(poses.frame_count, size=POSES).astype(np.int32)
    placed = forward(poses.skeleton, poses.positions[shown], poses.rotations[shown])[0]
    row = ("queries",)
    return {
        "query_poses": FlatArray(playing.astype(np.int32), row, "", "frame whose pose columns a query copies"),
        "query_trajectories": FlatArray(trajectories, (*row, "trajectory"), "physical", "its trajectory columns"),
        "query_current": FlatArray(current, row, "", "frame that plays, or -1"),
        "query_filters": FlatArray(which, row, "", "line of filters.txt"),
        "query_stay_bias": FlatArray(bias, row, "", "taken off the cost of staying"),
        "query_ignore": FlatArray(ignore, row, "", "frames on either side of the current one that are no targets"),
        "queries": FlatArray(queries, (*row, "columns"), "normalised", "what is searched for"),
        "found_frames": FlatArray(frames, row, "", "the answer, or -1"),
        "found_costs": FlatArray(costs, row, "", "its cost, infinite without an answer"),
        "pose_frames": FlatArray(shown, ("poses",), "", "frames whose joints are placed"),
        "pose_positions": FlatArray(placed, ("poses", "joints", "xyz"), "m", "joints in the space of the clip"),
    }
