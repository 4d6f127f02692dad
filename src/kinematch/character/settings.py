"""Settings: every tunable of a character, each with its unit, its sensible range and a word on what it does."""

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal, get_args

from kinematch.control.body import Halflives
from kinematch.errors import KinematchError, unknown

Transition = Literal["spring", "quintic", "dead", "none"]
SPRING, QUINTIC, DEAD, NO_TRANSITION = range(len(get_args(Transition)))  # as kernels know them


def tunable(default: float, unit: str, low: float, high: float, text: str) -> Any:
    """A number with what sliders, documents and tuners want to know of it; `low` and `high` are its valid range."""
    return field(default=default, metadata={"unit": unit, "low": low, "high": high, "text": text})


@dataclass(frozen=True)
class Settings:
    """Every tunable of a character. Values are checked against their ranges; docs/character.md explains each."""

    # the simulated body
    velocity_halflife: float = tunable(
        Halflives().velocity, "s", 0.01, 2, "in which the simulated body takes half of a new velocity"
    )
    facing_halflife: float = tunable(
        Halflives().facing, "s", 0.01, 2, "in which the simulated body turns half of the way"
    )
    # the search
    search_interval: float = tunable(0.15, "s", 0.01, 2, "between searches")
    forced_interval: float = tunable(0.1, "s", 0.0, 2, "at least between a search and one that a sharp command forces")
    velocity_change: float = tunable(0.5, "m/s", 0.01, 10, "of wanted velocity since the last search that force one")
    facing_change: float = tunable(0.6, "rad", 0.01, 4, "of wanted facing since the last search that force one")
    stay_bias: float = tunable(0.2, "cost", 0.0, 10, "by which a jump must be better than going on")
    ignore: float = tunable(1.0, "s", 0.0, 5, "around the playing frame that are no targets")
    responsiveness: float = tunable(1.0, "", 0.0, 100, "weight of the trajectory: high follows the command closely")
    quality: float = tunable(1.0, "", 0.0, 100, "weight of the pose: high looks smooth at jumps")
    weights: Mapping[str, float] = field(default_factory=dict)  # by feature; those left out keep the database's own
    # transitions
    transition: Transition = "spring"
    transition_halflife: float = tunable(0.17, "s", 0.01, 1, "in which half of a jump's offset is gone")
    # adjustment
    synchronization_halflife: float = tunable(
        0.0,
        "s",
        0.0,
        10,
        "in which the character is drawn half of the way to the simulated body, however it moves; 0 is off",
    )
    adjustment_halflife: float = tunable(
        0.3, "s", 0.0, 10, "in which half of the way to the simulated body is made up; 0 is off"
    )
    adjustment_ratio: float = tunable(0.2, "", 0.0, 10, "of the root's own speed that adjustment may add at most")
    turn_halflife: float = tunable(0.3, "s", 0.0, 10, "in which half of the turn to its facing is made up; 0 is off")
    turn_ratio: float = tunable(0.3, "", 0.0, 10, "of the root's own turning that adjustment may add at most")
    clamp_distance: float = tunable(0.3, "m", 0.0, 100, "farthest from the simulated body; 0 is off")
    clamp_angle: float = tunable(1.2, "rad", 0.0, 3.2, "farthest from its facing; 0 is off")
    # playback
    rate_change: float = tunable(0.0, "", 0.0, 0.5, "by which clips may play faster or slower towards the wanted speed")
    # feet
    foot_lock: bool = True
    lock_halflife: float = tunable(0.065, "s", 0.005, 1, "in which a toe comes to rest when it is locked")
    unlock_halflife: float = tunable(0.12, "s", 0.005, 1, "in which a freed toe is back where the clip has it")
    unlock_distance: float = tunable(0.35, "m", 0.0, 10, "between the locked toe and the animated one that frees it")
    unlock_angle: float = tunable(1.6, "rad", 0.0, 7, "of turning on the locked toe that frees it")
    unlock_speed: float = tunable(10.0, "m/s", 0.0, 100, "of the animated toe that frees it")
    clearance: float = tunable(0.02, "m", 0.0, 0.2, "above the ground at which a moving foot passes at least")
    extension: float = tunable(0.99, "", 0.5, 1, "of the leg's length that a foot may be away from the hip")
    pelvis: bool = True  # lowered where a planted foot would not reach
    pelvis_halflife: float = tunable(0.2, "s", 0.005, 1, "in which the pelvis is lowered and raised")
    # terrain
    ground_halflife: float = tunable(0.1, "s", 0.005, 2, "in which root and swinging feet follow a change of height")

    @property
    def halflives(self) -> Halflives:
        """Of the simulated body."""
        return Halflives(self.velocity_halflife, self.facing_halflife)

    def __post_init__(self):
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


def make_knobs(settings: Settings) -> tuple:
    """The settings as kernels take them: a record of numbers, whose names and units are those of Settings."""
    numbers = {name: getattr(settings, name) for name in KNOBS}
    kind = get_args(Transition).index(settings.transition)
    return Knobs(**{name: kind if name == "transition" else float(value) for name, value in numbers.items()})


def is_number(value: Any) -> bool:
    """Whether a value is a real number; a bool is none."""
    return isinstance(value, Real) and not isinstance(value, bool)
