"""`kinematch export`: writes a trained model for other programs."""

from pathlib import Path
from typing import Annotated, Literal

import tyro

from kinematch.cli.options import option


def export(
    source: Annotated[tyro.conf.Positional[Path], option("the model to export, as `kinematch train learned` wrote it")],
    /,
    output: Annotated[Path, option("folder to write; one that an earlier export wrote is replaced", "-o")],
    to: Annotated[
        Literal["onnx"], option("onnx: three graphs, flat weights, and a run time in Python and C++ to port")
    ] = "onnx",
) -> int:
    """Write SOURCE as files for other programs, with test vectors that a port must meet."""
    return {"onnx": export_to_onnx}[to](source, output)


def export_to_onnx(source: Path, output: Path) -> int:
    from kinematch.cli.screen import Screen
    from kinematch.learned.export.folder import check_folder, export_onnx
    from kinematch.learned.export.graph import check_onnx
    from kinematch.learned.model_file import load_model

    check_onnx()
    check_folder(output)
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
