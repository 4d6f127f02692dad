"""Lookups: what the seams of a step need to know of a crowd."""

from typing import TYPE_CHECKING

import numpy as np

from kinematch.character.pose import Pose
from kinematch.database.features import Feature
from kinematch.database.schema import needs_call
from kinematch.database.table import EACH_RUN
from kinematch.scene.terrain import find_ground

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd


def list_own_features(crowd: "Crowd") -> list[Feature]:
    """Features whose queries users' functions make."""
    return [one for one in crowd.sources[0].description.schema.features if needs_call(one)]


def needs_seams(crowd: "Crowd") -> bool:
    """Whether Python, users' or ours, runs within every step, whatever the layers, terrain and command."""
    runner = crowd.runner
    alone = all(searches.exact for searches in runner.searches.values())
    return bool(crowd.retargeting is not None or runner.rows or not alone or list_own_features(crowd) or crowd.asks)


def searches_alone(crowd: "Crowd", number: int, target: int) -> bool:
    """Whether the compiled step searches source `target` for characters that play `number`."""
    searches = crowd.runner.searches
    own = number in searches or crowd.runner.tables[target].each == EACH_RUN
    return target in searches and own and bool(searches[target].exact)


def find_ages(crowd: "Crowd", characters: np.ndarray) -> np.ndarray:
    """(M,) s since the moment of the frame that characters play."""
    rates = np.array([table.frame_rate for table in crowd.runner.tables])
    numbers = np.clip(crowd.state.playing.sources[characters], 0, len(rates) - 1)
    return crowd.state.playing.fractions[characters] / rates[numbers]


def find_ground_below(crowd: "Crowd", pose: Pose, dt: float) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Heights and normals of the terrain under roots and toes; under swinging toes, where they will be soon."""
    if crowd.terrain is None:
        return None, None
    feet, toes = crowd.state.feet, pose.global_positions[:, crowd.rig.legs[:, 3]]
    return find_ground(
        crowd.terrain, crowd.root_positions, toes, feet.toes, feet.locked, feet.places,
        crowd.settings.ground_halflife, dt,
    )  # fmt: skip
