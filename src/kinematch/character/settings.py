"""Settings: every tunable of a character, each with its unit, its valid range and what it does."""

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal, get_args

from kinematch.control.body import Halflives
from kinematch.copies import Unchanging
from kinematch.errors import KinematchError, unknown

Transition = Literal["spring", "quintic", "dead", "none"]
SPRING, QUINTIC, DEAD, NO_TRANSITION = range(len(get_args(Transition)))  # as kernels know them


def tunable(default: float, unit: str, low: float, high: float, text: str) -> Any:
    """A number with metadata for sliders, docs and tuning; `low` and `high` are its valid range."""
    return field(default=default, metadata={"unit": unit, "low": low, "high": high, "text": text})


@dataclass(frozen=True)
class Settings(Unchanging):
    """Every tunable of a character. Values are checked against their ranges; docs/character.md explains each."""

    # the simulated body
    velocity_halflife: float = tunable(
        Halflives().velocity, "s", 0.01, 2, "time for the simulated body to reach half of a new velocity"
    )
    facing_halflife: float = tunable(
        Halflives().facing, "s", 0.01, 2, "time for the simulated body to turn half of the angle to a new facing"
    )
    # the search
    search_interval: float = tunable(0.15, "s", 0.01, 2, "time between searches")
    forced_interval: float = tunable(
        0.1, "s", 0.0, 2, "minimum time between a search and one forced by a sharp change of command"
    )
    velocity_change: float = tunable(
        0.5, "m/s", 0.01, 10, "change of desired velocity since the last search that forces a new one"
    )
    facing_change: float = tunable(
        0.6, "rad", 0.01, 4, "change of desired facing since the last search that forces a new one"
    )
    stay_bias: float = tunable(0.2, "cost", 0.0, 10, "margin by which a jump must beat the playing frame")
    ignore: float = tunable(1.0, "s", 0.0, 5, "range around the playing frame that a search ignores")
    responsiveness: float = tunable(
        1.0, "", 0.0, 100, "weight of the trajectory: higher values follow the command more closely"
    )
    quality: float = tunable(1.0, "", 0.0, 100, "weight of the pose: higher values make jumps smoother")
    weights: Mapping[str, float] = field(default_factory=dict)  # by feature; those left out keep the database's own
    # transitions
    transition: Transition = "spring"
    transition_halflife: float = tunable(0.17, "s", 0.001, 1, "time for half of a jump's offset to decay")
    # adjustment
    synchronization_halflife: float = tunable(
        0.0, "s", 0.0, 10, "time to close half of the distance and angle to the simulated body, at any speed; 0 is off"
    )
    adjustment_halflife: float = tunable(
        0.3, "s", 0.0, 10, "time to close half of the distance to the simulated body while moving; 0 is off"
    )
    adjustment_ratio: float = tunable(0.2, "", 0.0, 10, "maximum adjustment, as a fraction of the root's own speed")
    turn_halflife: float = tunable(
        0.3, "s", 0.0, 10, "time to close half of the angle to the simulated body's facing while turning; 0 is off"
    )
    turn_ratio: float = tunable(0.8, "", 0.0, 10, "maximum adjustment, as a fraction of the clip's own turn rate")
    clamp_distance: float = tunable(0.3, "m", 0.0, 100, "maximum distance from the simulated body; 0 is off")
    clamp_angle: float = tunable(1.2, "rad", 0.0, 3.2, "maximum angle from the simulated body's facing; 0 is off")
    # playback
    rate_change: float = tunable(
        0.0, "", 0.0, 0.5, "fraction by which clips may play faster or slower to match the desired speed"
    )
    # feet
    foot_lock: bool = True
    lock_halflife: float = tunable(0.065, "s", 0.005, 1, "time for a locked toe to come to rest")
    unlock_halflife: float = tunable(0.12, "s", 0.005, 1, "time for a released toe to return to its animated position")
    unlock_distance: float = tunable(
        0.35, "m", 0.0, 10, "distance of the animated from the locked toe that releases it"
    )
    unlock_angle: float = tunable(1.6, "rad", 0.0, 7, "rotation of the foot about its locked toe that releases it")
    unlock_speed: float = tunable(10.0, "m/s", 0.0, 100, "speed of the animated toe that releases it")
    clearance: float = tunable(0.02, "m", 0.0, 0.2, "minimum height of a swinging foot above the ground")
    extension: float = tunable(0.99, "", 0.5, 1, "maximum distance from hip to ankle, as a fraction of leg length")
    pelvis: bool = True  # lower the pelvis where a planted foot would not reach the ground
    pelvis_halflife: float = tunable(0.2, "s", 0.005, 1, "time for the pelvis to be lowered or raised")
    # terrain
    ground_halflife: float = tunable(
        0.1, "s", 0.005, 2, "time for root and swinging feet to follow a change of ground height"
    )

    @property
    def halflives(self) -> Halflives:
        """Of the simulated body."""
        return Halflives(self.velocity_halflife, self.facing_halflife)

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Mapping) or not all(is_number(value) for value in self.weights.values()):
            raise KinematchError(f"setting weights is {self.weights!r}, expected numbers by feature")
        object.__setattr__(self, "weights", MappingProxyType(dict(self.weights)))
        for name in ("foot_lock", "pelvis"):
            if type(getattr(self, name)) is not bool:
                raise KinematchError(f"setting {name} is {getattr(self, name)!r}, expected true or false")
        if self.transition not in get_args(Transition):
            raise KinematchError(unknown("transition", str(self.transition), get_args(Transition)))
        for one in fields(self):
            value = getattr(self, one.name)
            if one.metadata and not is_number(value):
                raise KinematchError(f"setting {one.name} is {value!r}, expected a number")
            if one.metadata and not one.metadata["low"] <= value <= one.metadata["high"]:
                low, high = one.metadata["low"], one.metadata["high"]
                raise KinematchError(
                    f"setting {one.name} is {value}, expected {low:g} to {high:g} {one.metadata['unit']}"
                )


def to_plain(settings: Settings) -> dict[str, Any]:
    """Values that JSON and TOML know."""
    return {one.name: getattr(settings, one.name) for one in fields(settings)} | {"weights": dict(settings.weights)}


def from_plain(values: Mapping[str, Any]) -> Settings:
    """Settings from a file's or message's values; what is left out has its default."""
    known = [one.name for one in fields(Settings)]
    for name in values:
        if name not in known:
            raise KinematchError(unknown("setting", name, known))
    return Settings(**values)


KNOBS = [one.name for one in fields(Settings) if one.name != "weights"]
Knobs = namedtuple("Knobs", KNOBS)  # type: ignore[misc]


def make_knobs(settings: Settings) -> tuple[Any, ...]:
    """The settings as kernels take them: a record of numbers, whose names and units are those of Settings."""
    numbers = {name: getattr(settings, name) for name in KNOBS}
    kind = get_args(Transition).index(settings.transition)
    return Knobs(**{name: kind if name == "transition" else float(value) for name, value in numbers.items()})


def is_number(value: Any) -> bool:
    """Whether a value is a real number; a bool is none."""
    return isinstance(value, Real) and not isinstance(value, bool)
