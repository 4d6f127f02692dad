"""What a database holds between two of its frames, in plain numpy: what the step's own samples are measured by."""

from types import SimpleNamespace

import numpy as np

from kinematch.character import Crowd
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y
from kinematch.motion.heading import yaw_of


def decode_plainly(crowd: Crowd, characters: np.ndarray) -> SimpleNamespace:
    """Of characters (M,) that play the first source: places and velocities linearly, rotations the shorter way."""
    source, playing = crowd.sources[0], crowd.state.playing
    poses, table, frames, part = (
        source.poses,
        source.by_frame,
        playing.frames[characters],
        playing.fractions[characters],
    )
    last = frames == poses.clip_stops[poses.clip_of(frames)] - 1
    loops = poses.clip_loops[poses.clip_of(frames)]
    after = np.where(last, np.where(loops, poses.clip_starts[poses.clip_of(frames)], frames), frames + 1)

    def mix(values: np.ndarray) -> np.ndarray:
        now, then = np.asarray(values[frames], np.float64), np.asarray(values[after], np.float64)
        return now + part.reshape(-1, *[1] * (now.ndim - 1)) * (then - now)

    now = np.asarray(poses.rotations[frames], np.float64)
    then = quaternion.nearest(poses.rotations[after], now)
    velocities, spins = mix(poses.velocities), mix(poses.angular_velocities)
    # a loop's last frame leads into its next round
    rounds = np.where(last & loops, yaw_of(poses.loop_rotations[poses.clip_of(frames)]).reshape(-1), 0.0)
    turn = np.angle(np.exp(1j * (yaw_of(then[:, 0]) + rounds - yaw_of(now[:, 0]))))
    own, next_ = (np.asarray(poses.velocities[at][:, 0], np.float64) for at in (frames, after))
    root = own + part[:, None] * (rotate_about_y(next_, rounds) - own)
    root = rotate_about_y(root, -(yaw_of(now[:, 0]) + part * turn))
    # a clip's last frame, which has no next, is left as it was reached
    before = np.where(after == frames, np.maximum(frames - 1, 0), frames)
    return SimpleNamespace(
        positions=mix(poses.positions),
        rotations=quaternion.normalize(now + part[:, None, None] * (then - now)),
        velocities=velocities,
        angular_velocities=spins,
        root_velocities=np.stack([root[:, 0], root[:, 2], spins[:, 0, 1]], axis=-1),
        toe_heights=mix(table.toe_heights) - table.toe_rests,
        toe_rates=(table.toe_heights[after] - table.toe_heights[before]).astype(np.float64) * poses.frame_rate,
    )
