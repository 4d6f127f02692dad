"""`kinematch evaluate`: puts a character through a course and says how well it moves."""

import json as json_module
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import tyro

from kinematch.cli.opening import MOTION, open_database
from kinematch.cli.options import blaming, check_output, option
from kinematch.errors import KinematchError, unknown
from kinematch.writing import write_beside

# those of evaluate.sweeps, which is slow to import
SWEEPS = (
    *("interval", "halflife", "synchronization", "responsiveness", "rate"),
    *("weights", "root", "database", "alpha"),
)
FILTER = "tags that frames must satisfy, such as 'walk & !crouch'; default: the recipe's filter"


def evaluate(
    database: Annotated[tyro.conf.Positional[Path | None], option(MOTION)] = None,
    /,
    settings: Annotated[Path | None, option("settings file (toml or json)")] = None,
    filter: Annotated[str | None, option(FILTER)] = None,
    seed: Annotated[int, option("random seed of the course")] = 0,
    rate: Annotated[float, option("steps per second")] = 60.0,
    quick: Annotated[bool, option("run each scenario once, at the slowest and the fastest gait")] = False,
    no_baselines: Annotated[
        bool, option("skip the comparisons: state machine, playback, and runs with parts switched off")
    ] = False,
    sweep: Annotated[str | None, option(f"vary one setting instead: {', '.join(SWEEPS)}")] = None,
    json: Annotated[Path | None, option("write all figures as JSON")] = None,
    report: Annotated[Path | None, option("write a report (html)")] = None,
    chart: Annotated[Path | None, option("write the chart of a sweep (png)")] = None,
    learned: Annotated[
        tuple[Path, ...],
        option("compare exact, packed and learned matching instead: one model, or a small and a big one"),
    ] = (),
    packed: Annotated[Path | None, option("with --learned: also compare this packed database")] = None,
    films: Annotated[Path | None, option("with --learned: folder for films (gif) and charts (png)")] = None,
    against: Annotated[Path | None, option("with a model: the database it was trained on")] = None,
    vr: Annotated[
        bool, option("score VR avatars of simulated users instead: body direction, root, joints, feet")
    ] = False,
    camera: Annotated[
        bool, option("score what a camera adds to trackers instead, with simulated cameras at several places")
    ] = False,
    retarget: Annotated[
        tuple[Path, Path] | None,
        option("score a retarget instead: a motion file or folder, and the target character or motion file"),
    ] = None,
    robot: Annotated[
        Path | None, option("score how well this robot (MJCF or URDF) follows the motion files of --users instead")
    ] = None,
    users: Annotated[
        tuple[Path, ...],
        option("with --vr, --camera or --robot: motion files or folders; default: random walks"),
    ] = (),
    points: Annotated[tuple[str, ...], option("with --vr: tracked points: head, left_hand, right_hand, waist, ...")] = (
        "head",
        "left_hand",
        "right_hand",
    ),
    seconds: Annotated[float, option("with --vr or --camera: maximum seconds per user")] = 30.0,
    look_around: Annotated[float, option("with --vr or --camera: spread of added glances, in degrees")] = 0.0,
    noise: Annotated[bool, option("with --vr: add the noise and dropouts of real trackers")] = False,
) -> int:
    """Score how a database or model moves over a course; exit status 1 when a target is missed."""
    from kinematch.learned.model_file import is_model

    if vr + camera + (robot is not None) > 1:
        raise KinematchError("--vr, --camera and --robot are evaluations of their own; choose one")
    of_the_course = {
        "--settings": settings, "--filter": filter, "--sweep": sweep, "--chart": chart, "--no-baselines": no_baselines,
        "--rate": rate != 60.0, "--learned": learned, "--packed": packed, "--films": films, "--against": against,
    }  # fmt: skip
    if retarget is not None:
        from kinematch.cli.evaluate_retarget import evaluate_retarget

        others = {"a database": database, "--vr": vr, "--camera": camera, "--users": users, "--report": report}
        _refuse("with --retarget", {**of_the_course, **others, "--noise": noise, "--quick": quick})
        check_output(json)
        return evaluate_retarget(*retarget, json=json)
    if robot is not None:
        from kinematch.cli.evaluate_robot import evaluate_robot

        _refuse("with --robot", {**of_the_course, "--noise": noise, "--report": report, "DATABASE": database})
        check_output(json)
        return evaluate_robot(robot, users=users, json=json)
    if vr:
        from kinematch.cli.evaluate_vr import evaluate_vr

        _refuse("with --vr", of_the_course)
        check_output(json)
        check_output(report, ".html", ".htm")
        return evaluate_vr(
            database,
            users=users,
            points=points,
            seconds=seconds,
            look_around=look_around,
            noise=noise,
            seed=seed,
            sweep=not quick,
            json=json,
            report=report,
        )
    if camera:
        from kinematch.cli.evaluate_camera import evaluate_camera

        _refuse("with --camera", {**of_the_course, "--noise": noise})
        check_output(json)
        check_output(report, ".html", ".htm")
        return evaluate_camera(
            database, users=users, seconds=seconds, look_around=look_around, quick=quick, seed=seed, json=json,
            report=report,
        )  # fmt: skip
    _refuse("without --vr, --camera or --robot", {"--users": users, "--look-around": look_around, "--noise": noise})
    if learned:
        from kinematch.cli.evaluate_learned import evaluate_learned

        _refuse("with --learned", {"--sweep": sweep, "--chart": chart, "--no-baselines": no_baselines})
        _check(rate, None)
        check_output(json)
        check_output(report, ".html", ".htm")
        return evaluate_learned(
            database, learned, packed=packed, settings=settings, filter=filter, seed=seed, rate=rate, quick=quick,
            json=json, report=report, films=films,
        )  # fmt: skip
    _refuse("without --learned", {"--packed": packed, "--films": films})
    if database is not None and is_model(database):
        from kinematch.cli.evaluate_model import evaluate_model

        _refuse(
            "with a model", {"--sweep": sweep, "--chart": chart, "--report": report, "--no-baselines": no_baselines}
        )
        _check(rate, None)
        check_output(json)
        return evaluate_model(database, against, settings, filter, seed=seed, rate=rate, quick=quick, json=json)
    _refuse("without a model", {"--against": against})
    from kinematch.character.settings import Settings
    from kinematch.character.settings_file import load_settings
    from kinematch.cli.evaluate_text import print_evaluation, print_sweep
    from kinematch.cli.screen import Screen, progress_bar, write_picture
    from kinematch.evaluate.evaluation import check_seed, make_assignment, plain
    from kinematch.evaluate.evaluation import evaluate as run_evaluation
    from kinematch.evaluate.report import write_report
    from kinematch.evaluate.sweeps import run_sweep, sweep_plain

    check_seed(seed)
    _check(rate, sweep)
    _check_outputs(sweep, json, report, chart)
    chosen = load_settings(settings) if settings is not None else Settings()
    screen = Screen()
    with progress_bar("measuring") as show, blaming(database):
        opened, name, tags = open_database(database, filter, show)
        show(0, None)
        given = make_assignment(opened, tags, seed=seed, rate=rate, quick=quick)
        if sweep is not None:
            swept = run_sweep(sweep, given, chosen, progress=lambda what, done, total: show(done, total, what))
        else:
            found = run_evaluation(
                given, chosen, baselines=not no_baselines, progress=lambda what, done, total: show(done, total, what)
            )
            if report is not None:
                write_report(report, found, title=name, progress=lambda done, total: show(done, total, "drawing"))
    if sweep is not None:
        print_sweep(screen, swept)
        if json is not None:
            write_beside(json, json_module.dumps(sweep_plain(swept), indent=2).encode())
        if chart is not None:
            write_picture(chart, swept.picture())
        return 0
    print_evaluation(screen, found, name)
    if json is not None:
        write_beside(json, json_module.dumps(plain(found), indent=2).encode())
    return 0 if all(target.met for target in found.targets) else 1


def _refuse(when: str, options: Mapping[str, object]) -> None:
    """Options that mean nothing here were meant for something else."""
    given = [name for name, value in options.items() if value]
    if given:
        raise KinematchError(f"{', '.join(given)} {'means' if len(given) == 1 else 'mean'} nothing {when}")


def _check(rate: float, sweep: str | None) -> None:
    if not 20 <= rate <= 500:
        raise KinematchError(f"a rate of {rate:g} steps a second, expected 20 to 500")
    if sweep is not None and sweep not in SWEEPS:
        raise KinematchError(unknown("sweep", sweep, SWEEPS))


def _check_outputs(sweep: str | None, json: Path | None, report: Path | None, chart: Path | None) -> None:
    if sweep is not None and report is not None:
        raise KinematchError("a sweep has a figure (--chart), no report")
    if sweep is None and chart is not None:
        raise KinematchError("--chart is the figure of a sweep; name one with --sweep")
    check_output(json)
    check_output(report, ".html", ".htm")
    check_output(chart, ".png")
