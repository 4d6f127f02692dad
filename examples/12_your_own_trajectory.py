"""A controller that knows the future: it gives whole trajectories in place of a velocity and a facing.

It walks a figure of eight of which every point is known in advance. The simulated body is then exactly where the
trajectory says, and searches look for motion that goes along it.

python examples/12_your_own_trajectory.py
"""

from dataclasses import dataclass

import numpy as np

import kinematch as km


@dataclass
class FigureOfEight:
    size: float = 3.0  # m from the middle to either end
    period: float = 14.0  # s for a round
    time: float = 0.0  # s since the start

    def locate(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (H, 3) m and unit directions (H, 3) at times (H,) s since the start."""
        a = 2 * np.pi * times / self.period
        positions = self.size * np.stack([np.sin(2 * a) / 2, 0 * a, np.sin(a)], axis=-1)
        directions = np.stack([np.cos(2 * a), 0 * a, np.cos(a)], axis=-1)
        return positions, directions / np.linalg.norm(directions, axis=-1, keepdims=True)

    def command(self, body: km.SimulatedBody, dt: float) -> km.Command:
        times = np.linspace(0.0, 1.2, 13)  # s from now; 0 must be among them or before them
        positions, directions = self.locate(self.time + times)
        self.time += dt
        return km.follow_trajectory(km.Trajectory(times, positions[None], directions[None]))


DT = 1 / 60
controller = FigureOfEight()
start, direction = controller.locate(np.zeros(1))
character = km.Crowd(km.load("built-in"), positions=start, yaws=np.arctan2(direction[:, 0], direction[:, 2]))
poses, gaps = [], []
for _ in range(round(controller.period / DT)):
    poses.append(character.step(controller.command(character.body, DT), DT))
    place = controller.locate(np.array([controller.time]))[0]
    assert np.allclose(character.body.positions, place, atol=2e-3)
    gaps.append(np.linalg.norm((character.root_positions - place)[0]))
print(f"distance from the trajectory: {100 * np.mean(gaps):.0f} cm on average, {100 * max(gaps):.0f} cm at most")

clip = km.record(poses, character.skeleton, 60)
km.draw.top_down(clip, contacts=np.array([pose.contacts[0] for pose in poses])).save("eight.png")
print("written: eight.png")
