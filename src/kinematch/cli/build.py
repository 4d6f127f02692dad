"""`kinematch build`: a recipe becomes a database."""

import importlib.util
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli.options import RAY_HELP, option
from kinematch.errors import FileError, KinematchError, failure

if TYPE_CHECKING:
    from kinematch.cli.screen import Screen
    from kinematch.database.build import BuildResult

STAGES = {"clips": "cleaning clips", "poses": "joining poses", "features": "measuring features", "write": "writing"}


def build(
    recipe: Annotated[tyro.conf.Positional[Path], option("the recipe (toml); `kinematch init` writes one")],
    /,
    features: Annotated[Path | None, option("a Python file that registers your own features; it is executed")] = None,
    memory: Annotated[
        float | None, option("GB that all its processes may take; default: a quarter of the machine's")
    ] = None,
    ray: Annotated[str | None, option(RAY_HELP)] = None,
) -> int:
    """Build the database that RECIPE describes, reusing unchanged parts of the last build."""
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.database.build import build as build_database

    if features is not None:
        _run(features)
    with progress_bar("looking at files") as show:
        result = build_database(
            recipe,
            progress=lambda stage, done, total: show(done, total, STAGES[stage]),
            memory=None if memory is None else int(memory * 1e9),
            cluster=ray,
        )
    _summary(Screen(), result)
    return 0


def _run(path: Path) -> None:
    """Load a file of features; it is named on the command line, never by a recipe, since it is run."""
    if not path.is_file():
        raise FileError(path, "no such file")
    # a name of our own, since a file may be called numpy.py
    spec = importlib.util.spec_from_file_location("own_features", path)
    if spec is None or spec.loader is None:
        raise FileError(path, "is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except KinematchError as error:
        raise FileError(path, str(error)) from None
    except (Exception, SystemExit) as error:
        raise FileError(path, failure(error)) from error


def _summary(screen: "Screen", result: "BuildResult") -> None:
    from kinematch.database.coverage import measure_coverage

    poses, features = result.on_disk.poses, result.on_disk.features
    covered = measure_coverage(poses)
    size = result.path.stat().st_size / 1e6
    did = {"nothing": "built", "clips": "cleaned clips reused", "everything": "nothing has changed"}
    lines = [
        f"{result.path}  ({size:.1f} MB, {did[result.reused]} in {sum(result.seconds.values()):.1f} s)",
        f"  {poses.frame_count} frames, {poses.minutes:.1f} minutes at {poses.frame_rate:g} fps,"
        f" {poses.clip_count} clips",
        f"  {poses.skeleton.joint_count} joints, {features.width} feature columns,"
        f" {features.targets.mean():.1%} of the frames can be matched",
        f"  speeds up to {covered.fastest:.1f} m/s, standing {covered.standing:.0f} s,"
        f" {covered.starts} starts, {covered.stops} stops",
    ]
    if poses.tags.names:
        lines.append(f"  tags: {', '.join(poses.tags.names)}")
    if result.on_disk.filter:
        lines.append(f"  default filter: {result.on_disk.filter}")
    for line in lines:
        screen.say(line)
    for warning in result.warnings:
        screen.say(("  warning: ", "yellow"), warning)
    screen.say(f"next: kinematch play {shlex.quote(str(result.path))}")
