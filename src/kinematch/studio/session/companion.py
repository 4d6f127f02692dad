"""Companion: what a character of a crowd plays, shown on another body at another place, with its own planted feet."""

from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.lookups import find_ground_below
from kinematch.character.pose import Pose
from kinematch.character.seams import take_sample
from kinematch.character.step.step import END, FEET, MOVE, SHOW
from kinematch.character.step.transition import ROW_BEFORE
from kinematch.motion.retarget.retargeting import Retargeting

LEAP = 0.5  # m in one step, from which a companion was put elsewhere rather than walked there
OWN = ("feet.", "past.")  # of the state, what a companion has for itself
COMPUTED = ("rotations", "places", "contacts", "contact_left", "toe_heights")  # of rows


class Companion:
    """A follower: it copies another character's motion, runs no search and has no layers.

    Retargeting, foot lock, pelvis and terrain are those of a crowd that wears the body.
    """

    def __init__(self, crowd: Crowd, body: Retargeting, position: Any):
        """Of the first character of a crowd; `position` (3,) m is where it begins."""
        self.crowd = Crowd(crowd.sources, 1, settings=crowd.settings, skeleton=body, terrain=crowd.terrain)
        self.pose: Pose | None = None
        self._followed: Crowd | None = None
        self._shared: list[tuple[np.ndarray, np.ndarray]] = []
        self._place(np.asarray(position, np.float64), float(crowd.root_yaws[0]))

    def step(self, crowd: Crowd, pose: Pose, place: tuple[float, float], dt: float) -> Pose:
        """Its pose after a step of the crowd that gave `pose`, standing at x and z of `place`, in metres.

        The result is of the same arrays each time.
        """
        own = self.crowd
        if own.settings is not crowd.settings:
            own.settings = crowd.settings
        own.terrain, own.filters = crowd.terrain, crowd.filters
        self.pose = own.prepare_pose(self.pose)
        before = own.root_positions[0].astype(np.float64)
        own.runner.refresh(own.settings, own.filters)
        earlier = self._find_toes() if pose.jumped[0] and crowd.settings.transition != "none" else None
        for mine, theirs in self._find_shared(crowd):
            mine[:] = theirs[:1]
        own.runner.run(0.0, MOVE, SHOW)
        position = np.array([place[0], before[1], place[1]])
        if np.hypot(*(position - before)[[0, 2]]) > LEAP:
            self._place(position, float(crowd.root_yaws[0]))
        own.root_positions[0, [0, 2]], own.root_yaws[0] = place, crowd.root_yaws[0]
        own.root_positions[0, 1] = own.state.feet.grounds[0, 0, 0]
        if earlier is not None and own.settings.foot_lock:
            self._offset_toes(earlier, dt)
        own.runner.retarget(self.pose)
        own.runner.run(0.0, SHOW, FEET)
        own.runner.set_ground(*find_ground_below(own, self.pose, dt))
        own.runner.run(dt, FEET, END)
        return self.pose

    def _find_shared(self, crowd: Crowd) -> list[tuple[np.ndarray, np.ndarray]]:
        """Arrays of the companion, and those of the crowd that they are copied from; both stay where they are."""
        if self._followed is not crowd:
            own, state = self.crowd, crowd.state.arrays()
            self._followed = crowd
            self._shared = [(array, state[n]) for n, array in own.state.arrays().items() if not n.startswith(OWN)]
            for number, rows in own.runner.rows.items():  # poses that were computed, not read from a table
                other = crowd.runner.rows[number]
                self._shared += [(getattr(rows, name), getattr(other, name)) for name in COMPUTED]
        return self._shared

    def _find_toes(self) -> tuple[np.ndarray, np.ndarray]:
        """Heights (K,) m and rates (K,) m/s of the contact joints in what plays."""
        take_sample(self.crowd, int(self.crowd.state.playing.sources[0]), 0, ROW_BEFORE)
        sample = self.crowd.runner.scratch[0].sample
        return sample.toe_heights[ROW_BEFORE].astype(np.float64), sample.toe_rates[ROW_BEFORE].astype(np.float64)

    def _offset_toes(self, before: tuple[np.ndarray, np.ndarray], dt: float) -> None:
        """Toes go on at the height that the clip before the jump had for them, as step.transition has it."""
        (heights, rates), (after, after_rates), rig = before, self._find_toes(), self.crowd.rig
        feet, legs = self.crowd.state.feet, self.crowd.rig.leg_contacts
        jumped_to = after - dt * after_rates  # the jump was at the beginning of the step
        feet.offsets[0, :, 1] += (heights - jumped_to)[legs] * rig.scale
        feet.rates[0, :, 1] += (rates - after_rates)[legs] * rig.scale

    def _place(self, position: np.ndarray, yaw: float) -> None:
        """Stand somewhere else, with feet that are free."""
        if self.crowd.terrain is not None:
            position = np.array([position[0], self.crowd.terrain.heights(position[None, [0, 2]])[0], position[2]])
        self.crowd.teleport(position[None], np.array([yaw]))
