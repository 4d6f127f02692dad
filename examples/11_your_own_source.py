"""A motion source of your own: a walk computed from its phase, in one crowd with a database.

A source says which moment fits a query (project), what comes next (advance) and what the pose is (decode).
What changes over time, here the phase, lives in the state of the crowd, which can be saved and restored.

python examples/11_your_own_source.py
"""

import numpy as np

import kinematch as km
from kinematch.character.database_source import DatabaseSource
from kinematch.character.settings import Settings
from kinematch.character.source import Projection, Sample, Search, Status
from kinematch.character.state import State
from kinematch.database.features import QueryInput
from kinematch.database.poses import Pose
from kinematch.math import quaternion
from kinematch.math.angles import wrap_angle
from kinematch.math.rotation import from_rotation_vector, to_rotation_vector
from kinematch.motion.kinematics import forward

PHASE = "phase"  # (N,) 0 to 1: the name of its array in the state
TURN = 0.3  # s in which it turns to the facing of the simulated body


class FourierWalk:
    """One stride of a clip as Fourier series in the phase. Its rate and direction follow the simulated body."""

    table = None  # it has no frames: poses are computed

    def __init__(self, database: km.Database, clip: str = "walk_1.35", harmonics: int = 6):
        like = DatabaseSource(database)  # the same body, features and units as the database
        self.skeleton, self.contact_joints, self.schema, self.rig = (
            like.skeleton, like.contact_joints, like.schema, like.rig
        )  # fmt: skip
        self.toe_rests, self.normalise, self.restore_units = like.table.toe_rests, like.normalise, like.restore_units
        poses = database.poses
        frames = np.arange(poses.frame_count)[poses.clip_frames(poses.clip_names.index(clip))]
        down = frames[1:][poses.contacts[frames[1:], 0] & ~poses.contacts[frames[:-1], 0]]  # left foot strikes
        stride = np.arange(down[len(down) // 2], down[len(down) // 2 + 1])
        self.seconds = len(stride) / poses.frame_rate
        self.speed = float(np.linalg.norm(poses.velocities[stride, 0].mean(axis=0)))
        self.contacts = poses.contacts[stride]

        phases = np.arange(len(stride)) / len(stride)
        self.middle = quaternion.normalize(poses.rotations[stride].sum(axis=0, dtype=np.float64))
        bends = to_rotation_vector(quaternion.multiply(quaternion.inverse(self.middle), poses.rotations[stride]))
        joints = self.skeleton.joint_count
        rows = np.concatenate([bends.reshape(-1, 3 * joints), poses.positions[stride].reshape(-1, 3 * joints)], axis=1)
        self.harmonics = harmonics
        self.series = np.linalg.lstsq(self._make_waves(phases), rows, rcond=None)[0]
        self.features = self._ask(np.linspace(0, 1, 100, endpoint=False))  # (100, D), to enter at the right phase

    def give_examples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        phases = np.linspace(0, 1, 100, endpoint=False)
        return (*self._pose(phases), self._find_contacts(phases))

    def create_state(self, count: int) -> dict[str, np.ndarray]:
        return {PHASE: np.zeros(count)}

    def begin(self, state: State, characters: np.ndarray) -> None:
        state.own[PHASE][characters] = 0.0

    def change_settings(self, settings: Settings) -> None:
        pass

    def describe_status(self, state: State, characters: np.ndarray) -> Status:
        never = np.zeros(len(characters), bool)
        return Status(ended=never, committed=never, resting=never, paces=np.full(len(characters), self.speed))

    def describe_pose(self, state: State, characters: np.ndarray) -> QueryInput:
        return self._describe(state.own[PHASE][characters])

    def frame_seconds(self, state: State, characters: np.ndarray) -> np.ndarray:
        return np.zeros(len(characters))

    def project(self, state: State, characters: np.ndarray, queries: np.ndarray, search: Search) -> Projection:
        """The phase whose pose is nearest to the query's; a character that walks already goes on."""
        costs = ((queries[:, None, : self.features.shape[1]] - self.features) ** 2).sum(axis=-1)
        best = np.argmin(costs, axis=1)
        jumps, none = np.full(len(queries), not search.here), np.full(len(queries), -1, np.int32)
        return Projection(best / costs.shape[1], jumps, costs[np.arange(len(best)), best].astype(np.float32), none)

    def enter(self, state: State, characters: np.ndarray, targets: np.ndarray) -> None:
        state.own[PHASE][characters] = targets

    def advance(self, state: State, characters: np.ndarray, seconds: np.ndarray) -> np.ndarray:
        speeds = np.linalg.norm(state.body.velocities[characters], axis=-1)
        phases = state.own[PHASE]
        phases[characters] = (phases[characters] + seconds / self.seconds * speeds / self.speed) % 1.0
        turns = wrap_angle(state.body.yaws[characters] - state.playing.yaws[characters]) * -np.expm1(-seconds / TURN)
        return np.stack([0 * speeds, speeds * seconds, turns], axis=-1)

    def decode(self, state: State, characters: np.ndarray, look: float = 0.0) -> Sample:
        phases = state.own[PHASE][characters]
        pose, soon = self._describe(phases).pose, phases + look / self.seconds
        ahead = (soon[:, None] + np.linspace(0, 1, 100)) % 1.0
        lasts = np.argmin(self._find_contacts(ahead.ravel()).reshape(len(phases), 100, -1), axis=1) / 100
        h = 0.5 / 60
        heights = self._measure_toes(phases)
        return Sample(
            pose.positions, pose.rotations, pose.velocities, pose.angular_velocities,
            root_velocities=np.tile([0.0, self.speed, 0.0], (len(phases), 1)),
            contacts=self._find_contacts(phases), soon_contacts=self._find_contacts(soon),
            soon_contact_left=lasts * self.seconds, toe_heights=heights,
            toe_rates=(self._measure_toes(phases + h / self.seconds) - heights) / h,
        )  # fmt: skip

    def _make_waves(self, phases: np.ndarray) -> np.ndarray:
        angles = 2 * np.pi * phases[:, None] * np.arange(self.harmonics + 1)
        return np.concatenate([np.cos(angles), np.sin(angles[:, 1:])], axis=1)

    def _pose(self, phases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Local positions (M, J, 3) and rotations (M, J, 4), the root at the origin."""
        bends, positions = (self._make_waves(phases) @ self.series).reshape(len(phases), 2, -1, 3).swapaxes(0, 1)
        rotations = quaternion.multiply(self.middle, from_rotation_vector(bends))
        positions[:, 0], rotations[:, 0] = 0.0, [1.0, 0, 0, 0]
        return positions, rotations

    def _describe(self, phases: np.ndarray) -> QueryInput:
        """The pose with its velocities, by a small difference in phase."""
        h = 1e-3
        (positions, rotations), (before, turned), (after, last) = (self._pose(phases + d) for d in (0.0, -h, h))
        velocities = (after - before) / (2 * h * self.seconds)
        velocities[:, 0] = [0.0, 0.0, self.speed]
        turns = to_rotation_vector(quaternion.multiply(last, quaternion.inverse(turned))) / (2 * h * self.seconds)
        return QueryInput(self.skeleton, Pose(positions, rotations, velocities, turns))

    def _ask(self, phases: np.ndarray) -> np.ndarray:
        """Normalised pose features (P, columns) of phases; the schema has them before the trajectory."""
        still = np.zeros((len(phases), len(self.schema.times), 3))
        given = self._describe(phases)
        query = self.schema.query(QueryInput(given.skeleton, given.pose, None, lambda times: (still, still)))
        pose_columns = sum(feature.width for feature in self.schema.features if feature.group == "pose")
        return self.normalise(query)[:, :pose_columns]

    def _find_contacts(self, phases: np.ndarray) -> np.ndarray:
        return self.contacts[(phases % 1.0 * len(self.contacts)).astype(int) % len(self.contacts)]

    def _measure_toes(self, phases: np.ndarray) -> np.ndarray:
        return forward(self.skeleton, *self._pose(phases))[0][:, self.contact_joints, 1] - self.toe_rests


DT = 1 / 60
database = km.dance_card()
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
