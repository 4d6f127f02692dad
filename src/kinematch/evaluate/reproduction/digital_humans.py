"""Experiments of digital humans on the course: frequency, weights, transitions, synchronization, foot lock, ends."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.settings import Settings
from kinematch.database.rebuild import raw_root, same_root
from kinematch.database.storage import Database
from kinematch.evaluate.comparison.costs import time_steps
from kinematch.evaluate.evaluation import field_of
from kinematch.evaluate.reproduction.experiment import Experiment, in_unit, run_course, score_course
from kinematch.evaluate.reproduction.material import Material
from kinematch.evaluate.reproduction.modes import (
    LAST_FRAMES,
    SNAP,
    digital_humans,
    find_synchronization,
    leave_out_tail,
)
from kinematch.evaluate.reproduction.results import Chart, Result
from kinematch.evaluate.run import Take
from kinematch.evaluate.scores import score
from kinematch.evaluate.sweeps import PRESET, block_weights

FACTORS = {"0": 0.0, "50": 0.5, "100": 1.0}  # of synchronization, by percent
FREQUENCIES = (1, 5, 10, 60)  # searches a second
FRAME = 1 / 60  # s
QUARTER = 0.25
GROUND = np.array([1.0, 0.0, 1.0])
PATH, HEADING, FOOT_SPEED, HIP_SPEED = 0, 1, 3, 4  # of PRESET


def _result(
    material: Material, values: dict[str, float], command: str, *charts: Chart, notes: Sequence[str] = ()
) -> Result:
    named = material.locomotion
    return Result(values, named.data, named.same_data, command, charts, notes=tuple(notes))


def compare_roots(material: Material) -> Result:
    """4.1: transitions with and without the filter of the root."""
    database = material.locomotion.what
    values: dict[str, float] = {}
    for name, made in (("raw", raw_root(database)), ("filtered", same_root(database))):
        for side, settings in (("own", digital_humans(made)), ("ours", Settings())):
            scores = score_course(material, f"{name} root, {side}", settings, database=made)
            values[f"{side}_{name}"] = in_unit(scores, "transitions")
    return _result(material, values, "kinematch evaluate --sweep root")


def measure_frequency(material: Material) -> Result:
    """4.2: one to sixty searches a second, none forced between them."""
    database = material.locomotion.what
    values: dict[str, float] = {}
    # none may be forced: the longest interval that is allowed
    settings = {
        f"{n}": digital_humans(
            database, search_interval=1 / n, forced_interval=2.0, velocity_change=10.0, facing_change=4.0,
            synchronization=0.0,  # which would hide how late the animation follows
        )
        for n in FREQUENCIES
    }  # fmt: skip
    settings["ours"] = Settings()
    for name, own in settings.items():
        scores = score_course(material, f"searches: {name}", own)
        values |= {f"position_{name}": in_unit(scores, "position_mean"), f"back_{name}": in_unit(scores, "repetition")}
    material.progress("timing searches", 0, 1)
    movers = {name: Crowd(database, 1, settings=own) for name, own in settings.items()}
    speeds = list(material.assignment.gaits.forward.values())
    times = time_steps(movers, speeds, seconds=material.effort.timed_seconds)
    values |= {f"share_{name}": 100 * float(own.mean()) / FRAME for name, own in times.items()}
    values["growth"] = values["share_10"] / values["share_1"]
    charts = [
        Chart(f"frequency-{key}", text, "searches a second", unit, groups=[str(n) for n in FREQUENCIES],
              bars={"ours, its method": [values[f"{key}_{n}"] for n in FREQUENCIES], **printed})
        for key, text, unit, printed in (
            ("share", "4.2: share of a core by search rate", "% of 1/60 s",
             {"digital humans": [0.7, np.nan, 0.9, np.nan]}),
            ("back", "4.2: jumps back to the last second", "%", {}),
        )
    ]  # fmt: skip
    note = "their search is approximate (annoy), ours exact; both play one character"
    return _result(material, values, "kinematch evaluate --sweep interval", *charts, notes=[note])


def measure_weights(material: Material) -> Result:
    """4.2: one weight less at a time; nothing draws the character to the controller."""
    database = material.locomotion.what

    def weigh(block: int | None, factor: float, **changes: Any) -> Settings:
        values = [weight * factor if n == block else weight for n, weight in enumerate(PRESET)]
        return digital_humans(database, synchronization=0.0, weights=block_weights(database, values), **changes)

    values: dict[str, float] = {}
    for name, block in (("preset", None), ("path", PATH), ("heading", HEADING)):
        scores = score_course(material, f"weights: {name}", weigh(block, QUARTER))
        values |= {
            f"position_{name}": in_unit(scores, "position_mean"),
            f"facing_{name}": in_unit(scores, "facing_mean"),
        }
    for name, block in (("preset", None), ("feet", FOOT_SPEED), ("hips", HIP_SPEED)):
        _, done = run_course(material, f"jumps: {name}", weigh(block, 0.0, transition="none"))
        values[f"jolt_{name}"] = measure_jumps(done.takes, ("left_foot", "right_foot"))
        values[f"switch_{name}"] = measure_jumps(done.takes, ("hips",))
    return _result(material, values, "kinematch evaluate --sweep weights")


def measure_jumps(takes: Sequence[Take], roles: tuple[str, ...]) -> float:
    """m/s by which joints' velocities in the root's axes change at jumps, by the database's own velocities."""
    changes = []
    for take in takes:
        joints = [take.skeleton.roles[role] for role in roles]
        moments = np.flatnonzero(take.jumped)
        moments = moments[(moments > 1) & (moments < len(take.times) - 1)]
        places = (take.global_positions[:, joints] - take.global_positions[:, [0]]).astype(np.float64)
        if roles == ("hips",):
            places = take.global_positions[:, joints].astype(np.float64)
        before = (places[moments - 1] - places[moments - 2]) * take.rate
        after = (places[moments + 1] - places[moments]) * take.rate
        changes.append(np.linalg.norm(after - before, axis=-1).ravel())
    found = np.concatenate(changes) if changes else np.zeros(0)
    return float(found.mean()) if len(found) else float("nan")


def measure_inertialization(material: Material) -> Result:
    """4.3: with transitions, and cut."""
    database = material.locomotion.what
    values: dict[str, float] = {}
    for name, settings in (
        ("with", digital_humans(database)), ("without", digital_humans(database, transition="none")),
        ("ours", Settings()),
    ):  # fmt: skip
        scores = score_course(material, f"inertialization: {name}", settings)
        values |= {f"pops_{name}": in_unit(scores, "pops"), f"jolt_{name}": in_unit(scores, "jump_acceleration")}
    return _result(material, values, "kinematch evaluate --sweep halflife")


def measure_synchronization(material: Material) -> Result:
    """4.4: three factors, without foot lock as its video shows them, and by our default with it."""
    database = material.locomotion.what
    values: dict[str, float] = {}
    for name, factor in FACTORS.items():
        own = score_course(
            material, f"synchronization {name} %", digital_humans(database, synchronization=factor, foot_lock=False)
        )
        synchronized = replace(Settings(), synchronization_halflife=find_synchronization(factor))
        ours = score_course(material, f"synchronization {name} %, our settings", synchronized)
        for side, scores in (("", own), ("ours_", ours)):
            values[f"{side}position_{name}"] = in_unit(scores, "position_mean")
            values[f"{side}skate_{name}"] = in_unit(scores, "skate_mean")
    alone = digital_humans(database, synchronization=0.0, foot_lock=False)
    given, done = run_course(material, "synchronization of two paths", alone)
    between = [move_between(take, FACTORS["50"]) for take in done.takes]
    values["skate_between"] = in_unit(score(between, field_of(given, between)), "skate_mean")
    rise = values["skate_100"] - values["skate_0"]
    for name in ("50", "between"):
        values[f"rise_{name}"] = 100 * (values[f"skate_{name}"] - values["skate_0"]) / rise
    groups = [f"{factor:g}" for factor in FACTORS.values()]
    chart = Chart(
        "synchronization", "4.4: foot skate by synchronization", "factor", "cm/s", groups=groups,
        bars={"no foot lock, as there": [values[f"skate_{name}"] for name in FACTORS],
              "our settings, foot lock": [values[f"ours_skate_{name}"] for name in FACTORS]},
    )  # fmt: skip
    return _result(material, values, "kinematch evaluate --sweep synchronization", chart)


def move_between(take: Take, factor: float) -> Take:
    """A body shown on its way from its own path to the controller's, which goes back into neither."""
    gaps = (take.body_positions - take.positions[:, 0]) * GROUND
    moved = take.global_positions + factor * gaps[:, None]
    return replace(take, global_positions=moved.astype(np.float32))


def measure_foot_lock(material: Material) -> Result:
    """4.5: none, a bare lock, and one that is smoothed."""
    database = material.locomotion.what
    values: dict[str, float] = {}
    bare = {"lock_halflife": SNAP, "unlock_halflife": SNAP}
    for name, changes in (("none", {"foot_lock": False}), ("lock", bare), ("smooth", {})):
        for side, settings in (("", digital_humans(database, **changes)), ("ours_", replace(Settings(), **changes))):
            scores = score_course(material, f"foot lock: {name}", settings)
            values[f"{side}skate_{name}"] = in_unit(scores, "skate_mean")
            values[f"{side}pops_{name}"] = in_unit(scores, "pops")
    chart = Chart(
        "foot-lock", "4.5: three kinds of foot lock", "", "cm/s of toes in contact", groups=["none", "bare", "smooth"],
        bars={"its method": [values[f"skate_{name}"] for name in ("none", "lock", "smooth")],
              "our settings": [values[f"ours_skate_{name}"] for name in ("none", "lock", "smooth")]},
    )  # fmt: skip
    return _result(material, values, "kinematch evaluate", chart)


def measure_tail(material: Material) -> Result:
    """3.3: how often playback runs into the end of a clip, with and without its last 30 frames to jump to."""
    database = material.locomotion.what
    values: dict[str, float] = {}
    for name, seconds in (("0", 0.0), ("30", LAST_FRAMES)):
        made = leave_out_tail(database, seconds)
        values[f"ends_{name}"] = count_ends(material, f"tail of {name} frames", digital_humans(made), made)
    values["ends_ours"] = count_ends(material, "our tail", Settings(), database)
    return _result(material, values, "kinematch evaluate")


def count_ends(material: Material, what: str, settings: Settings, database: Database) -> float:
    """Arrivals at the last frame of a clip, a minute."""
    _, done = run_course(material, what, settings, database=database)
    last = np.zeros(database.poses.frame_count, bool)
    last[database.poses.clip_stops[~database.poses.clip_loops] - 1] = True
    arrivals = seconds = 0.0
    for take in done.takes:
        there = last[take.frames]
        arrivals += float((there[1:] & ~there[:-1]).sum())
        seconds += len(there) / take.rate
    return 60 * arrivals / seconds


EXPERIMENTS = (
    Experiment("root-course", "Transitions with and without a filtered root", compare_roots),
    Experiment("frequency", "Searches a second: cost, response, repetition", measure_frequency),
    Experiment("weights", "One weight less at a time", measure_weights),
    Experiment("inertialization", "Transitions on and off", measure_inertialization),
    Experiment("synchronization", "Synchronization without and with foot lock", measure_synchronization),
    Experiment("foot-lock", "Three kinds of foot lock", measure_foot_lock),
    Experiment("tail", "The last 30 frames of clips left out", measure_tail),
)
