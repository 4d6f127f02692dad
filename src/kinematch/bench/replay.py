"""A robot's motion replayed in MuJoCo: which bodies touch, and how deep."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kinematch.robot.model import TO_FILE, RobotModel
from kinematch.robot.motion import RobotMotion


class Replay:
    """One robot, and the same model as MuJoCo opened it."""

    def __init__(self, model: RobotModel, reference: Any):
        import mujoco

        self.mujoco, self.reference, self.data = mujoco, reference, mujoco.MjData(reference)
        numbers = [mujoco.mj_name2id(reference, mujoco.mjtObj.mjOBJ_JOINT, name) for name in model.hinge_names]
        self.addresses = reference.jnt_qposadr[numbers]
        self.base = next((int(reference.jnt_qposadr[j]) for j in np.flatnonzero(reference.jnt_type == 0)), None)

    def find_contacts(
        self, base: np.ndarray, turn: np.ndarray, angles: np.ndarray
    ) -> Iterator[tuple[tuple[str, ...], float, bool]]:
        """Names of bodies, overlap (m), and whether one of them is the world, of each contact of a pose."""
        self.data.qpos[self.addresses] = angles
        if self.base is not None:
            place = np.concatenate([base[TO_FILE], turn[:1], turn[1:][TO_FILE]])
            self.data.qpos[self.base : self.base + 7] = place
        self.mujoco.mj_kinematics(self.reference, self.data)
        self.mujoco.mj_collision(self.reference, self.data)
        for contact in self.data.contact[: self.data.ncon]:
            bodies = [int(self.reference.geom_bodyid[geom]) for geom in (contact.geom1, contact.geom2)]
            fixed = any(self.reference.body_weldid[body] == 0 for body in bodies)
            yield tuple(self.reference.body(body).name for body in bodies), -float(contact.dist), fixed

    def count_collisions(self, motion: RobotMotion) -> tuple[int, float]:
        """Frames in which limbs overlap, and the deepest overlap with the floor in metres."""
        touching, deepest = 0, 0.0
        for pose in zip(motion.base_positions, motion.base_rotations, motion.angles):
            found = list(self.find_contacts(*pose))
            touching += any(overlap > 0 and not fixed for _, overlap, fixed in found)
            if self.base is not None:
                deepest = max([deepest, *(overlap for _, overlap, fixed in found if fixed)])
        return touching, deepest
