"""The height of the pelvis: what the knee of the loaded leg asks for through a step, and what legs can reach."""

import numpy as np

from kinematch.synth import feet, gait
from kinematch.synth.footsteps import Footsteps, Stances, bouts
from kinematch.synth.gait import DEGREE, BodyCarriage
from kinematch.synth.path import GroundPath, smooth
from kinematch.synth.skeleton import HIP_DROP

STRIKE_KNEE, RUN_STRIKE_KNEE = 9 * DEGREE, 32 * DEGREE  # at landing: 5 in walking, less the give of the model's sole
SIDESTEP_KNEE, GATHERED_KNEE = 36 * DEGREE, 20 * DEGREE  # added at 1 m/s aside, and in the slow turn of a run
LOADED_KNEE = 18 * DEGREE  # half way from the strike of a walk to mid-stance
RUN_KNEE = 50 * DEGREE  # mid-stance flexion of a run
FLIGHT_RISE = 0.06  # m from landing to the top of the flight of a run
MOST_RISE = 0.1  # m from mid-stance to the top of the flight
TOP = 0.43  # share of the swing at which a walking body is highest over the other foot
STRAIGHTEST = 9 * DEGREE  # a planted leg bends at least this much: the pelvis gives way, not the knee


def heights(
    path: GroundPath,
    steps: Footsteps,
    both: tuple[Stances, Stances],
    posture: BodyCarriage,
    hips: tuple[np.ndarray, np.ndarray],
    *,
    gathered: np.ndarray,
) -> np.ndarray:
    """Heights (F,) over hip joints (F, 3) that belong to a pelvis at height zero.

    `gathered` (F,) is 1 where a runner steps slowly in order to turn or to start, on bent knees.

    Knots at landings, mid-stances and flights: highest over the standing leg of a walk and lowest between its steps,
    the other way round in a run.
    """
    from scipy.interpolate import PchipInterpolator  # here, since it is slow to import

    times, rate = path.times, path.frame_rate
    ankle = float(feet.ankle_in_plane(np.array(posture.heel), np.array(0.0))[1])
    stand = HIP_DROP + ankle + float(gait.leg_length(posture.idle_knee)) - 0.004
    knots: list[np.ndarray] = [np.array([times[0] - 1.0, times[-1] + 1.0])]
    values: list[np.ndarray] = [np.array([stand, stand])]

    def over(when: np.ndarray, sides: np.ndarray, knee: np.ndarray, pitch: np.ndarray, most: float) -> np.ndarray:
        """Heights over the planted feet of these sides, taken to be at most so far apart (m)."""
        out = np.empty(len(when))
        for side in (0, 1):
            mine = sides == side
            index = feet.stance_index(both[side], when[mine] + 1e-6)  # a landing belongs to its own stance
            foot = feet.planted_ankle(both[side], index, pitch[mine], np.zeros(mine.sum()))
            hip = np.stack([np.interp(when[mine], times, hips[side][:, axis]) for axis in range(3)], -1)
            reach = gait.leg_length(knee[mine])
            apart = np.hypot(hip[:, 0] - foot[:, 0], hip[:, 2] - foot[:, 2])
            apart = np.minimum(apart, np.minimum(most, 0.8 * reach))
            out[mine] = foot[:, 1] + np.sqrt(reach**2 - apart**2) - hip[:, 1]
        return out

    feet_, lifts, lands = steps.feet, steps.lifts, steps.lands
    run = np.interp((lifts + lands) / 2, times, path.running)
    give = np.interp(lands, times, SIDESTEP_KNEE * np.abs(path.local_velocities[:, 1]) + GATHERED_KNEE * gathered)
    speed = np.interp(lands, times, np.linalg.norm(path.velocities, axis=-1))
    flat = np.full(len(lands), posture.heel)
    # a body with bent knees is carried level: the knees have room to give
    bent = float(gait.ramp(posture.knee, 12 * DEGREE, 40 * DEGREE))
    tops = lifts + (TOP + 0.04 * run) * (lands - lifts)
    knee = posture.knee + max(RUN_KNEE - posture.knee, 0) * run + give * (1 - run)
    highest = over(tops, 1 - feet_, knee, flat, 0.16)
    knee = STRIKE_KNEE + give + 10 * DEGREE * np.maximum(speed - 1.3, 0.0)
    knee = knee + (RUN_STRIKE_KNEE - knee) * run
    strike = over(lands, feet_, knee, feet.strike_pitch(path, lands, posture), 0.6)
    following = np.append(tops[1:], np.inf)  # the next mid-stance
    first = np.array([int(np.searchsorted(lands, start / rate)) for start, _ in bouts(path)], int)
    last = np.append(first[1:], len(lands)) - 1
    goes_on = ~np.isin(np.arange(len(lands)), last)
    walks, flies = goes_on & (run < 0.5), goes_on & (run >= 0.5) & (np.append(lifts[1:], np.inf) < lands - 0.03)
    loading = np.where(walks, lands + 0.55 * (np.where(walks, following, lands) - lands), lands)
    loaded = over(loading, feet_, LOADED_KNEE + give, flat, 0.6)
    knots += [tops, lands, loading[walks], ((np.append(lifts[1:], 0.0) + lands) / 2)[flies]]
    values += [highest, strike + (highest - 0.015 - strike) * bent]
    values += [
        (loaded + (highest - 0.007 - loaded) * bent)[walks],
        np.minimum(strike + FLIGHT_RISE, highest + MOST_RISE)[flies],
    ]
    if len(first):
        knots += [lifts[first] - 0.35, lands[last] + 0.4]
        values += [np.full(len(first), stand)] * 2
    clock, high = np.concatenate(knots), np.concatenate(values)
    order = np.argsort(clock)
    clock, high = clock[order], high[order]
    distinct = np.concatenate([[True], np.diff(clock) > 0.03])  # a stand too short to be reached between two bouts
    return smooth(PchipInterpolator(clock[distinct], high[distinct])(times), 0.12, rate)


def overstretch(
    path: GroundPath, both: tuple[Stances, Stances], hips: list[np.ndarray], ankles: list[np.ndarray]
) -> np.ndarray:
    """How far (F,) the pelvis must come down, smoothly, for no planted leg to be over-stretched."""
    from scipy.ndimage import maximum_filter1d

    excess = np.zeros(len(path.facings))
    longest = float(gait.leg_length(STRAIGHTEST))
    for foot, hip, ankle in zip(both, hips, ankles):
        apart = np.hypot(hip[:, 0] - ankle[:, 0], hip[:, 2] - ankle[:, 2])
        highest = ankle[:, 1] + np.sqrt(np.maximum(longest**2 - apart**2, 0.1))
        excess = np.maximum(excess, np.where(feet.loads(foot, path.times) > 0, hip[:, 1] - highest, 0.0))
    # the average over a window no wider than that of the maximum is nowhere below the excess
    window = 0.2
    size = 2 * round(window * path.frame_rate / 2) + 3
    return smooth(maximum_filter1d(excess, size, mode="nearest"), window, path.frame_rate)
