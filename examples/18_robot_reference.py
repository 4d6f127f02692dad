"""A robot's reference under commands: joint angles, base and bodies, now and half a second ahead, for three robots.

python examples/18_robot_reference.py
"""

from pathlib import Path

import numpy as np

import kinematch as km

# a few seconds of walking stand for a database here; km.load("built-in") has 25 minutes
walk = km.synth.walk_along([(0, 0), (0, 4), (3, 6), (3, 2)])
km.save("walk.bvh", walk)
Path("recipe.toml").write_text('[[source]]\nfiles = ["walk.bvh"]\n')
database = km.build("recipe.toml")

biped = km.robot.read_robot(Path(__file__).with_name("biped.xml"))
reference = km.RobotReference(biped, database, rate=50, horizon=0.5, count=3)
reference.reset(frames=np.array([0, 40, 80]))
out = reference.make_result()
for _ in range(100):
    shown = reference.step(km.move([[0.0, 0.0, 1.0], [0.5, 0.0, 0.8], [0.0, 0.0, 0.0]]), out=out)

knee = biped.hinge_names.index("left_knee")
for n in range(reference.count):
    x, y, z = shown.base_positions[n, 0]
    angles = ", ".join(f"{np.degrees(angle):.0f}" for angle in shown.joint_positions[n, :, knee])
    print(f"robot {n}: base at {x:.2f} {y:.2f} {z:.2f} m; left knee now and ahead: {angles} degrees")
