"""How people hold themselves: time in calibration poses, heads lower than the command asks for, and bent stands."""

from collections.abc import Sequence

import numpy as np

from kinematch.evaluate.run import Take
from kinematch.motion.labels.posture import measure_posture

ARMS_OUT, STRAIGHT = np.radians(25), np.radians(45)  # of a T-pose: off sideways, and bends of the elbows
UPRIGHT = (0.88, 0.78)  # head height against the T-pose's, when commanded to stand or walk, and to run
RUNS = 2.0  # m/s, wanted
STANDS = 0.2  # m/s of the hips, below which a character commanded to stand does so
LEAN = np.radians(20)


def measure_bearing(takes: Sequence[Take]) -> dict[str, float]:
    """Shares of the time over all takes; nothing for bodies that are no humanoids."""
    out, low, stands, bent = [], [], [], []
    for take in takes:
        posture = measure_posture(take.clip())
        if posture is None:
            return {}
        wanted = np.linalg.norm(take.velocities, axis=-1)
        out.append((posture.arm_angles.max(axis=1) < ARMS_OUT) & (posture.elbow_bends.max(axis=1) < STRAIGHT))
        low.append(posture.head_heights < np.where(wanted > RUNS, UPRIGHT[1], UPRIGHT[0]))
        stands.append((wanted == 0) & (posture.hip_speeds < STANDS))
        bent.append(low[-1] | (posture.lean > LEAN))
    standing = np.concatenate(stands)
    return {
        "calibration": float(np.concatenate(out).mean()),
        "head_low": float(np.concatenate(low).mean()),
        "bent_standing": float(np.concatenate(bent)[standing].mean()) if standing.any() else 0.0,
    }
