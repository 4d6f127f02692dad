"""A gymnasium environment in which a policy tracks a steered reference; this one does nothing, and falls.

pip install 'kinematch[gym]'
python examples/19_robot_environment.py
"""

from pathlib import Path

import kinematch as km

walk = km.synth.walk_along([(0, 0), (0, 4), (3, 6), (3, 2)])
km.save("walk.bvh", walk)
Path("recipe.toml").write_text('[[source]]\nfiles = ["walk.bvh"]\n')
biped = km.robot.read_robot(Path(__file__).with_name("biped.xml"))
database = km.build("recipe.toml")
source = database, km.robot.retarget_database(database, biped)  # put on the robot once, for both environments

env = km.robot.RobotEnv(biped, source)
seen, _ = env.reset(seed=0, options={"frame": 0, "velocity": (1.0, 0.0)})
print(f"observations: {sum(values.size for values in seen.values())} numbers in {len(seen)} parts")
total, ended = 0.0, False
while not ended:
    seen, reward, lost, late, info = env.step(0.0 * env.action_space.sample())
    total, ended = total + reward, lost or late
print(f"without a policy it is lost after {env.tracking.steps[0] / 50:.2f} s, with a return of {total:.1f}")

many = km.robot.RobotVectorEnv(biped, source, 8)
seen, _ = many.reset(seed=0)
for _ in range(20):
    seen, rewards, lost, late, _ = many.step(0.2 * many.action_space.sample())
print(f"8 robots: rewards from {rewards.min():.2f} to {rewards.max():.2f}")
