"""A source of motion that is no table: a walk computed from its phase, at a speed that it is asked for."""

import numpy as np

from kinematch.character.rig import make_rig
from kinematch.character.source import Projection, Sample, Status
from kinematch.database.features import QueryInput
from kinematch.math import quaternion
from kinematch.math.rotation import from_rotation_vector

STRIDE = 1.0  # s
LEAST = 0.25  # m/s of difference that is worth a change of speed


class CyclicWalk:
    """Knows nothing of frames: its state is a phase and a speed, its rate is time itself."""

    table = None

    def __init__(self, database):
        poses = database.poses
        self.skeleton, self.contact_joints, self.schema = poses.skeleton, poses.contact_joints, database.features.schema
        self.features = database.features
        self.rest = np.array(poses.positions[0], np.float64)
        self.rest[0] = 0.0
        self.legs = [
            self.skeleton.joint(f"{side}_{part}") for side in ("left", "right") for part in ("upper_leg", "lower_leg")
        ]
        phases = np.linspace(0, 1, 50, endpoint=False)
        self.rig = make_rig(self.skeleton, self.contact_joints, *self._pose(phases)[:2], self._contacts(phases))

    def give_examples(self):
        phases = np.linspace(0, 1, 50, endpoint=False)
        return (*self._pose(phases)[:2], self._contacts(phases))

    def create_state(self, count):
        return {"phase": np.zeros(count), "speed": np.zeros(count, np.float32)}

    def begin(self, state, characters):
        state.own["phase"][characters] = 0.0

    def change_settings(self, settings):
        pass

    def describe_status(self, state, characters):
        speed = state.own["speed"][characters]
        never = np.zeros(len(characters), bool)
        return Status(never, never, speed < 0.1, speed)

    def describe_pose(self, state, characters):
        return QueryInput(self.skeleton, None, np.zeros((len(characters), self.schema.width), np.float32))

    def frame_seconds(self, state, characters):
        return np.zeros(len(characters))

    def normalise(self, queries):
        return self.features.normalise(queries)

    def restore_units(self, queries):
        return queries * self.features.scale + self.features.offset

    def project(self, state, characters, queries, search):
        """The speed that the trajectory asks for at its last time."""
        physical, columns = self.restore_units(queries), self.schema.columns["trajectory_position"]
        speed = np.linalg.norm(physical[:, columns][:, -2:], axis=-1) / max(self.schema.times)
        change = np.abs(speed - state.own["speed"][characters])
        return Projection(
            speed, (change > LEAST) | ~np.full(len(speed), search.here), change.astype(np.float32),
            np.full(len(characters), -1, np.int32),
        )  # fmt: skip

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
        contacts = self._contacts(phase)
        soon = (phase + look / STRIDE) % 1.0
        left = np.stack([0.5 - soon % 0.5] * 2, axis=-1) * STRIDE
        zero = np.zeros((len(phase), contacts.shape[1]))
        return Sample(
            positions, rotations, np.zeros_like(positions), angular,
            np.stack([0 * speed, speed, 0 * speed], axis=-1), contacts, self._contacts(soon), left, zero, zero,
        )  # fmt: skip

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
