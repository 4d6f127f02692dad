"""Presets that come with Kinematch: five answers to what a character should feel like, for any database.

They set no weights of single features, since databases differ in these. docs/studio.md says what each one costs.
"""

from typing import NamedTuple

from kinematch.character import Settings


class OwnPreset(NamedTuple):
    text: str  # when to choose it, a sentence
    settings: Settings


OWN_PRESETS = {
    "Responsive": OwnPreset(
        "Turns, starts and stops sooner, as action games want it; jumps more often.",
        Settings(
            velocity_halflife=0.27, facing_halflife=0.2, responsiveness=1.5, clamp_distance=0.25,
            search_interval=0.077, stay_bias=0.29, ignore=1.06, transition_halflife=0.16, adjustment_halflife=0.11,
            adjustment_ratio=0.5, turn_halflife=0.135, turn_ratio=1.1, lock_halflife=0.032, unlock_halflife=0.092,
            unlock_distance=0.42,
        ),
    ),
    "Smooth": OwnPreset(
        "Fewer and softer jumps, for films and characters in the background; strays further from the simulated body.",
        Settings(
            velocity_change=0.8, facing_change=1.0, quality=1.5,
            search_interval=0.2, stay_bias=0.43, ignore=1.3, transition_halflife=0.175, adjustment_halflife=0.75,
            adjustment_ratio=0.36, turn_halflife=0.29, turn_ratio=0.65, lock_halflife=0.037, unlock_halflife=0.089,
            unlock_distance=0.33,
        ),
    ),
    "Heavy": OwnPreset(
        "Gathers speed and turns slowly, like a large person or one with a load.",
        Settings(
            velocity_halflife=0.8, facing_halflife=0.7, search_interval=0.2, velocity_change=0.8, facing_change=1.0,
            stay_bias=0.3, transition_halflife=0.22, lock_halflife=0.04, pelvis_halflife=0.3,
            clamp_distance=0.5,
        ),
    ),
    "Precise": OwnPreset(
        "Stays within 5 cm of the simulated body, for walls, doors and network play.",
        Settings(
            synchronization_halflife=0.1, adjustment_halflife=0.1, adjustment_ratio=1.0, turn_halflife=0.2,
            turn_ratio=1.0, clamp_distance=0.05, clamp_angle=0.5, rate_change=0.05, lock_halflife=0.035,
        ),
    ),
    "As recorded": OwnPreset(
        "Plays the clips as they are: no adjustment, no clamp and no foot lock. Shows what is in the data.",
        Settings(
            adjustment_halflife=0.0, turn_halflife=0.0, clamp_distance=0.0, clamp_angle=0.0, foot_lock=False,
            pelvis=False,
        ),
    ),
}  # fmt: skip
