"""A motion source of your own: a walk computed from its phase, in one crowd with a database.

A source says which moment fits a query (project), goes there (enter), plays on (advance) and has a pose (decode).
What changes over time, here the phase, lives in the state of the crowd, which can be saved and restored.

python examples/11_your_own_source.py
"""

import numpy as np

import kinematch as km

PHASE = "phase"  # (N,) 0 to 1: the name of its array in the state
PHASES = np.linspace(0, 1, 100, endpoint=False)
TURN = 0.3  # s in which it turns to the facing of the simulated body


class FourierWalk:
    """One stride of a clip as Fourier series in the phase. Its rate and direction follow the simulated body."""

    def __init__(self, database: km.Database, clip: str = "walk_1.35", harmonics: int = 6):
        poses = database.poses
        frames = np.arange(poses.frame_count)[poses.clip_frames(poses.clip_names.index(clip))]
        down = frames[1:][poses.contacts[frames[1:], 0] & ~poses.contacts[frames[:-1], 0]]  # left foot strikes
        stride = np.arange(down[len(down) // 2], down[len(down) // 2 + 1])
        self.seconds = len(stride) / poses.frame_rate
        self.speed = float(np.linalg.norm(poses.velocities[stride, 0].mean(axis=0)))
        self.contacts = poses.contacts[stride]

        rotations = poses.rotations[stride]
        rotations = rotations * np.sign((rotations * rotations[:1]).sum(axis=-1, keepdims=True))  # q and -q are one
        rows = np.concatenate([poses.positions[stride], rotations], axis=-1).reshape(len(stride), -1)
        self.harmonics = np.arange(harmonics + 1)
        self.series = np.linalg.lstsq(self.make_waves(np.arange(len(stride)) / len(stride))[0], rows, rcond=None)[0]

        walk = self.pose(PHASES)
        self.description = km.describe_source(  # the same body, features and units as the database
            database, poses=km.SourcePoses(walk.positions, walk.rotations, walk.contacts), state={PHASE: 0.0}
        )
        self.features = self.description.normalise(self.description.measure_features(walk))

    def project(self, state: km.State, characters: np.ndarray, queries: np.ndarray, search: km.Search) -> km.Projection:
        """The phase whose pose is nearest to the query's; a character that walks already goes on."""
        costs = np.nansum((queries[:, None] - self.features) ** 2, axis=-1)  # trajectories are not measured on a pose
        best = np.argmin(costs, axis=1)
        return km.Projection(PHASES[best], np.full(len(queries), not search.here), costs[np.arange(len(best)), best])

    def enter(self, state: km.State, characters: np.ndarray, targets: np.ndarray) -> None:
        state.own[PHASE][characters] = targets

    def advance(self, state: km.State, characters: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        speeds, phases = np.linalg.norm(state.body.velocities[characters], axis=-1), state.own[PHASE]
        phases[characters] = (phases[characters] + seconds / self.seconds * speeds / self.speed) % 1.0
        angles = state.body.yaws[characters] - state.playing.yaws[characters]
        turns = ((angles + np.pi) % (2 * np.pi) - np.pi) * -np.expm1(-seconds / TURN)
        return np.stack([0 * speeds, speeds * seconds, turns], axis=-1)

    def decode(self, state: km.State, characters: np.ndarray, look: float = 0.0) -> km.Sample:
        return self.pose(state.own[PHASE][characters], look)

    def pose(self, phases: np.ndarray, look: float = 0.0) -> km.Sample:
        values, rates = ((waves @ self.series).reshape(len(phases), -1, 7) for waves in self.make_waves(phases))
        lengths = np.linalg.norm(values[..., 3:], axis=-1, keepdims=True)
        rotations, turning = values[..., 3:] / lengths, rates[..., 3:] / lengths
        (w, v), (dw, dv) = ((q[..., :1], q[..., 1:]) for q in (rotations, turning))
        spins = 2 * (w * dv - dw * v + np.cross(v, dv))  # twice the vector part of dq/dt times the inverse of q
        velocities = rates[..., :3]
        velocities[:, 0], spins[:, 0] = [0.0, 0.0, self.speed], 0.0  # of the root, in its own axes
        ahead = phases[:, None] + look / self.seconds + PHASES
        left = np.argmin(self.find_contacts(ahead), axis=1) / len(PHASES) * self.seconds
        return km.Sample(values[..., :3], rotations, velocities, spins, self.find_contacts(phases), left)

    def make_waves(self, phases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (M, 2H + 1) of the waves, and their rates for each second."""
        angles, speeds = 2 * np.pi * phases[:, None] * self.harmonics, 2 * np.pi * self.harmonics / self.seconds
        waves = np.concatenate([np.cos(angles), np.sin(angles[:, 1:])], axis=1)
        return waves, np.concatenate([-speeds * np.sin(angles), (speeds * np.cos(angles))[:, 1:]], axis=1)

    def find_contacts(self, phases: np.ndarray) -> np.ndarray:
        return self.contacts[(phases % 1.0 * len(self.contacts)).astype(int) % len(self.contacts)]


DT = 1 / 60
database = km.load("built-in")
crowd = km.Crowd([database, FourierWalk(database)], 2, positions=[[0.0, 0, 0], [1.5, 0, 0]])
poses = []
for step in range(480):
    speed = 1.35 if step < 400 else 0.0
    heading = 0.0 if step < 200 else np.pi / 2
    velocity = speed * np.array([np.sin(heading), 0.0, np.cos(heading)])
    # the second character walks by the series, and stands by the database
    command = km.move(np.tile(velocity, (2, 1)), source=[0, 1 if step < 400 else 0])
    poses.append(crowd.step(command, DT))
for n, name in enumerate(("database", "series")):
    sources = sorted({int(pose.sources[n]) for pose in poses})
    gap = 100 * np.linalg.norm(crowd.root_positions[n] - crowd.body.positions[n])
    print(f"{name}: played sources {sources}, ends {gap:.0f} cm from the simulated body")
km.animate(km.record(poses, crowd.skeleton, 60, character=1), "series.gif", seconds=3, frames_per_second=15)
print("written: series.gif")
