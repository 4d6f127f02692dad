"""Targets: what a character that moves well must reach, all in one run with one setting."""

from dataclasses import dataclass

from kinematch.character.settings import Settings
from kinematch.evaluate.scores import BY_NAME, Scores


@dataclass(frozen=True)
class QualityTarget:
    name: str  # of the measure
    text: str
    value: float  # SI
    limit: float
    met: bool


def targets(scores: Scores, source: Scores, settings: Settings) -> list[QualityTarget]:
    """Each with what was reached; synchronization off and no tighter clamp than 0.3 m belong to them."""
    limits = {
        "skate_mean": (max(1.5 * source["skate_mean"], 0.02), "at most 1.5 times the source's, or 2 cm/s"),
        "rough": (0.002, "at most 0.2 %"),
        "roughest": (1.5, "none above 1.5"),
        "position_mean": (0.15, "under 15 cm"),
        "turn_180_walk_max": (1.0, "every one under 1 s"),
        "body_low": (0.002, "at most 0.2 %"),
        "standing_transitions": (6.0, "at most 6"),
        "broken": (0.0, "never"),
        "looping": (0.0, "never"),
        "frozen": (0.0, "never"),
        "stuck": (0.0, "never"),
    }
    fair = settings.synchronization_halflife == 0 and (
        settings.clamp_distance == 0 or settings.clamp_distance >= 0.3 - 1e-9
    )
    made = []
    for name, (limit, text) in limits.items():
        if name in scores:
            # a clamp tighter than allowed, or a body that is pulled along, wins no target of position
            allowed = fair or name != "position_mean"
            met = allowed and scores[name] <= limit
            made.append(QualityTarget(name, f"{BY_NAME[name].text}: {text}", scores[name], limit, bool(met)))
    return made
