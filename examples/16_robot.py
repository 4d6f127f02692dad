"""A person's walk on a robot whose joints are all hinges: angles under limits, offline and then live.

python examples/16_robot.py
"""

from pathlib import Path

import numpy as np

import kinematch as km

walk = km.synth.walk_along([(0, 0), (0, 3), (2, 5)])

# fewer joints than a person, other axes, another zero pose: see the comments in the file
biped = km.robot.read_robot(Path(__file__).with_name("biped.xml"))
print(f"{biped.name}: {biped.hinge_count} hinges on {len(biped.body_names)} bodies")

motion, quality = km.robot.try_robot(walk, biped)
print(f"{quality.frames} frames, {100 * quality.deviation:.1f} cm from the targets, {quality.limit_violations} beyond")
print(f"limits, fastest hinge {quality.joint_speed:.1f} rad/s, soles {1000 * quality.sole_height:.1f} mm off the floor")
km.robot.write_trajectory("walk.csv", motion)  # what robots read
km.save("walk.bvh", motion.make_clip())  # what people look at
print("written: walk.csv, walk.bvh")

# live: a pose at a time, from any source; a character says itself when its feet are planted
live = km.robot.RobotRetargeting(walk.skeleton, biped)
planted = np.zeros((1, 2), bool)
for frame in range(30):
    base, turn, angles = live.step(walk.positions[[frame]], walk.rotations[[frame]], planted, walk.dt)
knee = biped.hinge_names.index("left_knee")
print(f"after a second the left knee is at {np.degrees(angles[0, knee]):.0f} degrees")
