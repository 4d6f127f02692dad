"""The picture of VR avatars: people of CMU whom no network learned from, and the bodies made of their head and hands.

KINEMATCH_DATA=... python docs/figures/avatars.py
"""

import os
from pathlib import Path

from PIL import Image

import kinematch as km
from kinematch.draw.sheet import contact_sheet
from kinematch.evaluate.vr.figures import make_clip
from kinematch.evaluate.vr.methods import METHODS
from kinematch.evaluate.vr.performance import perform
from kinematch.evaluate.vr.users import make_cast

CLIPS = (
    ("28_02", 3.0, 10.0, "sings a nursery rhyme with gestures"),
    ("36_02", 2.0, 8.5, "walks, turns around, walks back"),
)
FOLDER = Path(os.environ["KINEMATCH_DATA"]) / "cmu-everyday"
TILE = {"columns": 9, "rows": 1, "tile": (112, 150), "view": "three-quarter"}


def draw(name: str, start: float, stop: float, what: str) -> list[Image.Image]:
    """A user and the avatar, in strips."""
    clip = km.read(FOLDER / f"{name}.bvh")
    cast = make_cast([clip.frames(1, clip.frame_count)], longest=stop)  # frame 0 is a T-pose
    shown, _ = perform(cast, METHODS["ours"](cast, km.load("built-in"), 0.1))
    return [
        contact_sheet(each, start=start, stop=stop, title=title, **TILE)
        for each, title in ((shown[0].user.clip, f"the user {what}"), (make_clip(shown[0]), "the avatar"))
    ]


strips = [strip for clip in CLIPS for strip in draw(*clip)]
picture = Image.new("RGB", (strips[0].width, sum(strip.height for strip in strips)))
top = 0
for strip in strips:
    picture.paste(strip, (0, top))
    top += strip.height
target = Path(__file__).parent.parent / "images" / "avatars.png"
picture.quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)
print(target.name, picture.size, target.stat().st_size)
