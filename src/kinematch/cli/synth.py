"""`kinematch synth`: the built-in motion as files, for use in other programs or to look at."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kinematch.cli.options import option
from kinematch.errors import KinematchError, unknown
from kinematch.writing import replacing

if TYPE_CHECKING:
    from kinematch.motion.clip import Clip
    from kinematch.synth.locomotion import Motion

ACTION = "action"  # tag of the built-in actions


def synth(
    output: Annotated[Path, option("folder to write to", "-o")],
    seed: Annotated[int, option("random seed; another seed gives another performance of the same motion")] = 0,
    frame_rate: Annotated[float, option("frames per second")] = 60.0,
    tag: Annotated[str | None, option("only the clips with this tag, such as walk, run, level2 or action")] = None,
    format: Annotated[str, option("bvh or glb")] = "bvh",
    sheets: Annotated[bool, option("write a contact sheet (.png) beside each clip")] = False,
    animations: Annotated[bool, option("write an animation (.gif) of up to 8 s beside each clip")] = False,
) -> int:
    """Write the built-in motion: procedural walking, running, turning, strafing and crouching, and its actions."""
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.draw.animation import animate
    from kinematch.draw.sheet import contact_sheet
    from kinematch.files import WRITABLE, write_clip
    from kinematch.synth.actions import list_actions, perform_action
    from kinematch.synth.locomotion import motions

    suffix = "." + format.lower().lstrip(".")
    if suffix not in WRITABLE:
        raise KinematchError(unknown("format", format, [name.lstrip(".") for name in WRITABLE]))
    if seed < 0:
        raise KinematchError(f"seed {seed}, expected zero or more")
    tags = sorted({name for motion in motions() for name in motion.tags} | {ACTION})
    if tag is not None and tag not in tags:
        raise KinematchError(unknown("tag", tag, tags))
    # the same seeds as in databases, so that a part of the card is the same motion as in the whole
    makers: list[Callable[[], Clip]] = [
        partial(_perform, motion, seed=[seed, k], frame_rate=frame_rate)
        for k, motion in enumerate(motions())
        if tag is None or tag in motion.tags
    ]
    if tag in (None, ACTION):
        actions = range(len(list_actions()))
        makers += [partial(perform_action, k, seed=seed, frame_rate=frame_rate) for k in actions]
    output.mkdir(parents=True, exist_ok=True)
    seconds = 0.0
    with progress_bar("performing") as show:
        for done, make in enumerate(makers):
            show(done, len(makers))
            clip = make()
            path = output / (clip.name + suffix)
            write_clip(path, clip)
            if sheets:
                with replacing(path.with_suffix(".png")) as part:
                    contact_sheet(clip).save(part, "PNG")
            if animations:
                animate(clip, path.with_suffix(".gif"), seconds=min(clip.duration, 8.0))
            seconds += clip.duration
    Screen().say(f"{len(makers)} clips, {seconds / 60:.1f} minutes at {frame_rate:g} fps, in {output}")
    return 0


def _perform(motion: "Motion", *, seed: list[int], frame_rate: float) -> "Clip":
    from kinematch.synth.locomotion import perform

    return perform(motion, seed=seed, frame_rate=frame_rate).clip
