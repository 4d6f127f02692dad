"""Problems of a camera's view, in plain words."""

from collections import Counter, deque

from kinematch.camera.landmarks import Landmarks
from kinematch.camera.projection import MIN_VISIBILITY

MIN_BRIGHTNESS = 0.12  # mean brightness of a picture, 0 to 1
MAX_MISFIT = 0.3  # m by which nose and wrists of camera and trackers differ
VOTE_FRAMES = 9  # frames, of which most must agree on a word
NOBODY_SEEN = "no person is visible: step back until the whole body is in the picture"


def name_problem(frame: Landmarks, *, people: int = 1, brightness: float = 1.0, residual: float = 0.0) -> str:
    """The worst that is wrong with a frame of landmarks; empty if nothing is.

    `people` found in the picture, its mean `brightness` (0 to 1), and by how much (m) trackers do not fit.
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
    """A word that does not flicker: the one that most of the last frames agree on."""

    def __init__(self) -> None:
        self._words: deque[str] = deque(maxlen=VOTE_FRAMES)

    def watch(self, word: str) -> str:
        """What to say, now that this is wrong with the newest frame."""
        self._words.append(word)
        return Counter(self._words).most_common(1)[0][0]
