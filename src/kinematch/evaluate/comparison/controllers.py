"""Controllers: the eight of *learned MM* table 5.2 in our settings, and what they are compared with."""

from dataclasses import dataclass, replace

import numpy as np

from kinematch.character.settings import Settings
from kinematch.math.spring import HALFLIFE_FACTOR

EXACT, PACKED, MACHINE, SMALL_MODEL, BIG_MODEL = "exact", "packed", "state machine", "small model", "big model"


@dataclass(frozen=True)
class ComparedController:
    """What plays, by which settings."""

    name: str
    plays: str  # EXACT, PACKED, MACHINE, SMALL_MODEL or BIG_MODEL
    settings: Settings
    times: tuple[float, float, float] | None = None  # s: search, forced search and decay of table 5.2; None: ours


# table 5.2: time between searches, and between forced ones, and time for offsets to decay to 1 %
TABLE = {
    "LMM": (0.1, 0.1, 0.1),
    "LMM_Big": (0.1, 0.1, 0.1),
    "LMM_No_Inertia": (0.1, 0.1, 0.0),
    "LMM_High_Search": (1.0, 1.0, 0.1),
    "LMM_Low_Search": (0.01, 0.01, 0.01),
    "LMM_High_Search_High_Decay": (1.0, 1.0, 1.0),
    "LMM_High_Decay": (0.1, 0.1, 1.0),
    "LMM_Low_Decay": (0.1, 0.1, 0.01),
}


def find_halflife(decay: float) -> float:
    """Our half-life for a decay time of the dissertation, s.

    It sets lambda = ln 100 / decay (3.3.3): the time to 1 % of a plain exponential. Its equations 3.5-3.7 are our
    critically damped spring with that lambda, of whose displacement half is left after HALFLIFE_FACTOR / lambda.
    """
    return HALFLIFE_FACTOR * decay / float(np.log(100))


def list_controllers(settings: Settings, *, packed: bool, big: bool) -> list[ComparedController]:
    """Ours by the given settings, then those of table 5.2; without a big model, those that need one are left out."""
    plays = [EXACT, *([PACKED] if packed else []), MACHINE, SMALL_MODEL, *([BIG_MODEL] if big else [])]
    made = [ComparedController(name, name, settings) for name in plays]
    for name, times in TABLE.items():
        search, forced, decay = times
        own = replace(settings, search_interval=search, forced_interval=forced)
        if decay:
            own = replace(own, transition="spring", transition_halflife=find_halflife(decay))
        else:
            own = replace(own, transition="none")
        if big or name != "LMM_Big":
            made.append(ComparedController(name, BIG_MODEL if name == "LMM_Big" else SMALL_MODEL, own, times))
    return made
