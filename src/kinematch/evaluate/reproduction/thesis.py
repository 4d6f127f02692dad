"""Experiments of the thesis: search (3.5.3), springs (figure 3.10), a dance database in VR (5.2.2)."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image

from kinematch.character.describe import open_motion
from kinematch.database.rebuild import rebuild_database, whole_clips
from kinematch.database.storage import Database
from kinematch.draw.sheet import contact_sheet
from kinematch.errors import KinematchError
from kinematch.evaluate.reproduction.experiment import Experiment
from kinematch.evaluate.reproduction.material import Material
from kinematch.evaluate.reproduction.results import Chart, Result
from kinematch.evaluate.vr.evaluation import run_method
from kinematch.evaluate.vr.figures import find_busiest, make_clip
from kinematch.evaluate.vr.measures import find_root_errors
from kinematch.evaluate.vr.methods import OURS
from kinematch.evaluate.vr.performance import Performance
from kinematch.math.spring import decay, spring
from kinematch.search import BoxMatcher, ExhaustiveMatcher, Matcher, WideMatcher, search_space
from kinematch.search.space import SearchSpace
from kinematch.threads import at_most

SIZES = {"xsens": 18_120, "ubisoft": 14_867, "vr": 28_271}  # poses of the thesis' databases, table 3.15
MATCHERS: dict[str, Callable[[SearchSpace], Matcher]] = {
    "linear": ExhaustiveMatcher,
    "boxes": BoxMatcher,
    "wide": WideMatcher,
}
PRINTED = {"xsens": (0.21, 0.03), "ubisoft": (0.48, 0.07), "vr": (0.91, 0.05)}  # ms, linear and boxes
ROUNDS = 9
FRAMES = 10  # between searches
BUDGET = 1.0  # ms a frame
ACCURACY = 0.3  # m


def measure_search(material: Material) -> Result:
    """Table 3.15: a search among as many poses as the thesis has, by the same 27 features."""
    named = material.locomotion
    values: dict[str, float] = {}
    for number, (name, count) in enumerate(SIZES.items()):
        material.progress(f"search among {count:,} poses", number, len(SIZES))
        database = take_frames(named.what, count)
        found = time_searches(database, material.effort.searches)
        values |= {f"{name}_{matcher}": found[matcher] for matcher in MATCHERS}
    values |= {
        "characters": FRAMES * BUDGET / values["xsens_boxes"],
        "characters_ours": FRAMES * BUDGET / values["xsens_wide"],
    }
    groups = [f"{name}, {count:,}" for name, count in SIZES.items()]
    bars = {
        "thesis, linear": [PRINTED[name][0] for name in SIZES], "linear": [values[f"{n}_linear"] for n in SIZES],
        "thesis, boxes": [PRINTED[name][1] for name in SIZES], "boxes": [values[f"{n}_boxes"] for n in SIZES],
        "our default": [values[f"{name}_wide"] for name in SIZES],
    }  # fmt: skip
    chart = Chart("search", "Table 3.15: ms of a search, by the number of poses", "", "ms", groups=groups, bars=bars)
    note = (
        "processor time of one core; both linear and boxes are compiled to vector instructions, as the thesis' columns "
        "with Burst are"
    )
    return Result(
        values, f"as many poses of {named.data}", named.same_data, "kinematch bench search", (chart,), notes=(note,)
    )


def take_frames(database: Database, count: int) -> Database:
    """The first frames of a database, exactly `count` if it has them."""
    pieces, left = [], count
    for clip, start, stop in whole_clips(database.poses):
        length = min(stop - start, left)
        if length > 60:  # shorter ones have no future
            pieces.append((clip, start, start + length))
            left -= length
    return rebuild_database(database, pieces)


def time_searches(database: Database, count: int) -> dict[str, float]:
    """Processor time (ms) of a search by each matcher, with one thread; they alternate, and the median round counts."""
    space = search_space(database)
    queries, current = mix_queries(space, database, count)
    matchers = {name: make(space) for name, make in MATCHERS.items()}
    times: dict[str, list[float]] = {name: [] for name in matchers}
    with at_most(1):
        for _ in range(ROUNDS):
            for name, matcher in matchers.items():
                began = time.process_time()
                matcher.find(queries, current)
                times[name].append(1e3 * (time.process_time() - began) / count)
    return {name: float(np.median(own)) for name, own in times.items()}


def mix_queries(space: SearchSpace, database: Database, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The pose of one frame with the trajectory of another, as when a command changes; and the first of the two."""
    rng, frames = np.random.default_rng(0), np.flatnonzero(space.targets)
    current, other = rng.choice(frames, count), rng.choice(frames, count)
    features = database.features.schema.features
    ahead = np.repeat([one.group == "trajectory" for one in features], [one.width for one in features])
    queries = np.where(ahead, space.values[other], space.values[current])
    return queries.astype(np.float32), current.astype(np.int32)


def measure_springs(material: Material) -> Result:
    """Figure 3.10: velocity just after the target of a value changed by 1, smoothed in two ways."""
    halflife, dt = 0.1, 1 / 60
    times = np.arange(0, 0.6, dt)
    smoothed = {
        "decay": lambda t: decay(0.0, 1.0, halflife, t),
        "spring": lambda t: spring(0.0, 0.0, 1.0, halflife=halflife, dt=t)[0],
    }
    # the velocity with which each sets off, over a thousandth of a second
    values = {f"{name}_jump": float(own(1e-3)) / 1e-3 for name, own in smoothed.items()}
    short = 1e-3  # s, so that the curve of a spring starts at zero, where a central difference would not
    speeds = {name: (own(times + short) - own(times)) / short for name, own in smoothed.items()}
    lines = {f"{name}, velocity": (times.tolist(), own.tolist()) for name, own in speeds.items()}
    chart = Chart("springs", "Figure 3.10: how a smoothed value sets off", "s", "1/s", lines)
    return Result(values, "a change by 1 of what is wanted", True, charts=(chart,))


def measure_dance(material: Material) -> Result:
    """Figure 5.7: the same users drive an avatar of dance, and one of walking."""
    dances = [path for name, path in {**material.takes, **material.clips}.items() if name.startswith("dance")]
    if not dances:
        raise KinematchError("needs recordings of dance, such as dance1_subject2 of LAFAN1: --data FOLDER")
    dance, walk = material.build("dance", dances), material.locomotion.what
    casts = material.casts.what
    shown: dict[str, tuple[Performance, ...]] = {}
    for name, database in (("dance", dance), ("walk", walk)):
        material.progress(f"{name} in VR", len(shown), 2)
        shown[name], _ = run_method(OURS, open_motion(database), casts, ACCURACY)
    values = {f"root_{name}": 100 * measure_root(own) for name, own in shown.items()}
    values |= {f"legs_{name}": 100 * measure_legs(own) for name, own in shown.items()}
    return Result(
        values, f"{len(dances)} dances of LAFAN1; {material.casts.data}", False, "kinematch evaluate avatar DATABASE",
        pictures=tuple((f"Figure 5.7: a user on a database of {name}", draw(own)) for name, own in shown.items()),
    )  # fmt: skip


def measure_root(performances: Sequence[Performance]) -> float:
    return float(np.concatenate([find_root_errors(one) for one in performances]).mean())


def measure_legs(performances: Sequence[Performance]) -> float:
    """m/s of the feet against the hips, on average."""
    speeds = []
    for one in performances:
        roles = one.skeleton.roles
        feet = one.global_positions[:, [roles["left_foot"], roles["right_foot"]]]
        moved = np.diff(feet - one.global_positions[:, [roles["hips"]]], axis=0) * one.user.rate
        speeds.append(np.linalg.norm(moved, axis=-1).ravel())
    return float(np.concatenate(speeds).mean())


def draw(performances: Sequence[Performance]) -> Image.Image:
    """A strip of the user who moves most."""
    one = max(performances, key=lambda own: float(np.ptp(own.root_positions, axis=0).max()))
    speeds = np.linalg.norm(np.gradient(one.root_positions, 1 / one.user.rate, axis=0), axis=-1)
    start = find_busiest(speeds, one.user.rate, 4.0)
    stop = min(start + 4.0, one.user.seconds)
    return contact_sheet(make_clip(one), columns=8, rows=1, start=start, stop=stop, tile=(130, 170))


EXPERIMENTS = (
    Experiment("search", "Search among the thesis' numbers of poses", measure_search),
    Experiment("springs", "Springs against exponential decay", measure_springs),
    Experiment("dance", "A dance database in VR", measure_dance),
)
