"""A hand reaches for a moving point while the character walks: a layer on top of the animation.

The point appears, floats along beside the character and disappears; the arm eases in and out. A layer of your own is a
class with the method `apply(pose, dt)`: change `pose.rotations`, and return the joints that you changed.

python examples/10_reach_while_walking.py
"""

import numpy as np
from PIL import ImageDraw

import kinematch as km

DT = 1 / 60
database = km.load("built-in")
layer = km.ReachLayer(database.skeleton, "left_hand")
character = km.Crowd(database, layers=[layer])
path = km.Path([(0, 0), km.Keypoint(0, 3.2, speed=0.9), km.Keypoint(0, 4.6, speed=0.9)])

poses, points, gaps = [], [], []
for step in range(420):
    time = step * DT
    point = np.full(3, np.nan)  # no target
    if 1.0 < time < 5.0:
        beside = [0.35 + 0.1 * np.sin(2 * time), 1.25 + 0.2 * np.cos(1.5 * time), 0.25]
        point = character.body.positions[0] + beside
    layer.targets = point
    pose = character.step(path.command(character.body, DT), DT)
    poses.append(pose)
    points.append(point)
    gaps.append(np.linalg.norm(pose.global_positions[0, database.skeleton.joint("left_hand")] - point))
settled = np.array(gaps)[round(2.0 / DT) : round(5.0 / DT)]
print(f"hand to target: {1000 * np.median(settled):.1f} mm in the median, {1000 * settled.max():.1f} mm at most")

size, rate = (640, 256), 15
camera = km.draw.ViewCamera(position=[7.0, 1.6, 3.2], target=[0.0, 0.9, 2.3], field_of_view=np.radians(21))
clip = km.record(poses, character.skeleton, 60)
pictures = []
for n, picture in enumerate(km.draw.moving_pictures(clip, camera=camera, size=size, frames_per_second=rate)[0]):
    point = points[round(n / rate / DT)]
    if np.isfinite(point).all():
        x, y = camera.project(point, size)[0]
        ImageDraw.Draw(picture).ellipse((x - 4, y - 4, x + 4, y + 4), fill="#d03030")
    pictures.append(picture)
km.draw.write_movie("reach.gif", iter(pictures), rate)
print("written: reach.gif")
