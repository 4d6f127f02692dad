"""What both hands do together: rest on the knees, or hold something in front of the body."""

import numpy as np

from kinematch.math.quaternion import Array
from kinematch.motion.labels.posture import SIDES, Posture

ON_KNEE_LEGS, OFF_KNEE_LEGS = (
    0.27,
    0.33,
)  # leg lengths from wrist to knee; resting hands are at 0.2, hanging ones of a bent body at 0.35
APART = (0.12, 0.75)  # m between the wrists; folded hands are closer, and larger things are not carried
IN_FRONT = 0.15  # m from the hips to the wrists, forward
BETWEEN = (-0.12, 0.5)  # m above the hips: from the thighs to the shoulders
BENT = (np.radians(35), np.radians(135))  # elbows; outstretched arms hold nothing heavy, and a guard is tighter
STEADY = 0.05  # m by which the distance between the hands changes within a step; what is carried keeps them apart
STEP = 0.5  # s on either side


def rest_on_knees(posture: Posture, at: dict[str, Array], leg: float) -> tuple[Array, Array]:
    """Frames (F,) in which a body that stands bent forward leans on its knees: where it begins, and where it has ended.

    `at` are places of joints (F, 3) m by role, `leg` the length of a leg in m."""
    away = np.max(
        [np.linalg.norm(at[f"{side}_hand"] - at[f"{side}_lower_leg"], axis=-1) / leg for side in SIDES], axis=0
    )
    ankles = np.minimum(at["left_foot"][:, 1], at["right_foot"][:, 1])
    stands = (at["hips"][:, 1] - ankles > 0.65 * leg) & (posture.foot_speeds < 0.15)
    rests = (away < ON_KNEE_LEGS) & stands & (posture.lean > np.radians(30)) & (posture.hand_speeds < 0.3)
    return rests, (away > OFF_KNEE_LEGS) | (posture.lean < np.radians(25)) | (posture.foot_speeds > 0.4)


def hold_in_front(posture: Posture, ahead: Array) -> Array:
    """Frames (F,) in which both hands are in front of the body and stay as far apart as they are: as around a box.

    `ahead` (F, 3) is where the body faces."""
    from scipy.ndimage import maximum_filter1d, minimum_filter1d  # here, since it is slow to import

    hands = posture.hands
    apart = np.linalg.norm(hands[:, 0] - hands[:, 1], axis=-1)
    window = 2 * round(STEP * posture.frame_rate) + 1
    change = maximum_filter1d(apart, window, mode="nearest") - minimum_filter1d(apart, window, mode="nearest")
    forward = np.sum(hands * ahead[:, None], axis=-1).min(axis=1) > IN_FRONT
    between = (hands[..., 1] > BETWEEN[0]).all(axis=1) & (hands[..., 1] < BETWEEN[1]).all(axis=1)
    bent = ((posture.elbow_bends > BENT[0]) & (posture.elbow_bends < BENT[1])).all(axis=1)
    return (apart > APART[0]) & (apart < APART[1]) & (change < STEADY) & forward & between & bent
