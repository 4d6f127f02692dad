"""Looping clips: close the seam, and continue the root's motion past either end."""

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip

SEEN = np.radians(1)  # rad, mean over joints; a smaller jump is not visible


def close_loop(clip: Clip) -> tuple[Clip, str | None]:
    """The clip ending with its first pose, where the next round begins, and a warning if it hardly loops.

    In some files the last frame repeats the first; others stop one frame short of it, and get the missing frame.
    """
    turns = quaternion.angle(clip.rotations[1:, 1:], clip.rotations[:-1, 1:]).mean(axis=-1)  # (F - 1,) rad a frame
    seam = float(quaternion.angle(clip.rotations[-1, 1:], clip.rotations[0, 1:]).mean())
    usual = float(np.median(turns)) if len(turns) else 0.0
    warning = None
    if seam > max(SEEN, 3 * usual, 3 * float(turns.max(initial=0))):
        warning = f"loop = true, but its last pose is {np.degrees(seam):.1f} degrees a joint from its first"
    if seam <= usual / 2 or clip.frame_count < 3:
        return clip, warning
    p, r = clip.positions[:, 0].astype(np.float64), clip.rotations[:, 0].astype(np.float64)
    step, turn = _steps(p, r)
    step, turn = (step[0] + step[-1]) / 2, (turn[0] + turn[-1]) / 2
    positions = np.concatenate([clip.positions, clip.positions[:1]])
    rotations = np.concatenate([clip.rotations, clip.rotations[:1]])
    positions[-1, 0] = p[-1] + quaternion.rotate(r[-1], step)
    rotations[-1, 0] = quaternion.multiply(r[-1], rotation.from_rotation_vector(turn))
    return clip.with_(positions=positions, rotations=rotations), warning


def prepend_last_frame(positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Put the frame before the first in front of a closed loop of F + 1 frames, so that differences wrap around."""
    p, r = positions[-2:-1].copy(), rotations[-2:-1].copy()
    # moves the end of the loop to its beginning
    back = quaternion.multiply(rotations[0, 0], quaternion.inverse(rotations[-1, 0]))
    p[0, 0] = positions[0, 0] + quaternion.rotate(back, positions[-2, 0] - positions[-1, 0])
    r[0, 0] = quaternion.multiply(back, rotations[-2, 0])
    return np.concatenate([p, positions]), quaternion.unroll(np.concatenate([r, rotations]))


def _steps(p: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Displacement and rotation vector from each frame to the next, in the axes of the earlier one."""
    back = quaternion.inverse(r[:-1])
    return quaternion.rotate(back, p[1:] - p[:-1]), rotation.to_rotation_vector(quaternion.multiply(back, r[1:]))


def extend_track(
    positions: np.ndarray,
    rotations: np.ndarray,
    *,
    before: int,
    after: int,
    window: int,
    loop: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """A root track (F, 3) and (F, 4) with frames added at both ends, in float64.

    A looping clip goes on with its next round, displaced by `loop` (position and rotation of one round). Any other
    goes on as it ended: the mean step of `window` frames, in the root's own axes, so that a turning body stays on
    its circle.
    """
    p, r = positions.astype(np.float64), rotations.astype(np.float64)
    if loop is not None:
        return _extend_loop(p, r, before=before, after=after, loop=loop)
    if len(p) > 1:
        steps, turns = _steps(p, r)
        first, last = (
            (steps[:window].mean(0), turns[:window].mean(0)),
            (steps[-window:].mean(0), turns[-window:].mean(0)),
        )
    else:
        first = last = (np.zeros(3), np.zeros(3))
    n = np.arange(1, after + 1)[:, None]
    r_after = quaternion.multiply(r[-1], rotation.from_rotation_vector(n * last[1]))
    axes = np.concatenate([r[-1:], r_after])[:after]
    p_after = p[-1] + np.cumsum(quaternion.rotate(axes, last[0]), axis=0)
    m = np.arange(1, before + 1)[:, None]
    r_before = quaternion.multiply(r[0], rotation.from_rotation_vector(-m * first[1]))
    p_before = p[0] - np.cumsum(quaternion.rotate(r_before, first[0]), axis=0)
    return np.concatenate([p_before[::-1], p, p_after]), np.concatenate([r_before[::-1], r, r_after])


def _extend_loop(
    p: np.ndarray, r: np.ndarray, *, before: int, after: int, loop: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    frames = len(p)
    rounds, within = np.divmod(np.arange(-before, frames + after), frames)
    shift, turn = (np.asarray(part, np.float64) for part in loop)
    unshift, unturn = -quaternion.rotate(quaternion.inverse(turn), shift), quaternion.inverse(turn)
    back = quaternion.inverse(r[0])
    out_p, out_r = np.empty((len(rounds), 3)), np.empty((len(rounds), 4))
    for count in range(int(rounds[0]), int(rounds[-1]) + 1):
        at, facing = p[0], r[0]
        for _ in range(abs(count)):
            at = at + quaternion.rotate(facing, shift if count > 0 else unshift)
            facing = quaternion.multiply(facing, turn if count > 0 else unturn)
        move = quaternion.multiply(facing, back)
        here = rounds == count
        out_p[here] = at + quaternion.rotate(move, p[within[here]] - p[0])
        out_r[here] = quaternion.multiply(move, r[within[here]])
    return out_p, out_r
