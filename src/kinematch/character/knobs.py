"""Knobs: the settings as the kernels take them, plain numbers in a fixed order."""

from typing import NamedTuple

from kinematch.character.kernels import transitions as t
from kinematch.character.settings import Settings
from kinematch.compile.handle import opening

TRANSITIONS = {"spring": t.SPRING, "quintic": t.QUINTIC, "dead": t.DEAD, "none": t.NONE}


class Knobs(NamedTuple):
    """Units as in Settings, which explains each."""

    velocity_halflife: float
    facing_halflife: float
    search_interval: float
    forced_interval: float
    velocity_change: float
    facing_change: float
    transition: int
    transition_halflife: float
    synchronization_halflife: float
    adjustment_halflife: float
    adjustment_ratio: float
    turn_halflife: float
    turn_ratio: float
    clamp_distance: float
    clamp_angle: float
    rate_change: float
    foot_lock: float
    lock_halflife: float
    unlock_halflife: float
    unlock_distance: float
    unlock_angle: float
    unlock_speed: float
    clearance: float
    extension: float
    pelvis: float
    pelvis_halflife: float
    ground_halflife: float


def knobs_of(settings: Settings) -> Knobs:
    numbers = {name: float(getattr(settings, name)) for name in Knobs._fields if name != "transition"}
    return Knobs(transition=TRANSITIONS[settings.transition], **numbers)


opened_knobs = opening(knobs_of(Settings()))
