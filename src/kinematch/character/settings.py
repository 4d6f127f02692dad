"""Settings: every tunable of a character, each with its unit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    velocity_halflife: float = 0.27  # s, in which the simulated body takes half of a new velocity
    facing_halflife: float = 0.27  # s, in which it turns half of the way
    search_interval: float = 0.1  # s between searches
    forced_interval: float = 0.1  # s at least between a search and one that a sharp command forces
    velocity_change: float = 0.5  # m/s of wanted velocity since the last search that force one
    facing_change: float = 0.6  # rad of wanted facing since the last search that force one
    stay_bias: float = 0.02  # cost by which a jump must be better than going on
    ignore: float = 0.33  # s around the playing frame that are no targets
    transition_halflife: float = 0.1  # s, in which half of a jump's offset is gone
    adjustment_halflife: float = 0.3  # s, in which half of the way to the simulated body is made up; 0 switches it off
    adjustment_ratio: float = 0.3  # of the root's own speed (and turn) that adjustment may add at most (thesis 3.3.2)
    clamp_distance: float = 0.3  # m, farthest that the root may be from the simulated body; 0 switches it off
    clamp_angle: float = 1.2  # rad
    foot_lock: bool = True
    lock_halflife: float = 0.08  # s, in which locking and unlocking are smoothed
    unlock_distance: float = 0.18  # m between the locked toe and the animated one
    extension: float = 0.995  # of the leg's length that a foot may be away from the hip
