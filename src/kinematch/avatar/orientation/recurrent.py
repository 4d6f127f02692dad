"""The default estimator: a recurrent network on all trackers, corrected by a waist tracker where there is one."""

from pathlib import Path

import numpy as np

from kinematch.avatar.orientation import kernels
from kinematch.avatar.orientation.estimator import (
    ARM_LENGTH,
    HEAD_HEIGHT,
    HEADSET_UNCERTAINTY,
    Direction,
    check_count,
    check_measures,
)  # fmt: skip
from kinematch.avatar.orientation.inputs import MIRROR_ORDER, MIRROR_SIGNS
from kinematch.avatar.orientation.network import NetworkState, OrientationNetwork, load_network, make_memory
from kinematch.avatar.trackers import POINTS, Trackers
from kinematch.errors import KinematchError

SHIPPED_FILE = Path(__file__).parent / "recurrent.safetensors"
MAX_STEP_SECONDS = 0.25  # s; a longer pause advances the state by no more


class RecurrentEstimator:
    """Directions of N users from a network; without one given, the one that ships with the package."""

    def __init__(self, count: int = 1, *, network: OrientationNetwork | None = None):
        self.network = load_network(SHIPPED_FILE)[0] if network is None else network
        self.reset(count)

    def reset(
        self, count: int, *, head_heights: np.ndarray | None = None, arm_lengths: np.ndarray | None = None
    ) -> None:
        """Forget everything and serve this many users."""
        self.memory: NetworkState = make_memory(self.network, count)
        self._head_heights = check_measures(head_heights, HEAD_HEIGHT, count, "head heights")
        self._arm_lengths = check_measures(arm_lengths, ARM_LENGTH, count, "arm lengths")
        self._yaws, self._fades = np.zeros(count), np.zeros(count)
        self._uncertainties = np.full(count, HEADSET_UNCERTAINTY)
        self._valid = np.zeros((count, len(POINTS)), bool)

    def estimate(self, joints: Trackers, dt: float) -> Direction:
        """Current directions. A user without a tracked headset keeps the last one."""
        check_count(joints, len(self._yaws))
        if not 0 <= dt < np.inf:
            raise KinematchError(f"a step of {dt} s, expected zero or more")
        network, memory, dt = self.network, self.memory, min(float(dt), MAX_STEP_SECONDS)
        kernels.advance_users(
            joints.positions, joints.rotations, joints.velocities, joints.angular_velocities, joints.valid,
            self._head_heights, self._arm_lengths, dt,
            network.inputs, network.hidden, network.input_biases, network.hidden_biases, network.outputs,
            network.output_biases, network.vectors, MIRROR_ORDER, MIRROR_SIGNS,
            memory.hidden, memory.past, memory.ages, memory.headings, memory.started, memory.relatives, memory.errors,
        )  # fmt: skip
        # when trackers come and go, the estimate continues from its last value and settles soon
        kernels.blend_users(
            joints.rotations, joints.valid, dt, memory.headings, memory.relatives, memory.errors,
            *network.trust, self._valid, self._fades, self._yaws, self._uncertainties,
        )  # fmt: skip
        return Direction(self._yaws.copy(), self._uncertainties.copy())
