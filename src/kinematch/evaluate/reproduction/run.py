"""Running: the experiments that the chosen works' claims need, each kept when it is done; what fails stops no other."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kinematch.errors import KinematchError, unknown
from kinematch.evaluate.reproduction import (
    camera,
    digital_humans,
    effort,
    experiment,
    films,
    learned,
    material,
    mmvr,
    models,
    modes,
    roots,
    thesis,
)
from kinematch.evaluate.reproduction.claims import (
    NOT_COMPARABLE,
    WORKS,
    CitedWork,
    Claim,
    ClaimVerdict,
    judge_claim,
    load_work,
)
from kinematch.evaluate.reproduction.effort import Effort
from kinematch.evaluate.reproduction.experiment import Experiment
from kinematch.evaluate.reproduction.material import Material, Progress
from kinematch.evaluate.reproduction.results import Result, make_key, read_result, write_result

MODULES = (thesis, roots, digital_humans, mmvr, camera, learned)
SHARED = (material, experiment, modes, effort)  # code that all experiments use
MORE = {learned: (models, films)}
EXPERIMENTS: Mapping[str, tuple[Experiment, Sequence[Path]]] = {
    one.name: (one, [Path(str(file.__file__)) for file in (module, *SHARED, *MORE.get(module, ()))])
    for module in MODULES
    for one in module.EXPERIMENTS
}


@dataclass(frozen=True)
class ClaimResult:
    """A claim beside our figures."""

    claim: Claim
    verdict: ClaimVerdict
    own: float  # by the work's own method; NaN where it was not measured
    ours: float  # by our default; NaN where there is none
    data: str
    same_data: bool
    command: str


@dataclass(frozen=True, eq=False)
class Reproduction:
    """Everything that a report shows."""

    works: tuple[CitedWork, ...]
    rows: tuple[ClaimResult, ...]
    results: Mapping[str, Result]  # by experiment
    titles: Mapping[str, str]  # of experiments
    failures: Mapping[str, str]  # experiments that could not run, and why
    reused: tuple[str, ...]  # experiments whose kept results were taken
    effort: Effort
    folder: Path | None
    seed: int


def reproduce(
    folder: Path | None, keep: Path, *, effort: Effort, works: Sequence[str] = (), seed: int = 0,
    progress: Progress | None = None,
) -> Reproduction:  # fmt: skip
    """Measure what the claims of some works, or of all, need. Results are kept in the folder `keep`."""
    for name in works:
        if name not in WORKS:
            raise KinematchError(unknown("work", name, WORKS))
    tell = progress or (lambda what, done, total: None)
    chosen = tuple(load_work(name) for name in works or WORKS)
    keep.mkdir(parents=True, exist_ok=True)
    given = Material(folder, keep, effort, tell, seed)
    needed = list(dict.fromkeys(claim.run for work in chosen for claim in work.claims))
    tell("looking at the data", 0, len(needed))
    digest = f"{seed} {given.digest}"
    results: dict[str, Result] = {}
    failures: dict[str, str] = {}
    reused: list[str] = []
    for number, name in enumerate(needed):
        one, code = EXPERIMENTS[name]
        tell(f"{number + 1} of {len(needed)}: {one.title}", 0, 1)
        key = make_key(name, effort, digest, code)
        if (kept := read_result(keep, name, key)) is not None:
            results[name] = kept
            reused.append(name)
            continue
        try:
            results[name] = run_experiment(one, given)
            write_result(keep, name, key, results[name])
        except KinematchError as error:
            failures[name] = str(error)
    rows = tuple(make_row(claim, results, failures) for work in chosen for claim in work.claims)
    titles = {name: EXPERIMENTS[name][0].title for name in needed}
    return Reproduction(chosen, rows, results, titles, failures, tuple(reused), effort, folder, seed)


def run_experiment(one: Experiment, given: Material) -> Result:
    began = time.monotonic()
    return replace(one.run(given), seconds=time.monotonic() - began)


def make_row(claim: Claim, results: Mapping[str, Result], failures: Mapping[str, str]) -> ClaimResult:
    nan = float("nan")
    if claim.run not in results:
        verdict = ClaimVerdict(NOT_COMPARABLE, failures[claim.run])
        return ClaimResult(claim, verdict, nan, nan, "", False, "")
    found = results[claim.run]
    own, ours = (found.values.get(name, nan) for name in (claim.own, claim.ours))
    return ClaimResult(claim, judge_claim(claim, found.values), own, ours, found.data, found.same_data, found.command)
