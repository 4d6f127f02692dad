"""`kinematch bench`: measures on this machine, competitors in one run on the same queries."""

import json as json_module
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from kinematch.cli.build import STAGES
from kinematch.cli.options import check_output, option
from kinematch.errors import KinematchError
from kinematch.writing import write_beside

if TYPE_CHECKING:
    from PIL import Image

    from kinematch.database.storage import Database

Databases = Annotated[tyro.conf.Positional[list[Path]], option("databases to measure on; default: the built-in one")]
Data = Annotated[Path | None, option("a folder of LAFAN1 clips: builds and measures its sets S, M, L and XL")]
Json = Annotated[Path | None, option("write all figures as JSON")]


def search(
    databases: Databases = [],  # noqa: B006 (tyro wants a list)
    /,
    data: Data = None,
    json: Json = None,
    chart: Annotated[Path | None, option("write a chart of the medians (png)")] = None,
    growth_to: Annotated[int, option("also measure scaling up to this many frames; 0 skips it")] = 0,
    growth_chart: Annotated[Path | None, option("write a chart of the scaling (png)")] = None,
    quick: Annotated[bool, option("run a tenth of the queries")] = False,
) -> int:
    """Compare the default search with numpy, exhaustive search, trees and boxes on the same queries."""
    from kinematch.bench import search as searches
    from kinematch.bench import search_report
    from kinematch.bench.growth import check_largest, growth
    from kinematch.cli.screen import progress_bar, write_picture

    if growth_to < 0:
        raise KinematchError(f"growth to {growth_to} frames, expected 0 or more")
    if growth_chart is not None and not growth_to:
        raise KinematchError("--growth-chart is a picture of the growth: say with --growth-to how far")
    _check(json, chart, growth_chart)
    plan = searches.QUICK if quick else searches.FULL
    with progress_bar("opening databases") as show:
        opened = _open_databases(databases, data, show)
        if growth_to:
            check_largest(opened, growth_to)
        report = searches.bench_search(opened, plan, progress=lambda now, done, total: show(done, total, now))
        curve = None
        if growth_to:
            samples = {"count": min(1000, plan.queries), "rounds": plan.rounds}
            curve = growth(opened, growth_to, **samples, progress=lambda frames: show(0, None, f"{frames} frames"))
    lines = [*search_report.lines(report), *([search_report.growth_line(curve)] if curve else [])]
    _print(search_report.tables(report), lines)
    _write(
        json, searches.plain(report) | ({"growth": vars(curve)} if curve else {}), chart,
        lambda: search_report.medians(report),
    )  # fmt: skip
    if growth_chart is not None and curve is not None:
        write_picture(growth_chart, search_report.growth_chart(curve))
    return 0


def character(
    databases: Databases = [],  # noqa: B006 (tyro wants a list)
    /,
    data: Data = None,
    json: Json = None,
    chart: Annotated[Path | None, option("write a chart of step times (png)")] = None,
    quick: Annotated[bool, option("run for an eighth of the time, without the crowd of 10,000")] = False,
) -> int:
    """Benchmark the step of crowds of 1 to 10,000 characters, stage by stage."""
    from kinematch.bench import character as characters
    from kinematch.bench import character_report
    from kinematch.cli.screen import progress_bar

    _check(json, chart)
    counts = characters.CROWD_SIZES[:-1] if quick else characters.CROWD_SIZES
    with progress_bar("opening databases") as show:
        opened = _open_databases(databases, data, show)
        report = characters.bench_character(
            opened, counts=counts, seconds=0.5 if quick else 4.0,
            progress=lambda now, done, total: show(done, total, now),
        )  # fmt: skip
    _print(character_report.tables(report), character_report.lines(report))
    _write(json, characters.plain(report), chart, lambda: character_report.chart(report))
    return 0


def limits(
    databases: Databases = [],  # noqa: B006 (tyro wants a list)
    /,
    data: Data = None,
    json: Json = None,
    quick: Annotated[bool, option("run five pairs instead of twenty-one")] = False,
) -> int:
    """Benchmark unusual cases: commands far outside the data, threads for medium-sized crowds, single characters."""
    from kinematch.bench import limits as module
    from kinematch.cli.screen import progress_bar

    _check(json)
    with progress_bar("opening databases") as show:
        opened = _open_databases(databases, data, show)
        report = module.bench_limits(
            opened, pairs=5 if quick else module.PAIR_COUNT, progress=lambda now, done, total: show(done, total, now)
        )
    _print(module.tables(report), [])
    _write(json, module.plain(report), None, None)
    return 0


def avatar(
    databases: Databases = [],  # noqa: B006 (tyro wants a list)
    /,
    data: Data = None,
    json: Json = None,
    quick: Annotated[bool, option("run one and eight users, a second each")] = False,
) -> int:
    """Benchmark the bodies of 1 to 8 headset users at 90 Hz: time per frame, and the latency that pages see."""
    from kinematch.bench import avatar as module
    from kinematch.cli.screen import progress_bar

    _check(json)
    counts = (module.USER_COUNTS[0], module.USER_COUNTS[-1]) if quick else module.USER_COUNTS
    with progress_bar("opening databases") as show:
        opened = _open_databases(databases, data, show)
        report = module.bench_avatar(
            opened, counts=counts, seconds=1.0 if quick else 5.0,
            progress=lambda now, done, total: show(done, total, now),
        )  # fmt: skip
    _print(module.tables(report), [])
    _write(json, module.plain(report), None, None)
    return 0


def start(
    json: Json = None,
    rounds: Annotated[int, option("runs of each command; the median counts")] = 7,
) -> int:
    """Measure how long each verb takes to answer --help, against a Python that does nothing."""
    from kinematch.bench.start import bench_start, plain, table
    from kinematch.cli.main import VERBS
    from kinematch.cli.screen import progress_bar

    if not 1 <= rounds <= 1000:
        raise KinematchError(f"{rounds} rounds, expected 1 to 1000")
    check_output(json)
    with progress_bar("starting verbs") as show:
        report = bench_start(list(VERBS), rounds=rounds, progress=show)
    _print([table(report)], [])
    _write(json, plain(report), None, None)
    return 0


def fuzz(
    files: Annotated[
        tyro.conf.Positional[list[Path]], option("files and folders to damage; default: small ones of every kind")
    ] = [],  # noqa: B006 (tyro wants a list)
    /,
    count: Annotated[int, option("number of damaged files to read, including earlier runs")] = 10_000,
    state: Annotated[Path, option("state file; a run continues where the last one stopped")] = Path("fuzz/state.json"),
    seed: Annotated[int, option("random seed of the damage")] = 0,
    processes: Annotated[int, option("number of reader processes")] = 1,
) -> int:
    """Read damaged files of every kind; each must give a result or one clear error, within 5 s and 1 GB."""
    from tempfile import TemporaryDirectory

    from kinematch.bench import fuzz as module
    from kinematch.bench.fuzz_examples import write_examples
    from kinematch.cli.screen import progress_bar

    if not 1 <= count <= 100_000_000 or not 1 <= processes <= 64 or seed < 0:
        raise KinematchError("expected a count of 1 to 100,000,000, 1 to 64 processes and a seed of 0 or more")
    state.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder, progress_bar("damaging files") as show:
        if not files:
            write_examples(Path(folder))
        originals = module.find_originals(files or [Path(folder)])
        report = module.fuzz(originals, count, state=state, seed=seed, processes=processes, progress=show)
    _print([module.table(report)], module.describe_findings(report, state))
    return 1 if report.findings else 0


def soak(
    minutes: Annotated[float, option("total minutes, including earlier runs")] = 20.0,
    clients: Annotated[int, option("number of misbehaving clients")] = 20,
    state: Annotated[Path, option("state file; a run continues where the last one stopped")] = Path("soak/state.json"),
) -> int:
    """Serve Studio to a well-behaved page among misbehaving clients: poses per second, gaps, and memory."""
    from kinematch.bench import soak as module
    from kinematch.cli.screen import progress_bar

    if not 0 < minutes <= 100_000 or not 1 <= clients <= 200:
        raise KinematchError("expected minutes above 0 and at most 100,000, and 1 to 200 clients")
    state.parent.mkdir(parents=True, exist_ok=True)
    with progress_bar("soaking") as show:
        report = module.soak(minutes, state=state, clients=clients, progress=show)
    _print([module.table(report)], [f"finding: {finding}" for finding in report.findings])
    return 1 if report.findings else 0


def build(
    recipes: Annotated[tyro.conf.Positional[list[Path]], option("recipes to build; default: the built-in motion")] = [],  # noqa: B006
    /,
    data: Annotated[Path | None, option("a folder of LAFAN1 clips: builds its set XL")] = None,
    json: Json = None,
    rounds: Annotated[int, option("builds of each recipe; the median counts")] = 3,
) -> int:
    """Measure how long recipes take to build, stage by stage, and how many cores they keep busy."""
    from kinematch.bench.build import bench_build, plain, table
    from kinematch.bench.sets import write_recipes
    from kinematch.cli.screen import progress_bar
    from kinematch.database.built_in import write_recipe

    if not 1 <= rounds <= 1000:
        raise KinematchError(f"{rounds} rounds, expected 1 to 1000")
    check_output(json)
    chosen = [*recipes, *([write_recipes(data)["XL"]] if data else [])] or [write_recipe()]
    with progress_bar("building") as show:
        report = bench_build(chosen, rounds=rounds, progress=lambda name, done, total: show(done, total, name))
    _print([table(report)], [])
    _write(json, plain(report), None, None)
    return 0


bench = {
    "search": search, "character": character, "limits": limits, "avatar": avatar, "build": build, "start": start,
    "fuzz": fuzz, "soak": soak,
}  # fmt: skip


def _check(json: Path | None, *charts: Path | None) -> None:
    check_output(json)
    for chart in charts:
        check_output(chart, ".png")


def _open_databases(paths: list[Path], data: Path | None, show: Callable[..., None]) -> dict[str, "Database"]:
    """Those named, the LAFAN1 sets of a folder, or else the built-in one."""
    from kinematch.bench.sets import lafan1
    from kinematch.database import storage
    from kinematch.database.built_in import open_built_in

    opened = {path.stem: storage.load(path) for path in paths}
    if data is not None:
        opened |= lafan1(data, lambda name: show(0, None, f"building {name}"))
    if not opened:
        opened["built-in"] = open_built_in(lambda stage, done, total: show(done, total, STAGES[stage]))
    return opened


def _print(tables: Any, lines: Any) -> None:
    from kinematch.cli.screen import Screen

    screen = Screen()
    for table in tables:
        screen.print(table)
        screen.say("")
    for line in lines:
        screen.say(line)


def _write(
    json: Path | None, values: dict[str, Any], chart: Path | None, draw: Callable[[], "Image.Image"] | None
) -> None:
    from kinematch.cli.screen import write_picture

    if json is not None:
        write_beside(json, json_module.dumps(values, indent=2).encode())
    if chart is not None and draw is not None:
        write_picture(chart, draw())
