"""A controller of your own in a dozen lines: circle a point and look at it. Then record a run and replay it.

python examples/09_your_own_controller.py
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.character import Command, Crowd
from kinematch.control.body import SimulatedBody
from kinematch.control.script import Recorder
from kinematch.control.script_file import read_script, write_script
from kinematch.database.build import build


@dataclass
class Circle:
    """Whatever has this one method is a controller."""

    centre: np.ndarray  # (3,) m
    radius: float  # m
    speed: float  # m/s

    def command(self, body: SimulatedBody, dt: float) -> Command:
        inward = (self.centre - body.positions) * [1, 0, 1]  # (N, 3), along the ground
        distance = np.linalg.norm(inward, axis=-1, keepdims=True)
        inward /= np.maximum(distance, 0.1)
        around = np.cross([0.0, 1.0, 0.0], inward)
        velocity = around + (distance / self.radius - 1) * inward
        velocity *= self.speed / np.linalg.norm(velocity, axis=-1, keepdims=True)
        return Command(velocity, inward, filter="level0")


Path("walker.toml").write_text('[[source]]\nbuiltin = "dance-card"\n')
database = build("walker.toml").database
STARTS = np.array([[0.0, 0, 2.0], [3.0, 0, 0.0], [-4.0, 0, -1.0]])

recorder = Recorder(Circle(np.zeros(3), radius=2.5, speed=0.9))
crowd = Crowd(database, len(STARTS), positions=STARTS)
random = np.random.default_rng(0)
for _ in range(400):
    dt = random.uniform(1 / 90, 1 / 30)  # any rate will do
    shown = crowd.step(recorder.command(crowd.body, dt), dt)
print("metres from the centre:", np.linalg.norm(crowd.root_positions, axis=-1).round(2))

write_script("circle.jsonl", recorder.script)
again = Crowd(database, len(STARTS), positions=STARTS)
for command, dt in read_script("circle.jsonl").steps(len(STARTS)):
    repeated = again.step(command, dt)
same = np.array_equal(shown.global_positions, repeated.global_positions)
print(f"circle.jsonl: {len(recorder.script.commands)} commands; replayed {'bit for bit' if same else 'DIFFERENTLY'}")
assert same
