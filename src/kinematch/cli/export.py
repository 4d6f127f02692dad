"""`kinematch export`: writes a database, a trained model or a recording for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from kinematch.cli.options import blaming, option
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.files.engines import EngineName

BUILT_IN = "built-in"


def export(
    source: Annotated[
        tyro.conf.Positional[Path],
        option(
            "what to export: a database of `kinematch build`, a model of `kinematch train learned`, a recording "
            "that Save in Studio wrote, or built-in for the motion that comes with Kinematch (--to web and native)"
        ),
    ],
    /,
    output: Annotated[Path, option("folder to write; replaces an earlier export", "-o")],
    to: Annotated[
        Literal["onnx", "web", "native", "engine", "page"],
        option(
            "web (databases and models): a folder for any web site, which plays the character without a server; "
            "native (the same): libraries for C, C++, C# and Python; "
            "onnx (a model): ONNX graphs, flat weights, and a runtime in Python and C++ to port; "
            "engine (a database): flat arrays, JSON metadata, and a reader and search in C++ and C# to port; "
            "page (a recording): a web page that replays and explains it, without Python"
        ),
    ] = "onnx",
    engine: Annotated[
        Literal["unreal", "unity", "godot", "blender", "three"] | None,
        option("with --to engine: use this program's axes, units and bone names", name="for"),
    ] = None,
    also: Annotated[
        tuple[Path, ...], option("with --to web and native: further databases or models that the character can play")
    ] = (),
    filters: Annotated[
        tuple[str, ...], option("with --to web and native: further filters that commands may choose", name="filter")
    ] = (),
    settings: Annotated[Path | None, option("with --to web and native: settings file (toml or json)")] = None,
    single_file: Annotated[
        bool, option("with --to web: write one HTML file with everything in it, which opens from the disk")
    ] = False,
    target: Annotated[
        Literal["linux-x64", "linux-arm64", "windows-x64", "macos-arm64"] | None,
        option("with --to native: what machine the libraries are for; default: this one"),
    ] = None,
) -> int:
    """Write SOURCE as files for other programs."""
    if to in ("web", "native"):
        if engine is not None:
            raise KinematchError("--for goes with --to engine")
        return export_character([source, *also], output, to, filters, settings, target, single_file)
    if also or filters or settings is not None or target is not None or single_file:
        raise KinematchError("--also, --filter, --settings, --target and --single-file go with --to web and native")
    if to == "engine":
        return export_to_engine(source, output, engine)
    if engine is not None:
        raise KinematchError("--for goes with --to engine; for motion files, use kinematch convert --for")
    return {"onnx": export_to_onnx, "page": export_to_page}[to](source, output)


def export_character(
    paths: list[Path], output: Path, to: str, filters: tuple[str, ...], settings: Path | None, target: str | None,
    single_file: bool,
) -> int:  # fmt: skip
    from kinematch.character.settings_file import load_settings
    from kinematch.cli.opening import open_motion
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.export.character import pack, write_character
    from kinematch.export.folders import check_place, write_native, write_page, write_web
    from kinematch.studio.session.exported import write_page_data

    if to == "web" and target is not None:
        raise KinematchError("--target goes with --to native: a page runs on any machine")
    if to == "native" and single_file:
        raise KinematchError("--single-file goes with --to web")
    if single_file:
        output = output if output.suffix == ".html" else output.with_name(f"{output.name}.html")
    else:
        check_place(output)
    chosen = None if settings is None else load_settings(settings)
    screen = Screen()
    sources, names = [], []
    for path in paths:
        with progress_bar("opening") as show:
            source, name = open_motion(None if str(path) == BUILT_IN else path, show)
        if to == "web":
            with blaming(path), progress_bar("packing") as show:
                source = pack(source, show)
        sources.append(source)
        names.append(name)
    if to == "native":
        data = write_character(sources, settings=chosen, filters=filters, names=names)
        written = write_native(data, output, target, screen.say)
    else:
        data = write_page_data(sources, names=names, filters=filters, settings=chosen)
        written = (write_page if single_file else write_web)(data, output, screen.say)
    for file, size in written.items():
        screen.say(f"  {file:22} {size / 1e6:8.3f} MB")
    about = "open it in a browser" if single_file else "README.md there says how to use it"
    screen.say(f"{output}: {sum(written.values()) / 1e6:.1f} MB; {about}")
    return 0


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
    from kinematch.studio.session.standalone import DATA, export_page

    with progress_bar("explaining searches") as show:
        written = export_page(source, output, progress=show)
    Screen().say(
        f"{output}: {sum(written.values()) / 1e6:.1f} MB, of which the motion is {written[DATA] / 1e6:.2f} MB; put the "
        f"folder on a web site, or look at it with `python -m http.server -d {output}`"
    )
    return 0
