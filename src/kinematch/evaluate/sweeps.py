"""Sweeps as in the papers: one thing varied, everything scored, one figure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from PIL import Image

from kinematch.character.settings import Settings
from kinematch.database.rebuild import raw_root, same_root, share_of
from kinematch.database.storage import Database
from kinematch.evaluate.evaluation import Assignment, Progress, again, finite, perform, scored
from kinematch.evaluate.gaits import admitted
from kinematch.evaluate.pictures import sweep_chart
from kinematch.evaluate.scores import Scores

BLOCKS = ("trajectory position", "trajectory direction", "foot position", "foot velocity", "hip velocity")
SHORT_NAMES = ("path", "heading", "feet", "foot speed", "hip speed")  # the same, to stand below a bar
PRESET = (1.5, 0.8, 2.0, 2.0, 2.0)  # digital humans 4.2, in the order of BLOCKS
USUAL = ("position_mean", "turn_median", "skate_mean", "rough", "transitions")


@dataclass(frozen=True)
class Variant:
    label: str
    settings: Settings
    database: Database
    x: float | None = None  # where it stands on the figure's axis, if it has one
    rate: float | None = None  # steps a second, if not those of the assignment
    every: int = 1  # of how many steps one is seen


@dataclass(frozen=True)
class SweepKind:
    """What a sweep varies."""

    text: str
    x_label: str
    variants: Callable[[Assignment, Settings], Iterator[Variant]]
    measures: Sequence[str] = USUAL
    notes: tuple[str, ...] = ()
    seeds: int = 1  # over which scores are averaged


@dataclass(frozen=True, eq=False)
class Sweep:
    name: str
    title: str
    x_label: str
    x: Mapping[str, float]  # by variant; those that have none are not drawn, unless none has
    rows: Mapping[str, Scores]
    source: Scores
    measures: Sequence[str]
    notes: tuple[str, ...]
    spreads: Mapping[str, Scores]  # by variant: how far seeds lie apart, half of the range

    def picture(self) -> Image.Image:
        labels = list(self.x or self.rows)
        rows = [self.rows[label] for label in labels]
        x = list(self.x.values()) or None
        return sweep_chart(x, labels, rows, self.measures, title=self.title, x_label=self.x_label)


def run_sweep(name: str, given: Assignment, settings: Settings, *, progress: Progress | None = None) -> Sweep:
    """The course once for each variant; all are measured by the whole database's yardstick."""
    kind, told = SWEEPS[name], progress or (lambda what, done, total: None)
    rows: dict[str, Scores] = {}
    spreads: dict[str, Scores] = {}
    places: dict[str, float] = {}
    assignments: dict[float, Assignment] = {}  # by how often they are seen: the source is seen alike
    for variant in kind.variants(given, settings):
        steps = variant.rate or given.rate
        seen = steps / variant.every
        if seen not in assignments:
            assignments[seen] = again(given, given.seed, seen)
        own = assignments[seen]
        found = []
        for seed in range(given.seed, given.seed + kind.seeds):
            assignment = replace(again(own, seed, own.rate), database=variant.database)
            stepped = replace(assignment, rate=steps)
            told_variant = partial(told, f"{variant.label}, seed {seed}" if kind.seeds > 1 else variant.label)
            done = perform(stepped, variant.settings, every=variant.every, progress=told_variant)
            found.append(scored(assignment, done))
        names = [name for name in found[0] if all(name in scores for scores in found)]
        rows[variant.label] = {name: float(np.mean([scores[name] for scores in found])) for name in names}
        spreads[variant.label] = {name: float(np.ptp([scores[name] for scores in found]) / 2) for name in names}
        if variant.x is not None:
            places[variant.label] = variant.x
    notes = (*kind.notes, f"means over {kind.seeds} seeds") if kind.seeds > 1 else kind.notes
    return Sweep(name, kind.text, kind.x_label, places, rows, given.source, kind.measures, notes, spreads)


def sweep_plain(sweep: Sweep) -> dict[str, Any]:
    rows = {label: finite(scores) for label, scores in sweep.rows.items()}
    spreads = {label: finite(scores) for label, scores in sweep.spreads.items()}
    return {"sweep": sweep.name, "x": sweep.x, "scores": rows, "spreads": spreads, "source": finite(sweep.source)}


def _setting(name: str, values: Sequence[float]) -> Callable[[Assignment, Settings], Iterator[Variant]]:
    def variants(given: Assignment, settings: Settings) -> Iterator[Variant]:
        for value in values:
            changed: dict[str, Any] = {name: value}
            yield Variant(f"{value:g}", replace(settings, **changed), given.database, value)

    return variants


def _synchronization(given: Assignment, settings: Settings) -> Iterator[Variant]:
    """The papers' factor is what is made up in a sixtieth of a second."""
    # of a full one, a thousandth of a second leaves 1e-5
    for factor, halflife in ((0.0, 0.0), (0.5, 1 / 60), (1.0, 0.001)):
        yield Variant(f"{factor:g}", replace(settings, synchronization_halflife=halflife), given.database, factor)


def _responsiveness(given: Assignment, settings: Settings) -> Iterator[Variant]:
    for ratio in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
        changed = replace(settings, responsiveness=ratio**0.5, quality=ratio**-0.5)
        yield Variant(f"{ratio:g}", changed, given.database, float(np.log2(ratio)))


def block_weights(database: Database, values: Sequence[float]) -> dict[str, float]:
    """A weight for each of BLOCKS, as the features of a database are called."""
    made = {}
    for feature in database.features.schema.features:
        foot = "foot" in feature.joint.lower() or "toe" in feature.joint.lower()
        block = {
            "trajectory_position": 0,
            "trajectory_direction": 1,
            "position": 2,
            "velocity": 3 if foot else 4,
        }.get(feature.kind)
        if block is not None:
            made[feature.name] = float(values[block])
    return made


def _weights(given: Assignment, settings: Settings) -> Iterator[Variant]:
    def variant(label: str, values: Sequence[float]) -> Variant:
        return Variant(label, replace(settings, weights=block_weights(given.database, values)), given.database)

    yield variant("preset", PRESET)
    for n, block in enumerate(SHORT_NAMES):
        for factor in (0.25, 4.0):
            yield variant(f"{block} x{factor:g}", [w * factor if k == n else w for k, w in enumerate(PRESET)])


def _rate(given: Assignment, settings: Settings) -> Iterator[Variant]:
    """Below 60 Hz accelerations are those of a curve through what is shown: 60 Hz are seen as rarely beside them."""
    for rate in (20.0, 30.0, 60.0, 120.0, 250.0, 500.0):
        yield Variant(f"{rate:g}", settings, given.database, float(np.log2(rate / 60)), rate)
        if rate < 60:
            yield Variant(f"60 seen at {rate:g}", settings, given.database, rate=60.0, every=round(60 / rate))


def _root(given: Assignment, settings: Settings) -> Iterator[Variant]:
    yield Variant("raw root", settings, raw_root(given.database))
    yield Variant("filtered root", settings, same_root(given.database))


def _database(given: Assignment, settings: Settings) -> Iterator[Variant]:
    mask = admitted(given.database, given.filter)
    clamped = replace(settings, clamp_distance=0.3)
    for share in (0.1, 0.25):
        yield Variant(f"{share:.0%}", clamped, share_of(given.database, share, mask), 100 * share)
    yield Variant("100%", clamped, given.database, 100.0)


SWEEPS: dict[str, SweepKind] = {
    "interval": SweepKind(
        "Search interval", "seconds between searches",
        _setting("search_interval", (0.02, 0.05, 0.1, 0.2, 0.4, 1.0)), (*USUAL, "repetition"),
    ),
    "halflife": SweepKind(
        "Half-life of transitions", "seconds",
        _setting("transition_halflife", (0.01, 0.05, 0.1, 0.2, 0.4, 1.0)),
    ),
    "synchronization": SweepKind("Synchronization", "factor at 60 Hz", _synchronization),
    "responsiveness": SweepKind(
        "Responsiveness against quality", "log2 of their ratio", _responsiveness, (*USUAL, "jump_acceleration")
    ),
    "rate": SweepKind(
        "Steps a second", "log2 of the rate over 60 Hz", _rate, seeds=10
    ),
    "weights": SweepKind("Weights around 1.5, 0.8, 2, 2, 2", "", _weights),
    "root": SweepKind("Raw against filtered root", "", _root),
    "database": SweepKind(
        "Share of the database", "% of its frames, in pieces of 10 s", _database, ("position_mean", "skate_mean"),
        ("thesis 5.2.3: 27, 22 and 19 cm with 10, 25 and 100 % of another database",),
    ),
    "alpha": SweepKind(
        "Farthest from the simulated body", "m", _setting("clamp_distance", (0.1, 0.3)),
        ("position_mean", "skate_mean", "distinct"),
        ("thesis 5.2.4: 5,715 distinct poses with 0.1 m, 6,932 with 0.3 m, in 5 minutes",),
    ),
}  # fmt: skip
