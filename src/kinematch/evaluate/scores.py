"""Scores: every measure by name, with its unit, pooled over takes or over the source clips."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinematch.evaluate import smoothness
from kinematch.evaluate.bearing import measure_bearing
from kinematch.evaluate.course import SETTLING
from kinematch.evaluate.feet import FootMeasures, feet
from kinematch.evaluate.following import Response, facing_errors, position_errors, responses, times_of
from kinematch.evaluate.legs import measure_overlap_share
from kinematch.evaluate.run import CourseRun, Take
from kinematch.evaluate.scenarios import RUDE
from kinematch.evaluate.usual import has_hand_up, is_far, is_low
from kinematch.evaluate.variety import frozen, looping, stuck, variety
from kinematch.evaluate.yardstick import Yardstick
from kinematch.motion.skeleton import Skeleton

Scores = dict[str, float]


@dataclass(frozen=True)
class Measure:
    name: str
    text: str
    unit: str
    scale: float = 1.0  # from SI to the unit shown
    digits: int = 1
    better: Literal["less", "more", ""] = "less"


MEASURES = (
    Measure("position_mean", "position error, mean", "cm", 100),
    Measure("position_p95", "position error, 95 %", "cm", 100),
    Measure("position_max", "position error, most", "cm", 100),
    Measure("facing_mean", "facing error, mean", "deg", 180 / np.pi),
    Measure("facing_p95", "facing error, 95 %", "deg", 180 / np.pi),
    Measure("facing_max", "facing error, most", "deg", 180 / np.pi),
    Measure("turn_median", "turn answered, median", "s", digits=2),
    Measure("turn_p95", "turn answered, 95 %", "s", digits=2),
    Measure("turn_180_walk", "180 degrees at the slowest gait, mean", "s", digits=2),
    Measure("turn_180_walk_max", "180 degrees at the slowest gait, slowest", "s", digits=2),
    Measure("speed_median", "speed answered, median", "s", digits=2),
    Measure("speed_p95", "speed answered, 95 %", "s", digits=2),
    Measure("unanswered", "commands not answered before the next", "%", 100),
    Measure("skate_mean", "foot skate in contact, mean", "cm/s", 100),
    Measure("skate_p95", "foot skate in contact, 95 %", "cm/s", 100),
    Measure("drift_mean", "drift per stance, mean", "cm", 100),
    Measure("drift_p95", "drift per stance, 95 %", "cm", 100),
    Measure("slide_max", "longest slide", "cm", 100),
    Measure("contact", "toes in contact, share of the time", "%", 100, better=""),
    Measure("penetration_mean", "toes below the floor, mean", "cm", 100, digits=2),
    Measure("penetration_max", "toes below the floor, most", "cm", 100),
    Measure("float_p95", "lower toe above the floor while slow, 95 %", "cm", 100),
    Measure("rough", "joint-frames above the source's 99.9 % of acceleration", "%", 100, digits=3),
    Measure("roughest", "largest acceleration, of the source's largest", "x", digits=2),
    Measure("pops", "pops: above 1.5 times the source's largest", "", digits=0),
    Measure("jump_acceleration", "peak acceleration at jumps, 95 %, of the source's 99.9 %", "x", digits=2),
    Measure("jump_jerk", "peak jerk at jumps, 95 %, of the source's 99.9 %", "x", digits=2),
    Measure("transitions", "transitions a second", "1/s", digits=2, better=""),
    Measure("standing_transitions", "transitions while standing, a minute", "1/min", digits=1),
    Measure("repetition", "jumps back to the last second", "%", 100),
    Measure("distinct", "distinct frames played", "", digits=0, better="more"),
    Measure("used", "share of the database played", "%", 100, better="more"),
    Measure("dead", "frames that could be taken and never were", "%", 100),
    Measure("looping", "time in a loop of less than a second", "s", digits=2),
    Measure("frozen", "time frozen", "s", digits=2),
    Measure("stuck", "time stuck", "s", digits=2),
    Measure("calibration", "time in a calibration pose", "%", 100, digits=2),
    Measure("head_low", "time with the head lower than the command asks for", "%", 100, digits=2),
    Measure("bent_standing", "standing time bent or leaning", "%", 100, digits=2),
    Measure("body_low", "body far lower than in the source at that speed", "%", 100, digits=2),
    Measure("unusual", "upper body beyond the source's 99 % at that speed", "%", 100, digits=2),
    Measure("hands_up", "time with a hand above its shoulder", "%", 100, digits=2),
    Measure("legs_overlap", "rude commands: shanks or feet over 1 cm inside one another", "%", 100, digits=2),
    Measure("broken", "values that are not finite", "", digits=0),
    Measure("step_mean", "time of a step, one character's share", "us", 1e6),
    Measure("step_p99", "time of a step of all, 99 %", "us", 1e6, digits=0),
)
TIMES = ("step_mean", "step_p99")  # which differ between two runs of one seed
BY_NAME: Mapping[str, Measure] = {measure.name: measure for measure in MEASURES}


@dataclass(frozen=True, eq=False)
class ScoreBasis:
    """What takes are scored on."""

    yardstick: Yardstick
    admitted: np.ndarray  # (F,) bool
    targets: np.ndarray  # (F,) bool
    frame_rate: float
    ground: Mapping[str, np.ndarray]  # terrain heights (T, K) below the toes, by scenario


def score_source(skeleton: Skeleton, yardstick: Yardstick) -> Scores:
    """Scores of clips that follow no command."""
    made = _feet_scores(yardstick.feet) | _smooth_scores(list(yardstick.positions), yardstick)
    made |= _posture_scores(skeleton, list(yardstick.positions), list(yardstick.yaws), yardstick)
    above = [smoothness.exceeding(own, yardstick.rate, yardstick.limits).mean(axis=1) for own in yardstick.positions]
    return made | {"rough": float(sum(share @ weight for share, weight in zip(above, yardstick.weights)))}


def score(takes: Sequence[Take], field: ScoreBasis) -> Scores:
    """All measures of some takes, but the times of steps."""
    away, turned = ([errors(take) for take in takes] for errors in (position_errors, facing_errors))
    made = _spread("position", np.concatenate(away)) | _spread("facing", np.concatenate(turned))
    answers = [answer for take in takes for answer in responses(take)]
    made |= _answer_scores(answers)
    yardstick = field.yardstick
    made |= _feet_scores([feet_of(take, field) for take in takes])
    made |= _smooth_scores([take.global_positions for take in takes], yardstick)
    made |= _jump_scores(takes, yardstick)
    found = variety(takes, field.admitted, field.targets, field.frame_rate)
    standing = [take for take in takes if take.scenario.group == "standing"]
    made |= {
        "transitions": found.transitions,
        "repetition": found.repetition,
        "distinct": float(found.distinct),
        "used": found.used,
        "dead": found.dead,
        "looping": float(sum(looping(take, field.frame_rate).sum() / take.rate for take in takes)),
        "frozen": float(sum(frozen(take, yardstick.motion).sum() / take.rate for take in takes)),
        "stuck": float(sum(stuck(take).sum() / take.rate for take in takes)),
        "broken": float(sum((~np.isfinite(take.global_positions)).sum() for take in takes)),
    }
    made |= measure_bearing(takes)
    positions, yaws = [take.global_positions for take in takes], [take.root_yaws for take in takes]
    made |= _posture_scores(takes[0].skeleton, positions, yaws, yardstick)
    # legs cross under rude commands: elsewhere they would be diluted
    rude = [take.global_positions for take in takes if take.scenario.group == RUDE]
    made["legs_overlap"] = measure_overlap_share(takes[0].skeleton, rude or positions)
    if standing:
        jumps = np.concatenate([take.jumped[standing_from(take) :] for take in standing])
        made["standing_transitions"] = float(60 * yardstick.rate * jumps.mean())
    return made


def standing_from(take: Take) -> int:
    """The step from which it counts as standing."""
    moving = np.flatnonzero(np.any(take.velocities != 0, axis=1))
    return 0 if not len(moving) else int(moving[-1]) + 1 + round(SETTLING * take.rate)


def feet_of(take: Take, field: ScoreBasis) -> FootMeasures:
    return feet(take.global_positions, take.rate, field.yardstick.floor, field.ground.get(take.scenario.name))


def score_times(run: CourseRun) -> Scores:
    """The first steps compile and warm up, so they do not count."""
    seconds, characters = run.step_seconds[10:], run.step_characters[10:]
    return {
        "step_mean": float(seconds.sum() / characters.sum()),
        "step_p99": float(np.quantile(seconds, 0.99)),
    }


def _spread(name: str, values: np.ndarray) -> Scores:
    return {
        f"{name}_mean": float(values.mean()),
        f"{name}_p95": float(np.quantile(values, 0.95)),
        f"{name}_max": float(values.max()),
    }


def _answer_scores(answers: Sequence[Response]) -> Scores:
    made: Scores = {}
    for kind in ("turn", "speed"):
        times = times_of(answers, kind)
        if len(times):
            made |= {f"{kind}_median": float(np.median(times)), f"{kind}_p95": float(np.quantile(times, 0.95))}
    walking = next((a.scenario for a in answers if a.scenario.startswith("turn 180")), "")  # the slowest comes first
    back = times_of([a for a in answers if a.scenario == walking and abs(a.event.change) > np.radians(170)], "turn")
    if len(back):
        made |= {"turn_180_walk": float(back.mean()), "turn_180_walk_max": float(back.max())}
    if answers:
        made["unanswered"] = float(np.mean([not np.isfinite(a.seconds) for a in answers]))
    return made


def _feet_scores(found: Sequence[FootMeasures]) -> Scores:
    speeds, drifts = np.concatenate([f.speeds for f in found]), np.concatenate([f.drifts for f in found])
    depths, gaps = np.concatenate([f.depths for f in found]), np.concatenate([f.gaps for f in found])
    made = {
        "contact": float(np.concatenate([f.contact for f in found]).mean()),
        "penetration_mean": float(depths.mean()),
        "penetration_max": float(depths.max()),
    }
    if len(speeds):
        made |= {"skate_mean": float(speeds.mean()), "skate_p95": float(np.quantile(speeds, 0.95))}
    if len(drifts):
        made |= {
            "drift_mean": float(drifts.mean()),
            "drift_p95": float(np.quantile(drifts, 0.95)),
            "slide_max": float(drifts.max()),
        }
    if len(gaps):
        made["float_p95"] = float(np.quantile(gaps, 0.95))
    return made


def _smooth_scores(motions: Sequence[np.ndarray], yardstick: Yardstick) -> Scores:
    rate, limits = yardstick.rate, yardstick.limits
    above = np.concatenate([smoothness.exceeding(positions, rate, limits) for positions in motions])
    shares = [smoothness.excess(positions, rate, limits) for positions in motions]
    return {
        "rough": float(above.mean()),
        "roughest": float(max(share.max() for share in shares)),
        "pops": float(sum(len(smoothness.pops(share, rate)) for share in shares)),
    }


def _posture_scores(
    skeleton: Skeleton, motions: Sequence[np.ndarray], yaws: Sequence[np.ndarray], yardstick: Yardstick
) -> Scores:
    usual, rate = yardstick.usual, yardstick.rate
    made = {
        "body_low": float(np.concatenate([is_low(usual, positions, rate) for positions in motions]).mean()),
        "legs_overlap": measure_overlap_share(skeleton, motions),
    }
    if len(usual.joints):
        far = [is_far(usual, skeleton, positions, yaw, rate) for positions, yaw in zip(motions, yaws)]
        made["unusual"] = float(np.concatenate(far).mean())
    up = [has_hand_up(skeleton, positions) for positions in motions]
    hands = [one for one in up if one is not None]
    return made | ({"hands_up": float(np.concatenate(hands).mean())} if hands else {})


def _jump_scores(takes: Sequence[Take], yardstick: Yardstick) -> Scores:
    limits, peaks, jolts = yardstick.limits, [], []
    for take in takes:
        moments = np.flatnonzero(take.jumped)
        seen = take.global_positions[:, limits.joints]
        second = smoothness.accelerations(seen, take.rate) / limits.accelerations[limits.joints]
        third = smoothness.jerks(seen, take.rate) / limits.jerks[limits.joints]
        peaks.append(smoothness.peaks_at(moments, second, take.rate))
        jolts.append(smoothness.peaks_at(moments, third, take.rate))
    pooled = np.concatenate(peaks), np.concatenate(jolts)
    if not len(pooled[0]):
        return {}
    return {
        "jump_acceleration": float(np.quantile(pooled[0], 0.95)),
        "jump_jerk": float(np.quantile(pooled[1], 0.95)),
    }
