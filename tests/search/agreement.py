"""Do the matchers agree, to the last bit, with each other and with a reference in numpy?

`python agreement.py SEED COUNT` prints a digest of all answers, so that targets of the compiler can be compared.
"""

import hashlib
import sys
from dataclasses import dataclass

import numpy as np

from kinematch.search import BoxMatcher, ExhaustiveMatcher, WideMatcher
from kinematch.search.space import SearchSpace, plain_space

TAGS = ("a", "b", "c")
# expressions and, written apart from our parser, what they mean
FILTERS = {
    "": lambda a, b, c: a | ~a,
    "a": lambda a, b, c: a,
    "!b": lambda a, b, c: ~b,
    "a & !b | c": lambda a, b, c: (a & ~b) | c,
    "!(a | b)&c": lambda a, b, c: ~(a | b) & c,
    "c & c": lambda a, b, c: c,
    "a & !a": lambda a, b, c: a & ~a,
}
SIZES = (1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4095, 4097)
COLUMNS = (1, 2, 3, 5, 16, 27, 48, 127, 128)
KINDS = (
    *("normal", "walk", "walk", "duplicates", "one value", "constant columns", "wide column", "1e15", "overflow"),
    *("largest", "denormal", "small squares", "far from zero", "mixed scales"),
)


@dataclass
class Case:
    space: SearchSpace
    queries: np.ndarray
    current: np.ndarray
    filter: str
    stay_bias: float
    ignore: int

    @property
    def question(self) -> dict:
        return {"filter": self.filter, "stay_bias": self.stay_bias, "ignore": self.ignore}


def random_values(rng: np.random.Generator, kind: str, frames: int, columns: int) -> np.ndarray:
    values = rng.normal(size=(frames, columns))
    match kind:
        case "walk":
            values = np.cumsum(values * 0.1, axis=0)
        case "duplicates":
            values = rng.integers(0, 2, size=(frames, columns)) * 0.5
        case "one value":
            values[:] = values[0]
        case "constant columns":
            values[:, rng.random(columns) < 0.7] = 3.7
        case "wide column":
            values[:, rng.integers(columns)] *= 1e6
        case "1e15":
            values *= 1e15
        case "overflow":  # squares of many differences are beyond float32, of some not
            values *= rng.choice([1e18, 1e20, 1e30])
        case "largest":
            values = np.clip(values, -1, 1) * 3.4e38
        case "denormal":
            values *= 1e-41
        case "small squares":
            values *= rng.choice([1e-25, 1e-22, 1e-20, 1e-12])
        case "far from zero":
            values = 1e6 + values * 0.1
        case "mixed scales":
            values *= 10.0 ** rng.integers(-9, 9, size=columns)
    return values.astype(np.float32)


def random_space(rng: np.random.Generator) -> SearchSpace:
    frames = int(rng.choice(SIZES)) if rng.random() < 0.6 else int(rng.integers(1, 5000))
    columns = int(rng.choice(COLUMNS)) if rng.random() < 0.6 else int(rng.integers(1, 129))
    values = random_values(rng, str(rng.choice(KINDS)), frames, columns)
    if frames > 40 and rng.random() < 0.3:  # the same stretch twice: ties between far-off frames
        values[frames // 2 : frames // 2 + 20] = values[:20]
    cut = rng.random(frames) < rng.choice([0.0, 0.002, 0.1, 1.0])  # 1.0: clips of one frame
    cut[0] = True
    starts = np.flatnonzero(cut).astype(np.int32)
    stops = np.append(starts[1:], frames).astype(np.int32)
    ends = np.zeros(frames, bool)
    ends[stops[rng.random(len(stops)) < 0.8] - 1] = True  # the others loop
    factors = np.ones(frames)
    if rng.random() < 0.5:
        some = rng.random(frames) < 0.2
        factors[some] = 10.0 ** rng.uniform(*rng.choice([[-0.3, 0.3], [-6, 6], [0, 1]]), some.sum())
    weights = rng.uniform(0, 2, columns) * (rng.random(columns) < rng.choice([1.0, 0.5, 0.0]))
    if np.abs(values).max() > 1e37:
        weights = np.minimum(weights, 0.9)
    return plain_space(
        values,
        weights=weights.astype(np.float32),
        targets=rng.random(frames) < rng.choice([1.0, 0.9, 0.5, 0.0], p=[0.4, 0.3, 0.2, 0.1]),
        clip_starts=starts,
        clip_stops=stops,
        ends=ends,
        cost_factor=factors.astype(np.float32),
        tag_names=TAGS,
        tags=rng.random((frames, 3)) < (0.95, 0.5, 0.02),
    )


def random_queries(rng: np.random.Generator, values: np.ndarray, count: int) -> np.ndarray:
    """Frames themselves, frames with noise, mixtures of two frames, and points far outside."""
    a, b = rng.integers(len(values), size=(2, count))
    with np.errstate(over="ignore"):
        scale = np.minimum(values.std(axis=0, dtype=np.float64), 1e37)
        queries = values[a].astype(np.float64)
        queries += rng.normal(size=queries.shape) * scale * rng.choice([0, 0.01, 1, 100], size=(count, 1))
    swap = rng.integers(values.shape[1] + 1)
    mixed = rng.random(count) < 0.4
    queries[mixed, swap:] = values[b[mixed], swap:]
    outside = rng.random(count) < 0.05
    queries[outside] = rng.choice([-1, 1], size=(outside.sum(), values.shape[1])) * 10.0 ** rng.uniform(0, 20)
    return np.clip(queries, -3.4e38, 3.4e38).astype(np.float32)


def random_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    space = random_space(rng)
    room = 4_000_000 // space.values.size  # keeps the reference quick
    count = min(int(rng.choice([0, 1, 40, 63, 64, 150, 1000], p=[0.05, 0.15, 0.4, 0.1, 0.1, 0.15, 0.05])), room)
    queries = random_queries(rng, space.values, count)
    if np.abs(queries).max(initial=0) > 1e37:
        queries[:, space.weights > 1] *= 0.5
    current = rng.integers(space.frame_count, size=count)
    current[rng.random(count) < 0.2] = -1
    at_end = rng.random(count) < 0.1
    current[at_end] = rng.choice(space.clip_stops, size=at_end.sum()) - 1
    own = (rng.random(count) < 0.2) & (current >= 0)  # asked for the very frame that plays
    queries[own] = space.values[current[own]]
    return Case(
        space=space,
        queries=queries,
        current=current.astype(np.int32),
        filter=str(rng.choice(list(FILTERS))),
        stay_bias=float(rng.choice([0, 0.1, 1e-30, 1e6, 1e30], p=[0.5, 0.2, 0.1, 0.1, 0.1])),
        ignore=int(rng.choice([0, 1, 20, 100, 10**12])),
    )


def reference(case: Case, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """What must be found, by whole arrays and as plainly as can be."""
    space = case.space
    roots = np.sqrt(space.weights if weights is None else weights)
    admitted = FILTERS[case.filter](*space.tags.T) if case.filter else np.ones(space.frame_count, bool)
    clip = np.cumsum(np.isin(np.arange(space.frame_count), space.clip_starts))
    everything = np.arange(space.frame_count)
    frames, costs = [], []
    with np.errstate(over="ignore", under="ignore"):
        values = space.values * roots
        for query, current in zip(case.queries * roots, case.current.tolist()):
            distance = np.zeros(space.frame_count, np.float32)
            for d in range(space.column_count):
                difference = query[d] - values[:, d]
                distance += difference * difference
            cost = np.where(space.targets & admitted, distance * space.cost_factor, np.float32(np.inf))
            staying = np.float32(np.inf)
            if current >= 0:
                cost[(clip == clip[current]) & (abs(everything - current) <= case.ignore)] = np.inf
                if admitted[current] and not space.ends[current]:
                    staying = distance[current]
            best = int(np.argmin(cost))
            if cost[best] < staying - np.float32(case.stay_bias):
                frames.append(best)
                costs.append(cost[best])
            else:
                frames.append(current if staying < np.inf else -1)
                costs.append(staying)
    return np.array(frames, np.int32), np.array(costs, np.float32)


def same(found, expected: tuple[np.ndarray, np.ndarray], name: str) -> None:
    """Frames and costs equal bit for bit."""
    frames, costs = expected
    assert found.frames.dtype == np.int32
    assert found.costs.dtype == np.float32
    wrong = np.flatnonzero((found.frames != frames) | (found.costs.view(np.uint32) != costs.view(np.uint32)))
    assert not len(wrong), (
        f"{name}: {len(wrong)} wrong, first {wrong[0]}: found {found.frames[wrong[0]]} at {found.costs[wrong[0]]}, "
        f"expected {frames[wrong[0]]} at {costs[wrong[0]]}"
    )


def check(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """All matchers against the reference, at once and one by one; returns the answer."""
    expected = reference(case)
    for matcher in (ExhaustiveMatcher(case.space), BoxMatcher(case.space), WideMatcher(case.space)):
        same(matcher.find(case.queries, case.current, **case.question), expected, type(matcher).__name__)
    for n in range(min(len(case.queries), 40)):
        frame, cost = matcher.find_one(case.queries[n], int(case.current[n]), **case.question)
        assert frame == expected[0][n]
        assert np.float32(cost) == expected[1][n]
    return expected


def digest(seed: int, count: int) -> str:
    total = hashlib.sha256()
    for case in map(random_case, range(seed, seed + count)):
        for part in check(case):
            total.update(part.tobytes())
    return total.hexdigest()


if __name__ == "__main__":
    print(digest(int(sys.argv[1]), int(sys.argv[2])))
