"""Faults: what makes a cleaned clip unfit for a database, measured against the stretch of a file it was made of."""

import numpy as np

from kinematch.errors import KinematchError
from kinematch.math import quaternion
from kinematch.motion.clean.edit import leg_length
from kinematch.motion.clean.floor import lowest_points
from kinematch.motion.clip import Clip
from kinematch.motion.kinematics import MAX_BODY_SPEED, global_pose, measure_body_speeds

MIN_JUMP = 0.3  # m: a shorter one is noise of a fast camera
MAX_SUNK = 0.6  # leg lengths by which hips may be nearer to the feet, or farther from them, than in the file
OFTEN_SUNK, MAX_SUNK_SHARE = 0.3, 0.1  # the same, allowed for at most this share of the time
MIN_MOTION = np.radians(0.05)  # rad that any joint turns between two samples, below which a pose counts as frozen
MAX_FROZEN_SECONDS = 1.0  # for which a cleaned clip may be frozen while the file moves
LOOKS_PER_SECOND = 10.0


def find_fault(stretch: Clip, cleaned: Clip) -> str:
    """Why a cleaned clip is unfit; empty if it is not. `stretch` is the same part of the file, not yet retargeted."""
    return _find_jump(stretch) or _find_sunk_body(stretch, cleaned) or _find_frozen_body(stretch, cleaned)


def is_still(clip: Clip) -> bool:
    """Whether nothing moves in a clip of several frames."""
    turned = quaternion.angle(clip.rotations, clip.rotations[:1]).max(initial=0.0)
    return clip.frame_count > 1 and turned < MIN_MOTION and np.ptp(clip.positions, axis=0).max(initial=0.0) < 1e-4


def _find_jump(clip: Clip) -> str:
    speeds = measure_body_speeds(clip)
    worst = int(np.argmax(speeds)) if len(speeds) else 0
    if not len(speeds) or speeds[worst] < max(MAX_BODY_SPEED, MIN_JUMP * clip.frame_rate):
        return ""
    seconds, metres = (worst + 1) / clip.frame_rate, speeds[worst] / clip.frame_rate
    return f"its body jumps {metres:.1f} m in one frame ({speeds[worst]:.0f} m/s), {seconds:.2f} s after its beginning"


def _find_sunk_body(stretch: Clip, cleaned: Clip) -> str:
    """Hips that are much nearer to the feet, or farther from them, than in the file."""
    before, after = (_measure_hips(*one) for one in _look(stretch, cleaned))
    if before is None or after is None:
        return ""
    wrong = np.abs(after - before)
    worst = int(np.argmax(wrong))
    if wrong[worst] <= MAX_SUNK and (wrong > OFTEN_SUNK).mean() <= MAX_SUNK_SHARE:
        return ""
    where = f"{worst / LOOKS_PER_SECOND:.1f} s after its beginning"
    return f"its hips are {after[worst]:.2f} leg lengths above the feet {where}, in the file {before[worst]:.2f}"


def _measure_hips(clip: Clip, frames: np.ndarray) -> np.ndarray | None:
    """Height of the hips above the lower foot in leg lengths; None for other rigs than humanoids."""
    chosen = clip.with_(positions=clip.positions[frames], rotations=clip.rotations[frames])
    try:
        length, lowest = leg_length(clip.skeleton), lowest_points(chosen)
    except KinematchError:  # no legs, or no feet
        return None
    if "hips" not in clip.skeleton.roles or length <= 0:
        return None
    hips = global_pose(chosen)[0][:, clip.skeleton.roles["hips"], 1]
    return (hips - lowest) / length


def _find_frozen_body(stretch: Clip, cleaned: Clip) -> str:
    moves = []
    for clip, frames in _look(stretch, cleaned):
        rotations = clip.rotations[frames].astype(np.float64)
        moves.append(quaternion.angle(rotations[1:], rotations[:-1]).max(axis=1, initial=0.0) > MIN_MOTION)
    frozen = moves[0] & ~moves[1]
    run, longest = 0, 0
    for one in frozen.tolist():
        run = run + 1 if one else 0
        longest = max(longest, run)
    seconds = longest / LOOKS_PER_SECOND
    return f"it is frozen for {seconds:.1f} s while the file moves" if seconds > MAX_FROZEN_SECONDS else ""


def _look(*clips: Clip) -> list[tuple[Clip, np.ndarray]]:
    """Each clip with the frames that show the same moments."""
    seconds = min(clip.frame_count / clip.frame_rate for clip in clips)
    times = np.arange(0.0, seconds, 1 / LOOKS_PER_SECOND)
    return [(one, np.minimum(np.round(times * one.frame_rate).astype(int), one.frame_count - 1)) for one in clips]
