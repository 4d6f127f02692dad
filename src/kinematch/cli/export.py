"""`kinematch export`: writes a database, a trained model or a recording for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from kinematch.cli.options import blaming, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.files.engines import EngineName


def export(
    source: Annotated[
        tyro.conf.Positional[Path],
        option(
            "what to export: a database of `kinematch build`, a model of `kinematch train learned`, or a recording "
            "that Save in Studio wrote"
        ),
    ],
    /,
    output: Annotated[Path, option("folder to write; replaces an earlier export", "-o")],
    to: Annotated[
        Literal["onnx", "engine", "page"],
        option(
            "onnx (a model): ONNX graphs, flat weights, and a runtime in Python and C++ to port; "
            "engine (a database): flat arrays, JSON metadata, and a reader and search in C++ and C# to port; "
            "page (a recording): a web page that replays and explains it, without Python"
        ),
    ] = "onnx",
    engine: Annotated[
        Literal["unreal", "unity", "godot", "blender", "three"] | None,
        option("with --to engine: use this program's axes, units and bone names", name="for"),
    ] = None,
) -> int:
    """Write SOURCE as files for other programs."""
    if to == "engine":
        return export_to_engine(source, output, engine)
    if engine is not None:
        raise KinematchError("--for goes with --to engine; for motion files, use kinematch convert --for")
    return {"onnx": export_to_onnx, "page": export_to_page}[to](source, output)


def export_to_onnx(source: Path, output: Path) -> int:
    from kinematch.cli.screen import Screen
    from kinematch.learned.export.folder import check_place, export_onnx
    from kinematch.learned.export.graph import check_onnx
    from kinematch.learned.model_file import load_model

    check_onnx()
    check_place(output)
    model = load_model(source)
    screen = Screen()
    for path in export_onnx(model, output):
        screen.say(f"  {path.name:18} {path.stat().st_size / 1e6:8.3f} MB")
    joints, columns = model.skeleton.joint_count, model.schema.width
    screen.say(
        f"{output}: {joints} joints at {model.frame_rate:g} frames a second, {columns} features and "
        f"{model.latent_count} latents; README.md there says how to play it"
    )
    return 0


def export_to_engine(source: Path, output: Path, engine: "EngineName | None" = None) -> int:
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.database import storage
    from kinematch.search.engine.folder import check_place, export_engine

    check_place(output)
    database = storage.load(source)
    with blaming(source), progress_bar("writing arrays") as show:
        written = export_engine(database, output, engine=engine, progress=show)
    poses = database.poses
    Screen().say(
        f"{output}: {len(written)} files, {sum(written.values()) / 1e6:.1f} MB: {poses.frame_count} frames of "
        f"{poses.skeleton.joint_count} joints at {poses.frame_rate:g} frames a second, "
        f"{database.features.width} features; database.json describes them, README.md says how to use them"
    )
    return 0


def export_to_page(source: Path, output: Path) -> int:
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.studio.standalone import DATA, export_page

    with progress_bar("explaining searches") as show:
        written = export_page(source, output, progress=show)
    Screen().say(
        f"{output}: {sum(written.values()) / 1e6:.1f} MB, of which the motion is {written[DATA] / 1e6:.2f} MB; put the "
        f"folder on a web site, or look at it with `python -m http.server -d {output}`"
    )
    return 0
