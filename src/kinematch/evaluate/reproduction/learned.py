"""Experiments of the learned work: times and losses of training (5.2), its controllers on the course (5.3 to 5.5)."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from kinematch.character.settings import Settings
from kinematch.evaluate.baselines import StateMachine
from kinematch.evaluate.comparison.controllers import TABLE, find_halflife
from kinematch.evaluate.comparison.costs import measure_resident, time_steps
from kinematch.evaluate.comparison.movers import WatchedCrowd
from kinematch.evaluate.evaluation import Assignment, perform, scored
from kinematch.evaluate.reproduction import modes
from kinematch.evaluate.reproduction.experiment import Experiment, in_unit
from kinematch.evaluate.reproduction.films import make_films, select_takes
from kinematch.evaluate.reproduction.material import Material
from kinematch.evaluate.reproduction.models import BIG_MODEL, SMALL_MODEL, SNAP_MODEL, find_model, find_set
from kinematch.evaluate.reproduction.results import Chart, Result
from kinematch.evaluate.run import Mover, Take
from kinematch.learned.training.plan import STAGES

# of table 5.2, as measures are called
NAMES = {
    "LMM": "lmm", "LMM_Big": "big", "LMM_No_Inertia": "no_inertia", "LMM_High_Search": "high_search",
    "LMM_Low_Search": "low_search", "LMM_High_Search_High_Decay": "high_search_high_decay",
    "LMM_High_Decay": "high_decay", "LMM_Low_Decay": "low_decay",
}  # fmt: skip
# whose films the appendix has, by its names
APPENDIX = {"machine": "FSM", "exact": "MM"} | {name: key for key, name in NAMES.items()}
SCORES = {"position": "position_mean", "skate": "skate_mean", "pops": "pops", "turn": "turn_median", "rough": "rough"}
# ms an iteration, of tables 5.3 and 5.4: time over iterations
PRINTED = {SMALL_MODEL: (34.9, 32.3, 44.3), BIG_MODEL: (77.9, 35.2, 1584.0)}
ITERATIONS = {SMALL_MODEL: (10_000, 3_000, 4_000), BIG_MODEL: (15_000, 30_000, 1_000)}
# whose time a frame is divided by whose; motion matching of the work has neither foot lock nor adjustment either
COMPARED_TIMES = {
    "lmm": "bare", "snap": "exact", "low_search": "lmm", "high_search": "lmm", "no_inertia": "lmm", "machine": "bare",
}  # fmt: skip
HIGH_PERCENTILE = 99.0  # stands for the longest frame, which is the machine's and not the controller's
MEGABYTE = 1e6


def measure_training(material: Material) -> Result:
    """Tables 5.3 and 5.4: the time of an iteration and the last losses of each network, on both sets; and of ours."""
    values: dict[str, float] = {}
    for kind in (SMALL_MODEL, BIG_MODEL, SNAP_MODEL):
        trained = find_model(material, kind)
        for stage, seconds in trained.step_seconds.items():
            values[f"{kind}_{stage}"] = 1e3 * seconds
            values[f"loss_{kind}_{stage}"] = trained.losses[stage]
    for kind, counts in ITERATIONS.items():
        milliseconds = sum(count * values[f"{kind}_{stage}"] for count, stage in zip(counts, STAGES))
        values[f"total_{kind}"] = milliseconds / 60_000
    for stage in STAGES:
        values[f"{stage}_growth"] = values[f"{BIG_MODEL}_{stage}"] / values[f"{SMALL_MODEL}_{stage}"]
    bars = {f"work, {kind}": list(PRINTED[kind]) for kind in (SMALL_MODEL, BIG_MODEL)}
    bars |= {f"here, {kind}": [values[f"{kind}_{stage}"] for stage in STAGES] for kind in (SMALL_MODEL, BIG_MODEL)}
    names = ["decompressor", "stepper", "projector"]
    chart = Chart("training", "Tables 5.3 and 5.4: time of an iteration", "", "ms", groups=names, bars=bars)
    small, big = find_set(material, SMALL_MODEL), find_set(material, BIG_MODEL)
    frames = [one.what.poses.frame_count for one in (small, big)]
    data = f"{small.data} ({frames[0]:,} frames), {big.data} ({frames[1]:,})"
    note = "processor time of one core; losses are those of our own terms, in centimetres"
    return Result(values, data, small.same_data, "kinematch train learned --design paper", (chart,), notes=(note,))


def measure_controllers(material: Material) -> Result:
    """Tables 5.2, 5.5 and 5.6, and what section 5.3 says of the videos."""
    models = {kind: find_model(material, kind) for kind in (SMALL_MODEL, BIG_MODEL, SNAP_MODEL)}
    given = material.assign(find_set(material, BIG_MODEL).what)
    exact = given.database
    plays: dict[str, tuple[object, Settings]] = {
        name: (models[BIG_MODEL if key == "LMM_Big" else SMALL_MODEL].model, find_settings(key))
        for key, name in NAMES.items()
    }
    plays |= {"exact": (exact, Settings()), "snap": (models[SNAP_MODEL].model, Settings())}
    values: dict[str, float] = {}
    filmed: dict[str, dict[str, Take]] = {}
    for name, (source, settings) in plays.items():
        own, takes = score_controller(material, given, name, source, settings)
        values |= own
        if name in APPENDIX:
            filmed[APPENDIX[name]] = select_takes(takes)
    machine = partial(start_machine, given)
    done = perform(given, Settings(), start=machine, progress=partial(material.progress, "state machine"))
    values |= pick_scores("machine", scored(given, done, flat=True)) | {"moves_machine": measure_moves(done.takes)}
    filmed[APPENDIX["machine"]] = select_takes(done.takes)
    material.progress("timing controllers", 0, 1)
    movers: dict[str, Mover] = {name: start_crowd(given, *play, 1, False) for name, play in plays.items()}
    movers["bare"] = start_crowd(given, exact, modes.learned(), 1, False)
    movers["machine"] = machine(1, False)
    speeds = list(given.gaits.forward.values())
    steps_of = time_steps(movers, speeds, seconds=material.effort.timed_seconds)
    for measure, percent in (("time", 50), ("peak", HIGH_PERCENTILE)):
        times = {name: float(np.percentile(own, percent)) for name, own in steps_of.items()}
        values |= {f"{measure}_{name}": times[name] / times[other] for name, other in COMPARED_TIMES.items()}
    for name, kind in (("lmm", SMALL_MODEL), ("big", BIG_MODEL), ("snap", SNAP_MODEL)):
        values[f"memory_{name}"] = models[kind].path.stat().st_size / MEGABYTE
    values["memory_exact"] = measure_resident(exact) / MEGABYTE
    small, big = find_set(material, SMALL_MODEL), find_set(material, BIG_MODEL)
    steps = ", ".join(f"{count:,}" for count in material.effort.small_steps)
    note = f"models of the work's design, trained for {steps} iterations (small set); the course is that of the big set"
    command = "kinematch evaluate learned SMALL BIG --against DATABASE"
    return Result(
        values, f"{small.data} and {big.data}", small.same_data, command, draw_charts(values),
        films=make_films(filmed, material.progress), notes=(note,),
    )  # fmt: skip


def find_settings(controller: str) -> Settings:
    """A controller of table 5.2 as the work has it."""
    search, forced, decay = TABLE[controller]
    changes = {"search_interval": search, "forced_interval": forced}
    if not decay:
        return modes.learned(transition="none", **changes)
    return modes.learned(transition="spring", transition_halflife=find_halflife(decay), **changes)


def score_controller(
    material: Material, given: Assignment, name: str, source: object, settings: Settings
) -> tuple[dict[str, float], Sequence[Take]]:
    """Scores of the course, the largest offset of any joint, and how much the body moves; and the takes."""
    movers: list[WatchedCrowd] = []

    def start(count: int, terrain: bool) -> Mover:
        movers.append(start_crowd(given, source, settings, count, terrain))
        return movers[-1]

    done = perform(given, settings, start=start, progress=partial(material.progress, name))
    values = pick_scores(name, scored(given, done))
    values[f"offset_{name}"] = float(np.degrees(max(max(one.offsets, default=0.0) for one in movers)))
    return values | {f"moves_{name}": measure_moves(done.takes)}, done.takes


def start_crowd(given: Assignment, source: object, settings: Settings, count: int, terrain: bool) -> WatchedCrowd:
    ground = given.terrain if terrain else None
    own = given.filter if source is given.database else None  # a model has its own tags
    return WatchedCrowd(source, count, filter=own, settings=settings, terrain=ground)


def start_machine(given: Assignment, count: int, terrain: bool) -> StateMachine:
    return StateMachine(given.database, count, gaits=given.gaits, settings=Settings(), filter=given.filter)


def pick_scores(name: str, scores: Mapping[str, float]) -> dict[str, float]:
    return {f"{key}_{name}": in_unit(dict(scores), measure) for key, measure in SCORES.items()}


def measure_moves(takes: Sequence[Take]) -> float:
    """cm/s of all joints against the hips, on average: how much a body moves, wherever it goes."""
    speeds = []
    for take in takes:
        places = take.global_positions - take.global_positions[:, [take.skeleton.roles["hips"]]]
        speeds.append(np.linalg.norm(np.diff(places, axis=0), axis=-1).mean(axis=1) * take.rate)
    return float(100 * np.concatenate(speeds).mean())


def draw_charts(values: Mapping[str, float]) -> tuple[Chart, ...]:
    shown = {
        "lmm": "LMM", "high_search": "search 1 s", "high_search_high_decay": "both 1 s", "high_decay": "decay 1 s",
        "low_decay": "decay 0.01 s", "low_search": "both 0.01 s", "no_inertia": "no decay",
    }  # fmt: skip
    charts = [
        Chart(f"controllers-{key}", text, "", unit, groups=list(shown.values()),
              bars={"here": [values[f"{key}_{name}"] for name in shown]})
        for key, text, unit in (
            ("position", "5.3: distance from the controller", "cm"), ("pops", "5.3: pops on the course", ""),
            ("offset", "5.3.3: largest offset of a joint", "degrees"),
        )
    ]  # fmt: skip
    memory = Chart(
        "memory", "Table 5.6: memory", "", "MB", groups=["LMM", "LMM_Big", "motion matching"],
        bars={"work, without features": [5.3, 7.4, 557],
              "here": [values[f"memory_{name}"] for name in ("lmm", "big", "exact")]},
    )  # fmt: skip
    return (*charts, memory)


EXPERIMENTS = (
    Experiment("training", "Times and losses of training", measure_training),
    Experiment("controllers", "The controllers of table 5.2 on the course", measure_controllers),
)
