"""Problems of a camera's view, in plain words."""

from collections import Counter, deque

from kinematch.camera.landmarks import Landmarks
from kinematch.camera.projection import MIN_VISIBILITY

MIN_BRIGHTNESS = 0.12  # mean brightness of a picture, 0 to 1
MAX_MISFIT = 0.3  # m by which nose and wrists of camera and trackers differ
VOTE_FRAMES = 9  # frames, most of which must have the same problem
NOBODY_SEEN = "no person is visible: step back until the whole body is in the picture"


def name_problem(frame: Landmarks, *, people: int = 1, brightness: float = 1.0, residual: float = 0.0) -> str:
    """The worst problem of a frame of landmarks, in a sentence; empty without one.

    `people` found in the picture, its mean `brightness` (0 to 1), and misfit (m) of the trackers.
    """
    visibility = frame.visibility[0]

    def is_hidden(part: str) -> bool:
        return bool(visibility[frame.find((f"left_{part}", f"right_{part}"))].min() < MIN_VISIBILITY)

    if brightness < MIN_BRIGHTNESS:
        return "too dark: turn on a light, or face the window"
    if not frame.seen[0] or visibility[frame.find(("nose",))[0]] < MIN_VISIBILITY:
        return NOBODY_SEEN if people < 2 else "the followed person is gone; only others are seen"
    if people > 1:
        return "more than one person is seen; one of them is followed"
    if residual > MAX_MISFIT:
        return "camera and trackers do not agree: does the camera see the person with the trackers?"
    if is_hidden("hip"):
        return "hips are not seen: step back, or tilt the camera down"
    if is_hidden("ankle"):
        return "feet are not seen: step back, or tilt the camera down"
    return ""


class ProblemVote:
    """A steady message: the one that most of the last frames have in common."""

    def __init__(self) -> None:
        self._words: deque[str] = deque(maxlen=VOTE_FRAMES)

    def watch(self, word: str) -> str:
        """The message to show, after adding the newest frame's problem."""
        self._words.append(word)
        return Counter(self._words).most_common(1)[0][0]
