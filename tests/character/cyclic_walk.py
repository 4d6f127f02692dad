"""A source of motion that is no table: a walk computed from its phase, at a speed that it is asked for."""

import numpy as np

from kinematch.character.source import Projection, Sample
from kinematch.database.description import SourcePoses, describe_source
from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector

STRIDE = 1.0  # s
LEAST = 0.25  # m/s of difference that is worth a change of speed


class CyclicWalk:
    """Knows nothing of frames: its state is a phase and a speed, its rate is time itself."""

    def __init__(self, database):
        poses = database.poses
        self.skeleton = poses.skeleton
        self.rest = np.array(poses.positions[0], np.float64)
        self.rest[0] = 0.0
        self.legs = [
            self.skeleton.joint(f"{side}_{part}") for side in ("left", "right") for part in ("upper_leg", "lower_leg")
        ]
        phases = np.linspace(0, 1, 50, endpoint=False)
        own = SourcePoses(*self._pose(phases)[:2], self._contacts(phases))
        self.description = describe_source(database, poses=own, state={"phase": 0.0, "speed": np.float32(0)})

    def project(self, state, characters, queries, search):
        """The speed that the trajectory asks for at its last time."""
        physical, schema = self.description.restore_units(queries), self.description.schema
        wanted = physical[:, schema.columns["trajectory_position"]]
        speed = np.linalg.norm(wanted[:, -2:], axis=-1) / max(schema.times)
        change = np.abs(speed - state.own["speed"][characters])
        return Projection(speed, (change > LEAST) | (not search.here), change.astype(np.float32))

    def enter(self, state, characters, targets):
        state.own["speed"][characters] = targets

    def advance(self, state, characters, seconds):
        own = state.own
        own["phase"][characters] = (own["phase"][characters] + seconds / STRIDE) % 1.0
        ahead = own["speed"][characters] * seconds
        return np.stack([0 * ahead, ahead, 0 * ahead], axis=-1)

    def decode(self, state, characters, look=0.0):
        own = state.own
        phase, speed = own["phase"][characters], own["speed"][characters].astype(float)
        positions, rotations, angular = self._pose(phase)
        velocities = np.zeros_like(positions)
        velocities[:, 0, 2] = speed
        soon = (phase + look / STRIDE) % 1.0
        left = self._contacts(soon) * (0.5 - soon % 0.5)[:, None] * STRIDE
        return Sample(positions, rotations, velocities, angular, self._contacts(phase), left)

    def _contacts(self, phase):
        return np.stack([phase < 0.5, phase >= 0.5], axis=-1)

    def _pose(self, phase):
        joints = self.skeleton.joint_count
        positions = np.tile(self.rest, (len(phase), 1, 1))
        vectors, rates = np.zeros((2, len(phase), joints, 3))
        w = 2 * np.pi / STRIDE
        for k, joint in enumerate(self.legs):
            shift = np.pi * (k // 2)
            angle, knee = 2 * np.pi * phase + shift, k % 2
            vectors[:, joint, 0] = 0.3 + 0.25 * np.sin(angle) if knee else -0.4 * np.cos(angle)
            rates[:, joint, 0] = 0.25 * w * np.cos(angle) if knee else 0.4 * w * np.sin(angle)
        rotations = quaternion.multiply(self.skeleton.rotations.astype(float), from_rotation_vector(vectors))
        return positions, rotations, quaternion.rotate(self.skeleton.rotations.astype(float), rates)
