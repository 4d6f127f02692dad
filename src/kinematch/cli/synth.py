"""`kinematch synth`: the built-in dance card as files, for use in other programs or to look at."""

from pathlib import Path
from typing import Annotated

from kinematch.cli.options import option
from kinematch.errors import KinematchError, unknown
from kinematch.writing import replacing


def synth(
    output: Annotated[Path, option("folder to write to", "-o")],
    seed: Annotated[int, option("random seed; another seed gives another performance of the same card")] = 0,
    frame_rate: Annotated[float, option("frames per second")] = 60.0,
    tag: Annotated[str | None, option("only the clips with this tag, such as walk, run or level2")] = None,
    format: Annotated[str, option("bvh or glb")] = "bvh",
    sheets: Annotated[bool, option("write a contact sheet (.png) beside each clip")] = False,
    animations: Annotated[bool, option("write an animation (.gif) of up to 8 s beside each clip")] = False,
) -> int:
    """Write the built-in dance card: procedural walking, running, turning, strafing and crouching."""
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.draw.animation import animate
    from kinematch.draw.sheet import contact_sheet
    from kinematch.files import WRITABLE, write_clip
    from kinematch.synth import card

    suffix = "." + format.lower().lstrip(".")
    if suffix not in WRITABLE:
        raise KinematchError(unknown("format", format, [name.lstrip(".") for name in WRITABLE]))
    if seed < 0:
        raise KinematchError(f"seed {seed}, expected zero or more")
    motions = list(enumerate(card.motions()))
    tags = sorted({name for _, motion in motions for name in motion.tags})
    if tag is not None and tag not in tags:
        raise KinematchError(unknown("tag", tag, tags))
    chosen = [(k, motion) for k, motion in motions if tag is None or tag in motion.tags]
    output.mkdir(parents=True, exist_ok=True)
    seconds = 0.0
    with progress_bar("performing") as show:
        for done, (k, motion) in enumerate(chosen):
            show(done, len(chosen))
            # the same seeds as dance_card, so that a part of the card is the same motion as in the whole
            clip = card.perform(motion, seed=[seed, k], frame_rate=frame_rate).clip
            path = output / (clip.name + suffix)
            write_clip(path, clip)
            if sheets:
                with replacing(path.with_suffix(".png")) as part:
                    contact_sheet(clip).save(part, "PNG")
            if animations:
                animate(clip, path.with_suffix(".gif"), seconds=min(clip.duration, 8.0))
            seconds += clip.duration
    Screen().say(f"{len(chosen)} clips, {seconds / 60:.1f} minutes at {frame_rate:g} fps, in {output}")
    return 0
