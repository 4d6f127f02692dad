"""Planted feet stay planted: targets of soles are locked at contacts, then released with a spring."""

import numpy as np

from kinematch.compile.jit import kernel, part
from kinematch.math.kernels import about, inverse, multiply, read3, read4, rotate, write3, write4
from kinematch.math.spring import HALFLIFE_FACTOR
from kinematch.robot.kernels.rotations import mix

MAX_PITCH = 1.0  # rad that a planted foot pitches over its toes
# rad of pitch, toes down being positive, and sine of roll, between which a foot on the floor stands on its sole
MIN_STANDING_PITCH, MAX_STANDING_PITCH, MAX_ROLL = -0.8, 1.4, 0.7
PITCH_AXIS, UP, FORWARD = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@kernel
def plant_feet(plan, state, contacts, dt, targets, wanted):
    """Replace the targets of ankles by those of the soles' tips, and the rotations wanted of feet."""
    lock, release, heel = plan.numbers[4], plan.numbers[5], plan.numbers[6]
    keep_on = 0.5 ** (dt / lock) if lock > 0 else 0.0
    keep_off = 0.5 ** (dt / release) if release > 0 else 0.0
    stiffness = HALFLIFE_FACTOR / release if release > 0 else 1e3 / dt
    fade = np.exp(-stiffness * dt)
    for k in range(2):
        segment = plan.task_segments[4 + k]
        raw, ankle = read4(wanted, segment), read3(targets, 4 + k)
        stand, tip = read4(plan.foot_axes, k), read3(plan.tips, k)
        level = multiply(raw, inverse(stand))
        _heading, pitch = find_heading(level)
        # who lies has feet on the floor that do not stand on their soles
        lying = (
            pitch < MIN_STANDING_PITCH or pitch > MAX_STANDING_PITCH or np.abs(rotate(level, PITCH_AXIS)[1]) > MAX_ROLL
        )
        pitch = min(max(pitch - heel, 0.0), MAX_PITCH)
        down = contacts[k] and not lying
        if down and state.planted[k] == 0.0:  # lock the tip where the target has it now
            share = state.shares[k] * plan.flat[k]
            turn = mix(raw, multiply(stand_at(state.headings[k], pitch), stand), share)
            away = rotate(turn, tip)
            state.anchors[k, 0] = ankle[0] + state.slips[k, 0] + away[0]
            state.anchors[k, 1] = ankle[2] + state.slips[k, 1] + away[2]
            state.headings[k] = find_heading(multiply(turn, inverse(stand)))[0]
        if down:
            state.shares[k] = 1.0 - (1.0 - state.shares[k]) * keep_on
        else:
            state.shares[k] *= keep_off
        share = state.shares[k] * plan.flat[k]
        turn = mix(raw, multiply(stand_at(state.headings[k], pitch), stand), share)
        away = rotate(turn, tip)
        for i in range(2):
            if down:
                slip = state.anchors[k, i] - away[2 * i] - ankle[2 * i]
                state.slip_speeds[k, i] = (slip - state.slips[k, i]) / dt if state.planted[k] else 0.0
                state.slips[k, i] = slip
            else:  # a critically damped spring that starts at the speed of the lock: the foot leaves the floor gently
                pull = state.slip_speeds[k, i] + state.slips[k, i] * stiffness
                state.slips[k, i] = fade * (state.slips[k, i] + pull * dt)
                state.slip_speeds[k, i] = fade * (state.slip_speeds[k, i] - pull * stiffness * dt)
        state.planted[k] = 1.0 if down else 0.0
        x, y, z = ankle[0] + state.slips[k, 0], ankle[1], ankle[2] + state.slips[k, 1]
        low = np.inf
        for i in range(plan.soles.shape[1]):
            low = min(low, y + rotate(turn, read3(plan.soles[k], i))[1] - plan.sole_radii[k, i])
        y -= low if low < 0 else state.shares[k] * low
        write4(wanted, segment, turn)
        write3(targets, 4 + k, (x + away[0], y + away[1], z + away[2]))


@part
def find_heading(turn):
    """Heading and pitch (toes down is positive) of a foot, from its turn against standing flat and facing +Z.

    The heading is that of the axis across the foot, which stays level however far the heel is up.
    """
    across, ahead = rotate(turn, PITCH_AXIS), rotate(turn, FORWARD)
    heading = np.arctan2(-across[2], across[0])
    return heading, np.arctan2(-ahead[1], ahead[0] * np.sin(heading) + ahead[2] * np.cos(heading))


@part
def stand_at(heading, pitch):
    """The turn of a foot that stands level across, its heel up by the pitch."""
    return multiply(about(UP, heading), about(PITCH_AXIS, pitch))
