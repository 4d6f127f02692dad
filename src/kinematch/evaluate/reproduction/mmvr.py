"""Experiments of MMVR: body directions (7.4), parts of the database and position accuracy (7.2, 7.3), avatars (7.1)."""

from collections.abc import Sequence

import numpy as np

from kinematch.avatar.orientation import make_estimator
from kinematch.avatar.orientation.paper import RAW, PaperNetwork, PaperWeights
from kinematch.avatar.orientation.training.people import RATE, Person, make_people
from kinematch.avatar.orientation.training.score import Errors, look_around, run_estimator, summarize
from kinematch.character.describe import open_motion
from kinematch.errors import KinematchError
from kinematch.evaluate.reproduction.experiment import Experiment
from kinematch.evaluate.reproduction.material import Material
from kinematch.evaluate.reproduction.results import Chart, Result
from kinematch.evaluate.vr.built_in import make_clips
from kinematch.evaluate.vr.evaluation import ACCURACIES, measure_database_feet, measure_feet_of, run_method, run_sweep
from kinematch.evaluate.vr.figures import SPAN, average_over, draw_turn
from kinematch.evaluate.vr.measures import find_root_errors, measure_moments, measure_places
from kinematch.evaluate.vr.methods import DRAGGED, FIFTY, HEADSET, OURS

ESTIMATORS = {
    "headset": "headset", "r1_adamw": "paper-r1-adamw", "r1_adam": "paper-r1-adam", "r50_adamw": "paper-r50-adamw",
    "r50_adam": "paper-r50-adam", "recurrent": "recurrent",
}  # fmt: skip
NAMES = {
    "headset": "headset", "r1_adamw": "r = 1, AdamW", "r1_adam": "r = 1, Adam", "r50_adamw": "r = 50, AdamW",
    "r50_adam": "r = 50, Adam", "recurrent": "ours",
}  # fmt: skip
PRINTED = {"headset": 14.5, "r1_adamw": 15.0, "r50_adamw": 5.4}  # degrees, figure 9
SHARES = {"100": 1.0, "25": 0.25, "10": 0.1}
PRINTED_ROOT = {"100": 19.0, "25": 22.0, "10": 27.0}  # cm, figure 7
FAR_ACCURACY, NEAR_ACCURACY = ACCURACIES
METHODS = {"dragged": DRAGGED, "headset": HEADSET, "paper": FIFTY, "ours": OURS}
MAX_RECORDED_SECONDS = 20 * 60.0  # of recordings; the work's game took 15 minutes
MINUTE = 60.0
TRAINED = (
    "the networks that ship were trained by Algorithm 1 on 26 minutes of CMU motion, not on 2.4 hours of games; "
    "`kinematch train orientation FOLDER --score` trains them on other recordings and scores them"
)


def measure_directions(material: Material) -> Result:
    """Figure 9: the error of each estimator on recorded people, all samples pooled."""
    people, data = gather_people(material)
    values: dict[str, float] = {}
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for number, (name, estimator) in enumerate(ESTIMATORS.items()):
        material.progress(f"directions: {NAMES[name]}", number, len(ESTIMATORS))
        found = run_estimator(make_estimator(estimator, len(people)), people)
        score = summarize(found)
        values |= {name: score.mean, f"{name}_deviation": score.deviation}
        lines[NAMES[name]] = trace_minutes(found)
    bars = {
        "MMVR": [PRINTED.get(name, np.nan) for name in ESTIMATORS],
        "here": [values[name] for name in ESTIMATORS],
    }
    charts = (
        Chart(
            "directions", "7.4: mean error of body directions", "", "degrees", groups=list(NAMES.values()), bars=bars
        ),
        Chart("directions-minutes", "Figure 9: mean error by minute", "minute", "degrees", lines),
    )
    return Result(values, data, False, "kinematch train orientation FOLDER --score", charts, notes=(TRAINED,))


def measure_feedback(material: Material) -> Result:
    """Algorithm 1 as it is printed: predictions go back as they come out, and there are always r of them."""
    people, data = gather_people(material)
    learners, judges = people[::2], people[1::2]
    if not judges:
        raise KinematchError(f"needs two recordings, one to train on and one to score; there is {data}")
    values = {"headset": summarize(run_estimator(make_estimator("headset", len(judges)), judges)).mean}
    for r, steps in zip((1, 50), material.effort.direction_steps):
        weights = train_raw(material, learners, r, steps)
        network = PaperNetwork(len(judges), weights=weights, feedback=RAW)
        values[f"r{r}"] = summarize(run_estimator(network, judges)).mean
    one, fifty = material.effort.direction_steps
    note = f"trained now, {one:,} iterations with r = 1 and {fifty:,} with r = 50, on every other recording"
    return Result(values, data, False, "kinematch train orientation FOLDER --score", notes=(note,))


def train_raw(material: Material, people: Sequence[Person], r: int, steps: int) -> PaperWeights:
    from kinematch.avatar.orientation.training.paper import train_paper

    return train_paper(
        people, recursions=r, optimizer="adamw", steps=steps, feedback=RAW, seed=material.seed,
        progress=lambda done, total, text: material.progress(f"training r = {r}", done, total),
    )  # fmt: skip


def gather_people(material: Material) -> tuple[list[Person], str]:
    """Whole takes if there are some, then clips, at most MAX_RECORDED_SECONDS; else walkers who look around."""
    recorded = list((material.takes or material.clips).values())
    paths = recorded[:: -(-len(recorded) // material.effort.people)] if recorded else []  # evenly spread
    people: list[Person] = []
    for clip in material.read(paths):
        if sum(len(one.yaws) for one in people) / RATE < MAX_RECORDED_SECONDS:
            people += make_people([clip], "recorded")
    if people:
        minutes = sum(len(one.yaws) for one in people) / RATE / 60
        return people, f"{len(people)} recordings of LAFAN1, {minutes:.0f} minutes; no headset was worn"
    seconds = min(20.0, material.effort.user_seconds)
    clips = make_clips(min(12, material.effort.users), seconds=seconds, seed=material.seed)
    people = look_around(make_people(clips, "built-in"))
    return people, f"{len(people)} built-in walkers who look around, {seconds:g} s each"


def trace_minutes(found: Sequence[Errors]) -> tuple[list[float], list[float]]:
    """Middle of each minute, and the mean error in it, of all people end to end."""
    times, means = average_over(np.concatenate([one.errors for one in found]), RATE, MINUTE)
    return (times / MINUTE).tolist(), means.tolist()


def measure_sizes(material: Material) -> Result:
    """Figures 6 to 8: parts of the database at both position accuracies, driven by the users' true direction."""
    named, casts = material.locomotion, material.casts
    runs = run_sweep(named.what, casts.what, progress=material.progress)
    values: dict[str, float] = {}
    lines = {}
    for run in runs:
        share, near = next(name for name, own in SHARES.items() if own == run.share), run.accuracy == NEAR_ACCURACY
        end = "_near" if near else ""
        values |= {f"root_{share}{end}": run.root, f"poses_{share}{end}": float(run.poses)}
        values[f"turning_{share}{end}"] = run.turning
        if not near:
            errors = np.concatenate([find_root_errors(one) for one in run.performances])
            times, means = average_over(100 * errors, run.performances[0].user.rate, SPAN)
            lines[f"{share} % of the database"] = times.tolist(), means.tolist()
    bars = {
        "MMVR": list(PRINTED_ROOT.values()),
        "here, alpha 0.3 m": [values[f"root_{share}"] for share in SHARES],
        "here, alpha 0.1 m": [values[f"root_{share}_near"] for share in SHARES],
    }
    charts = (
        Chart("sizes", "7.2: root from below the head", "% of the database", "cm", groups=list(SHARES), bars=bars),
        Chart("sizes-time", f"Figure 7: averaged over {SPAN:g} s", "s of all users, end to end", "cm", lines),
        Chart("poses", "Figure 8: different poses in use", "alpha, m", "poses", groups=["0.3", "0.1"],
              bars={"MMVR, 5 minutes": [6932, 5715], "here": [values["poses_100"], values["poses_100_near"]]}),
    )  # fmt: skip
    pictures = tuple(("Figure 6: a turn in place", one) for one in draw_turn(runs, FAR_ACCURACY))
    minutes = sum(user.seconds for cast in casts.what for user in cast.users) / 60
    data = f"{named.data}; {casts.data}, {minutes:.1f} minutes"
    note = "the true direction drives the avatars, so that only errors of motion matching are left"
    return Result(values, data, False, "kinematch evaluate avatar", charts, pictures, notes=(note,))


def measure_avatars(material: Material) -> Result:
    """Figures 3 to 5: a dragged body, one that follows the headset, the paper's network and ours."""
    named, casts = material.locomotion, material.casts
    opened, source = open_motion(named.what), measure_database_feet(named.what)
    values: dict[str, float] = {}
    for number, (name, method) in enumerate(METHODS.items()):
        material.progress(f"avatars: {method}", number, len(METHODS))
        shown, _ = run_method(method, opened, casts.what, FAR_ACCURACY)
        values |= {f"skate_{name}": measure_feet_of(shown, source)["skate"]}
        values |= {f"hips_{name}": float(measure_places(shown)["hips_yaw"])}
        values |= {f"crouching_{name}": float(measure_moments(shown)["crouching"])}
    bars = {"here": [values[f"skate_{name}"] for name in METHODS]}
    chart = Chart("avatars", "Figure 4: foot skate", "", "cm/s", groups=list(METHODS.values()), bars=bars)
    return Result(values, f"{named.data}; {casts.data}", False, "kinematch evaluate avatar", (chart,))


EXPERIMENTS = (
    Experiment("orientation", "Where the body faces, by four trainings of the paper's network", measure_directions),
    Experiment("feedback", "The paper's network, its output fed back as it comes out", measure_feedback),
    Experiment("sizes", "Parts of the database at two position accuracies", measure_sizes),
    Experiment("avatars", "Dragged, by the headset, by the network", measure_avatars),
)
