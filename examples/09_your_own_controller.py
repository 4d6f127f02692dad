"""A controller of your own in a dozen lines: circle a point and face it. Then record a run and replay it.

python examples/09_your_own_controller.py
"""

from dataclasses import dataclass

import numpy as np

import kinematch as km


@dataclass
class Circle:
    """Anything with this one method is a controller."""

    centre: np.ndarray  # (3,) m
    radius: float  # m
    speed: float  # m/s

    def command(self, body: km.SimulatedBody, dt: float) -> km.Command:
        inward = (self.centre - body.positions) * [1, 0, 1]  # (N, 3), along the ground
        distance = np.linalg.norm(inward, axis=-1, keepdims=True)
        inward /= np.maximum(distance, 0.1)
        around = np.cross([0.0, 1.0, 0.0], inward)
        velocity = around + (distance / self.radius - 1) * inward
        velocity *= self.speed / np.linalg.norm(velocity, axis=-1, keepdims=True)
        return km.Command(velocity, inward)


database = km.load("built-in")
STARTS = np.array([[0.0, 0, 2.0], [3.0, 0, 0.0], [-4.0, 0, -1.0]])

recorder = km.CommandRecorder(Circle(np.zeros(3), radius=2.5, speed=0.9))
crowd = km.Crowd(database, len(STARTS), positions=STARTS)
random = np.random.default_rng(0)
for _ in range(400):
    dt = random.uniform(1 / 90, 1 / 30)  # steps may be of any length
    pose = crowd.step(recorder.command(crowd.body, dt), dt)
print("metres from the centre:", np.linalg.norm(crowd.root_positions, axis=-1).round(2))

km.write_script("circle.jsonl", recorder.script)
again = km.Crowd(database, len(STARTS), positions=STARTS)
for command, dt in km.read_script("circle.jsonl").steps(len(STARTS)):
    repeated = again.step(command, dt)
same = np.array_equal(pose.global_positions, repeated.global_positions)
print(f"circle.jsonl: {len(recorder.script.commands)} commands; replayed {'bit for bit' if same else 'DIFFERENTLY'}")
