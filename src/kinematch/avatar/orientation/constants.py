"""Numbers that the network's plain functions, its kernels and its training share."""

import numpy as np

AVERAGE_SECONDS = (0.3, 1.0, 3.0, 9.0)  # s that the averages of the past reach back
# ground vectors: the head's forward axis and velocity, the left and the right hand seen from the head
AVERAGED_VECTORS = 4
REFERENCE_RATE = 60.0  # samples per second at which a gate's number is the share that it lets in

# A headset that turns by more than this beyond its own angular velocity did not turn: its space was turned (recentred)
MAX_HELD_TURN = float(np.radians(10))
MAX_HELD_TURN_GROWTH = float(np.radians(5000))  # rad/s^2, half of what the fastest heads accelerate by

WAIST_UNCERTAINTY = float(np.radians(2))  # of a waist tracker that sits as calibrated
FADE_HALFLIFE = 0.15  # s half-life of the difference when a tracker is lost or found
