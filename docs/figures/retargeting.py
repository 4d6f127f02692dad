"""Pictures of docs/retargeting.md: one built-in walk on made-up bodies, with each correction off and on.

python docs/figures/retargeting.py
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from kinematch.draw.sheet import contact_sheet
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle
from kinematch.motion import kinematics
from kinematch.motion.clean.floor import put_on_floor
from kinematch.motion.clip import Clip
from kinematch.motion.retarget.bulk import guess_bulk
from kinematch.motion.retarget.retarget_clip import retarget
from kinematch.motion.retarget.settings import ROTATIONS_ONLY, RetargetSettings, leave_out
from kinematch.motion.skeleton import Skeleton
from kinematch.synth import walk_along

IMAGES = Path(__file__).parents[1] / "images"
SIDES = ("left", "right")


def main() -> None:
    walk = put_on_floor(walk_along([(0, 0), (0, 5)]))
    body = walk.skeleton
    stylised = change(body, upper_leg=(3.0, 1, 1), lower_leg=0.6, foot=0.6, lower_arm=1.4, hand=1.4, head=1.6)
    rows = [("source", walk)]
    rows += [(name, retarget(walk, stylised, settings)) for name, settings in (
        ("rotations alone: feet slide and sink", ROTATIONS_ONLY),
        ("feet planted, the pelvis kept high: legs do not reach", leave_out(["pelvis"])),
        ("feet planted, the pelvis lowered", RetargetSettings()),
    )]  # fmt: skip
    save("retarget-feet.png", rows, start=1.0, stop=2.2)

    broad = change(body, upper_arm=1.8)
    clap = make_clap(body)
    save("retarget-hands.png", [
        ("source", clap),
        ("on broad shoulders, hands free", retarget(clap, broad)),
        ("hands together", retarget(clap, broad, RetargetSettings(hands="together"))),
    ], view="front")  # fmt: skip

    hanging = pose(body, {f"{side}_upper_arm": ((0, 0, 1), s * 95.0) for side, s in (("left", -1), ("right", 1))})
    stout = change(body, lower_arm=1.05)
    bulk = replace(guess_bulk(stout), trunk=1.9 * guess_bulk(stout).trunk)
    save("retarget-arms.png", [
        ("arms that hang, on a body nearly twice as thick: left alone", retarget(hanging, stout, leave_out(["arms"]))),
        ("pushed out of the trunk", retarget(hanging, stout, bulk=bulk)),
    ], view="front")  # fmt: skip


def change(body: Skeleton, **factors: float | tuple[float, float, float]) -> Skeleton:
    """A body with some bones longer: by role, of both sides."""
    offsets = np.array(body.offsets)
    for part, factor in factors.items():
        for role in (part, *(f"{side}_{part}" for side in SIDES)):
            if role in body.roles:
                offsets[body.roles[role]] *= factor
    return replace(body, offsets=offsets)


def pose(body: Skeleton, turns: dict, frames: int = 8) -> Clip:
    """The T-pose with some joints turned in the world, held for some frames."""
    rotations = kinematics.tpose(body)[1].astype(np.float64)
    for role, (axis, degrees) in turns.items():
        turn = from_axis_angle(np.array(axis, float), np.radians(degrees))
        for joint in range(body.joint_count):
            if body.roles[role] in body.chain(joint):
                rotations[joint] = quaternion.multiply(turn, rotations[joint])
    local = kinematics.local_rotations(body, rotations)
    places = np.array(body.offsets)
    hips = body.roles["hips"]
    places[hips] = kinematics.tpose(body)[0][hips] - kinematics.tpose(body)[0][0] * (hips > 0)
    return Clip(body, np.repeat(places[None], frames, 0), np.repeat(local[None], frames, 0), 30)


def make_clap(body: Skeleton) -> Clip:
    poses = []
    for degrees in np.linspace(50, 80, 8):
        turns = {}
        for side, s in (("left", -1), ("right", 1)):
            turns[f"{side}_upper_arm"] = ((0, 1, 0), s * 60.0)
            turns[f"{side}_lower_arm"] = ((0, 1, 0), s * degrees)
        poses.append(pose(body, turns, 1))
    return poses[0].with_(
        positions=np.concatenate([one.positions for one in poses]),
        rotations=np.concatenate([one.rotations for one in poses]),
    )


def save(name: str, rows: list[tuple[str, Clip]], **options) -> None:
    sheets = [contact_sheet(clip, columns=8, rows=1, title=title, tile=(140, 190), **({"view": "side"} | options))
              for title, clip in rows]  # fmt: skip
    picture = Image.new("RGB", (sheets[0].width, sum(sheet.height for sheet in sheets)))
    top = 0
    for sheet in sheets:
        picture.paste(sheet, (0, top))
        top += sheet.height
    picture.quantize(96).save(IMAGES / name, optimize=True)


if __name__ == "__main__":
    main()
