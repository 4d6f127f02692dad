"""Springs: what depends on half-lives and the step's length alone, worked out once a step."""

from typing import NamedTuple

from kinematch.character.constants import TOE_GROUND_SHARE
from kinematch.compile.jit import inner
from kinematch.math.spring_kernels import Spring, find_remaining, make_spring


class Springs(NamedTuple):
    """The springs of a step, and the shares of gaps that decay."""

    velocity: Spring
    facing: Spring
    transition: Spring
    lock: Spring
    unlock: Spring
    pelvis: Spring
    ground: Spring
    toe_ground: Spring
    synchronization: float  # what is left of a gap
    adjustment: float
    turn: float
    dt: float  # s


@inner
def make_springs(settings, dt):
    return Springs(
        make_spring(settings.velocity_halflife, dt), make_spring(settings.facing_halflife, dt),
        make_spring(settings.transition_halflife, dt), make_spring(settings.lock_halflife, dt),
        make_spring(settings.unlock_halflife, dt), make_spring(settings.pelvis_halflife, dt),
        make_spring(settings.ground_halflife, dt), make_spring(TOE_GROUND_SHARE * settings.ground_halflife, dt),
        find_remaining(settings.synchronization_halflife, dt), find_remaining(settings.adjustment_halflife, dt),
        find_remaining(settings.turn_halflife, dt), dt,
    )  # fmt: skip
