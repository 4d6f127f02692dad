"""Ask: the query of each character, put together by the schema from the pose that plays and the trajectory ahead."""

from dataclasses import replace

import numpy as np

from kinematch.character.orders import Orders
from kinematch.character.settings import Settings
from kinematch.character.source import MotionSource
from kinematch.character.stages.predict import predict_trajectories
from kinematch.character.state import State
from kinematch.control.trajectory import Trajectory
from kinematch.math.angles import rotate_about_y
from kinematch.motion.heading import yaw_direction


def make_queries(
    source: MotionSource, state: State, characters: np.ndarray, orders: Orders, given: Trajectory | None,
    settings: Settings, scale: float,
) -> np.ndarray:  # fmt: skip
    """Normalised queries (M, D); the trajectory ahead is noted in the state as it was asked for.

    Everything is taken back to the moment that the pose is of (the playing frame): what is found goes on with the
    same fraction. `scale`: m of the shown body for a metre of the source's.
    """
    body, playing = state.body, state.playing
    past = source.frame_seconds(state, characters)
    back = past[:, None]
    # the root as it was then; its height is the body's, since queries know no terrain
    roots = playing.positions[characters] - back * body.velocities[characters]
    roots[:, 1] = body.positions[characters, 1] - past * body.velocities[characters, 1]
    root_yaws = (playing.yaws[characters] - past * body.yaw_rates[characters])[:, None]

    def trajectory(times: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        positions, yaws = predict_trajectories(state, characters, orders, given, np.array(times), past, settings)
        return rotate_about_y(positions - roots[:, None], -root_yaws) / scale, yaw_direction(yaws - root_yaws)

    horizons = np.array([time for time in source.schema.times if time >= 0])
    if len(horizons):
        positions, yaws = predict_trajectories(state, characters, orders, given, horizons, past, settings)
        state.schedule.trajectories[characters] = np.concatenate([positions, yaws[..., None]], axis=-1)
    pose = source.describe_pose(state, characters)
    queries = source.normalise(source.schema.query(replace(pose, trajectory=trajectory)))
    state.schedule.queries[characters] = queries
    return queries
