"""What retargeting corrects beyond copying rotations; each correction has its switch."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Literal, cast, get_args

from kinematch.errors import KinematchError, unknown

Hands = Literal["free", "together", "world"]
Correction = Literal["feet", "pelvis", "arms", "twist", "fingers", "ends"]
HANDS: tuple[str, ...] = get_args(Hands)
CORRECTIONS: tuple[str, ...] = get_args(Correction)


@dataclass(frozen=True)
class RetargetSettings:
    """Switches of the corrections. Between skeletons of the same proportions, none changes anything."""

    feet: bool = True  # feet stand where the source's stand, scaled: planted ones stay planted, soles on the floor
    pelvis: bool = True  # with feet: the pelvis is lowered where a leg on the floor would not reach
    hands: Hands = "free"  # free: as the arms turn; together: hands that meet still meet; world: at scaled places
    arms: bool = True  # elbows, forearms and hands are pushed out of trunk and head, as far as the source's are
    twist: bool = True  # twist joints of arms and legs take their share of the twist
    fingers: bool = True  # fingers follow the source's by role; else, and without a counterpart, they keep their rest
    ends: bool = True  # end sites are part of the body: tips of toes do not sink, palms rather than wrists meet

    def __post_init__(self) -> None:
        if self.hands not in HANDS:
            raise KinematchError(unknown("way to lead hands", str(self.hands), HANDS))
        for one in fields(self):
            if one.name != "hands" and not isinstance(getattr(self, one.name), bool):
                raise KinematchError(f"{one.name} is {getattr(self, one.name)!r}, expected true or false")

    @property
    def correct(self) -> bool:
        """Whether poses are corrected at all."""
        return self.feet or self.arms or self.twist or self.hands != "free"


def leave_out(corrections: Iterable[str], hands: str = "free") -> RetargetSettings:
    """All corrections but some, by name."""
    names = set(corrections)
    for name in names:
        if name not in CORRECTIONS:
            raise KinematchError(unknown("correction", name, CORRECTIONS))
    return RetargetSettings(hands=cast(Hands, hands), **{name: name not in names for name in CORRECTIONS})


DEFAULT = RetargetSettings()
ROTATIONS_ONLY = RetargetSettings(feet=False, pelvis=False, arms=False, twist=False)
