"""Looping clips: close the seam, and continue the root's motion past either end."""

import numpy as np

from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip

MIN_JUMP_ANGLE = np.radians(1)  # rad, mean over joints; a smaller jump is not visible
LONGEST_GAP = 0.07  # s that the end of a file may be short of its beginning: two frames at 30 fps
EASED = 0.2  # s on either side of the seam over which what does not fit is spread


def close_loop(clip: Clip) -> tuple[Clip, str | None]:
    """The clip ending with its first pose, where the next round begins, and a warning if it hardly loops.

    In some files the last frame repeats the first; others stop a frame or two of their own rate short of it, and get
    the missing frames. What poses and velocities still differ by at the seam is spread over both sides of it.
    """
    turns = quaternion.angle(clip.rotations[1:, 1:], clip.rotations[:-1, 1:]).mean(axis=-1)  # (F - 1,) rad a frame
    seam = float(quaternion.angle(clip.rotations[-1, 1:], clip.rotations[0, 1:]).mean())
    usual = float(np.median(turns)) if len(turns) else 0.0
    warning = None
    if seam > max(MIN_JUMP_ANGLE, 3 * usual, 3 * float(turns.max(initial=0)), LONGEST_GAP * clip.frame_rate * usual):
        warning = f"loop = true, but its last pose is {np.degrees(seam):.1f} degrees a joint from its first"
    if clip.frame_count < 3:
        return clip, warning
    missing = 0
    if seam > usual / 2:
        pace = max(float(turns[0] + turns[-1]) / 2, usual / 2)
        missing = min(max(1, round(seam / pace)), max(1, round(LONGEST_GAP * clip.frame_rate))) if pace else 1
    eased = max(1, min(round(EASED * clip.frame_rate), (clip.frame_count - 1) // 2))
    positions, rotations = _extrapolate(clip, missing)
    positions[:, 1:], rotations[:, 1:] = _join_ends(positions[:, 1:], rotations[:, 1:], eased)
    positions[:, 0], rotations[:, 0] = _join_root(clip, missing, eased)
    return clip.with_(positions=positions, rotations=rotations), warning


def _extrapolate(clip: Clip, missing: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and rotations in float64, with `count` frames added that continue the clip's last motion."""
    p, r = clip.positions.astype(np.float64), clip.rotations.astype(np.float64)
    n = np.arange(1, missing + 1)[:, None, None]
    steps, spins = np.diff(p[-3:], axis=0), _spins(r[-3:])
    # each step changes by half of what the last one did: a difference of differences is as much noise as motion
    bend = n * (n + 1) / 4
    turns = rotation.from_rotation_vector(n * spins[1] + bend * (spins[1] - spins[0]))
    further = p[-1] + n * steps[1] + bend * (steps[1] - steps[0])
    return np.concatenate([p, further]), np.concatenate([r, quaternion.multiply(turns, r[-1])])


def _join_ends(p: np.ndarray, r: np.ndarray, eased: int) -> tuple[np.ndarray, np.ndarray]:
    """Joints whose last pose is their first, and whose velocities agree there: each end goes half of the way."""
    gap, gap_turn = p[0] - p[-1], _spins(np.stack([r[-1], r[0]]))[0]
    slope = _begin(np.diff(p[:3], axis=0)) - _begin(np.diff(p[-3:], axis=0)[::-1])
    slope_turn = _begin(_spins(r[:3])) - _begin(_spins(r[-3:])[::-1])
    u = (np.arange(eased + 1) / eased)[:, None, None]
    value, tangent = 1 - 3 * u**2 + 2 * u**3, eased * (u - 2 * u**2 + u**3)  # cubic Hermite, to nothing at u = 1
    backward = slice(len(p) - 1, None if len(p) == eased + 1 else len(p) - eased - 2, -1)
    for half, sign in ((slice(0, eased + 1), -1), (backward, 1)):
        p[half] += (sign * gap * value - slope * tangent) / 2
        turn = (sign * gap_turn * value - slope_turn * tangent) / 2
        r[half] = quaternion.multiply(rotation.from_rotation_vector(turn), r[half])
    p[-1], r[-1] = p[0], r[0]
    return p, r


def _spins(r: np.ndarray) -> np.ndarray:
    """Rotation vectors from each frame to the next, in the parent's axes."""
    return rotation.to_rotation_vector(quaternion.multiply(r[1:], quaternion.inverse(r[:-1])))


def _begin(steps: np.ndarray) -> np.ndarray:
    """The velocity at the beginning of two steps: the first is that of half a step later."""
    return 1.5 * steps[0] - 0.5 * steps[1]


def _join_root(clip: Clip, missing: int, eased: int) -> tuple[np.ndarray, np.ndarray]:
    """The root's track with frames for the missing ones, whose last steps go over into its first."""
    p, r = clip.positions[:, 0].astype(np.float64), clip.rotations[:, 0].astype(np.float64)
    steps = np.concatenate(_steps(p, r), axis=-1)
    across = (steps[0] + steps[-1]) / 2
    u = (np.arange(min(eased, len(steps))) / eased)[:, None]
    value = 1 - 3 * u**2 + 2 * u**3
    first, last = across - steps[0], across - steps[-1]
    steps[: len(u)] += value * first
    steps[len(steps) - len(u) :] += value[::-1] * last
    steps = np.concatenate([steps, np.tile(across, (missing, 1))])
    places, facings = [p[0]], [r[0]]
    for step in steps:
        places.append(places[-1] + quaternion.rotate(facings[-1], step[:3]))
        facings.append(quaternion.multiply(facings[-1], rotation.from_rotation_vector(step[3:])))
    return np.array(places), np.array(facings)


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
