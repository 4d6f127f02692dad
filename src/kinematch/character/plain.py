"""The motion-matching loop in plain numpy, without feet: the slow, readable twin of the fused step."""

from dataclasses import dataclass

import numpy as np

from kinematch.character.kernels.roots import PULL, SOFT
from kinematch.character.kernels.step import ALIGNED, NEAR, RESTING, STILL
from kinematch.character.plain_playback import Sample, moved_on, playback, root_rates, root_step, sample
from kinematch.character.settings import Settings
from kinematch.character.settling import terms
from kinematch.character.source import source
from kinematch.control.body import SimulatedBody, ahead, asked, at_rest, turned, wrapped
from kinematch.control.command import Command
from kinematch.database.features import QueryInput
from kinematch.database.storage import Database
from kinematch.math import quaternion
from kinematch.math.rotation import from_axis_angle, from_rotation_vector, to_rotation_vector
from kinematch.math.spring import HALF, spring, velocity_spring
from kinematch.motion.heading import yaw_direction
from kinematch.search import Matches, WideMatcher, search_space


@dataclass(eq=False)
class Offsets:
    """What is added to the animation, for N characters; it changes every step."""

    positions: np.ndarray  # (N, J, 3) m
    velocities: np.ndarray  # (N, J, 3) m/s
    rotations: np.ndarray  # (N, J, 3) rad
    angular_velocities: np.ndarray  # (N, J, 3) rad/s
    root_velocities: np.ndarray  # (N, 4) m/s in the root's axes, and rad/s
    root_accelerations: np.ndarray  # (N, 4)


def no_offsets(count: int, joints: int) -> Offsets:
    pose, root = (count, joints, 3), (count, 4)
    return Offsets(np.zeros(pose), np.zeros(pose), np.zeros(pose), np.zeros(pose), np.zeros(root), np.zeros(root))


def shown(sample: Sample, offsets: Offsets) -> Sample:
    """The animated poses with the offsets applied."""
    lift = from_rotation_vector(offsets.rotations)
    return Sample(
        sample.positions + offsets.positions,
        quaternion.multiply(lift, sample.rotations.astype(np.float64)),
        sample.velocities + offsets.velocities,
        # the animated turning is carried along by the offset
        quaternion.rotate(lift, sample.angular_velocities.astype(np.float64)) + offsets.angular_velocities,
        sample.contacts,
    )


def begin(
    offsets: Offsets, who: np.ndarray, before: Sample, after: Sample, rates: tuple[np.ndarray, np.ndarray]
) -> None:
    """Take up the difference between the poses shown before a jump (M, ...) and the animation after it, for `who` (M,).

    `rates` are the root's shown and new velocities (M, 4).
    """
    offsets.positions[who] = before.positions - after.positions
    offsets.velocities[who] = before.velocities - after.velocities
    rotations = to_rotation_vector(quaternion.multiply(before.rotations, quaternion.inverse(after.rotations)))
    offsets.rotations[who] = rotations
    carried = quaternion.rotate(from_rotation_vector(rotations), after.angular_velocities.astype(np.float64))
    offsets.angular_velocities[who] = before.angular_velocities - carried
    offsets.root_velocities[who] = rates[0] - rates[1]
    offsets.root_accelerations[who] = 0.0


def decay(offsets: Offsets, halflife: float, dt: float) -> np.ndarray:
    """Let the offsets fade for dt; returns what the root's velocity offset adds to place and heading (N, 4)."""
    offsets.positions, offsets.velocities = spring(offsets.positions, offsets.velocities, 0.0, halflife=halflife, dt=dt)
    offsets.rotations, offsets.angular_velocities = spring(
        offsets.rotations, offsets.angular_velocities, 0.0, halflife=halflife, dt=dt
    )
    way, offsets.root_velocities, offsets.root_accelerations = velocity_spring(
        np.zeros_like(offsets.root_velocities), offsets.root_velocities, offsets.root_accelerations,
        desired=0.0, halflife=halflife, dt=dt,
    )  # fmt: skip
    return way


def adjusted(
    positions: np.ndarray, yaws: np.ndarray, target_positions: np.ndarray, target_yaws: np.ndarray,
    *, ways: np.ndarray, turns: np.ndarray, settings: Settings, dt: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Roots (N, 3) and (N,) moved towards the simulated bodies.

    The step is a decay, limited to a share of how far (ways, N) and by what angle (turns, N) the animation itself
    moved in this step (thesis 3.3.2): a character that stands still is not dragged.
    """
    if settings.adjustment_halflife > 0:
        share = 1 - 0.5 ** (dt / settings.adjustment_halflife)
        gap = target_positions - positions
        size = np.linalg.norm(gap, axis=-1)
        step = np.minimum(size * share, settings.adjustment_ratio * ways)
        positions = positions + gap * np.divide(step, size, out=np.zeros_like(size), where=size > 0)[:, None]
        share = 1 - 0.5 ** (dt / settings.turn_halflife)
        angle = wrapped(target_yaws - yaws)
        yaws = yaws + np.sign(angle) * np.minimum(np.abs(angle) * share, settings.turn_ratio * np.abs(turns))
    gap = positions - target_positions
    size = np.linalg.norm(gap, axis=-1)
    kept = np.divide(clamped(size, settings.clamp_distance, dt), size, out=np.ones_like(size), where=size > 0)
    angle = wrapped(yaws - target_yaws)
    yaws = target_yaws + np.sign(angle) * clamped(np.abs(angle), settings.clamp_angle, dt)
    positions = target_positions + gap * kept[:, None]
    return positions, wrapped(yaws)


def clamped(gap: np.ndarray, most: float, dt: float) -> np.ndarray:
    """Gaps (N,) that never pass the most (0 is off); a pull that grows from SOFT of it on keeps it from being hit."""
    if most == 0:
        return gap
    over = np.maximum((gap - SOFT * most) / (most - SOFT * most), 0)
    return np.minimum(gap * np.exp(-PULL * over**2 * dt), most)


class PlainCrowd:
    """One readable step for all: command, search, spring transition, root, adjustment."""

    def __init__(
        self,
        database: Database,
        count: int = 1,
        *,
        settings: Settings | None = None,
    ):
        self.database, self.settings = database, settings or Settings()
        self.source = playback(database.poses)
        self.matcher = WideMatcher(search_space(database))
        self.resting = (source(database.poses).paces < RESTING) & database.poses.contacts.all(axis=1)
        self.root_positions = np.zeros((count, 3))
        self.root_yaws = np.zeros(count)
        self.body: SimulatedBody = at_rest(self.root_positions, self.root_yaws)
        self.offsets: Offsets = no_offsets(count, database.poses.skeleton.joint_count)
        self.fractions = np.zeros(count)
        interval = self.settings.search_interval
        self.since_search = (np.arange(count) * 0.618034 % 1.0) * interval
        self.asked = np.full((count, 4), np.inf)  # velocity and facing at the last search
        self.frames = np.zeros(count, np.int32)

    def step(self, command: Command, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """Everything moves on by dt seconds under a command."""
        settings = self.settings
        self._search(command, dt)
        after = ahead(self.body, command, np.array([dt]), settings.halflives)
        self.body = SimulatedBody(*(array[:, 0] for array in after))

        before = (self.frames, self.fractions)
        self.frames, self.fractions, rounds = moved_on(self.source, *before, dt)
        way, turn = root_step(self.source, before, (self.frames, self.fractions), rounds)
        extra = decay(self.offsets, settings.transition_halflife, dt)
        way, turn = way + extra[:, :3], turn + extra[:, 3]
        self.root_positions = self.root_positions + turned(way, self.root_yaws)
        self.root_yaws = wrapped(self.root_yaws + turn)
        self.root_positions, self.root_yaws = adjusted(
            self.root_positions, self.root_yaws, self.body.positions, self.body.yaws,
            ways=np.linalg.norm(way, axis=-1), turns=turn, settings=settings, dt=dt,
        )  # fmt: skip
        return self._shown()

    def _search(self, command: Command, dt: float) -> None:
        settings = self.settings
        facing = np.arctan2(command.facings[:, 0], command.facings[:, 2])
        asked = np.concatenate([command.velocities, facing[:, None]], axis=1)
        with np.errstate(invalid="ignore"):
            change = np.linalg.norm(asked[:, :3] - self.asked[:, :3], axis=-1)
            sharp = ~(change < settings.velocity_change) | (
                np.abs(wrapped(asked[:, 3] - self.asked[:, 3])) > settings.facing_change
            )
        ends = (self.frames == self.source.last_of[self.frames]) & (self.source.next_frames[self.frames] == self.frames)
        due = (self.since_search >= settings.search_interval - 1e-9) | ends
        due |= sharp & ((self.since_search >= settings.forced_interval) | np.isinf(self.asked[:, 0]))
        over = self.since_search - settings.search_interval
        kept = np.where((over >= 0) & (over < dt), over, 0.0)
        kept = np.where(np.isinf(self.asked[:, 0]), self.since_search % settings.search_interval, kept)
        self.since_search = np.where(due, kept, self.since_search) + dt
        who = np.flatnonzero(due)
        if len(who):
            self.asked[who] = asked[who]
            found = self._find(command, who, self.frames[who])
            new = (found.frames >= 0) & (found.frames != self.frames[who])
            self._jump(who[new], found.frames[new])

    def _find(self, command: Command, who: np.ndarray, current: np.ndarray) -> Matches:
        """The best frames (M,) for some characters: their pose as it is, the trajectory as it should be."""
        features, settings = self.database.features, self.settings
        part = Command(command.velocities[who], command.facings[who], command.filter)
        body = SimulatedBody(*(array[who] for array in self.body))
        yaws, places = self.root_yaws[who], self.root_positions[who]

        still = (np.abs(part.velocities).max(axis=-1) == 0) & (np.linalg.norm(body.velocities, axis=-1) <= STILL)
        gap, turn = body.positions - places, wrapped(body.yaws - yaws)
        near = still & (np.linalg.norm(gap[:, [0, 2]], axis=-1) <= NEAR)
        gap = np.where(near[:, None], gap, 0.0)
        aligned = still & (np.abs(turn) <= ALIGNED) & (np.abs(body.yaw_rates) <= ALIGNED)
        body = body._replace(positions=body.positions - gap)
        off = np.where(aligned, turn, 0.0)[:, None]

        def trajectory(times: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
            past = self.fractions[who] / self.database.poses.frame_rate
            positions, facings = asked(
                body, part, np.array(times), settings.halflives, places=places, yaws=yaws, past=past
            )
            return positions, yaw_direction(facings - off)

        query = QueryInput(current=features.physical(current), trajectory=trajectory)
        queries = features.normalise(features.schema.query(query))
        assert isinstance(command.filter, str)
        wanted = np.arctan2(part.facings[:, 0], part.facings[:, 2])
        coming = body.yaw_rates * settings.facing_halflife / HALF
        facing = np.where(np.any(part.facings != 0, axis=-1), wrapped(wanted - body.yaws), coming)
        settled = near & aligned & (np.abs(facing) < ALIGNED) & self.resting[current]
        found = Matches(np.empty(len(who), np.int32), np.empty(len(who), np.float32))
        for quiet in (False, True):
            those = settled == quiet
            filter_, ignore = terms(self.database, command.filter, quiet, settings)
            best = self.matcher.find(
                queries[those], current[those], filter=filter_, stay_bias=settings.stay_bias, ignore=ignore
            )
            found.frames[those], found.costs[those] = best.frames, best.costs
        return found

    def _jump(self, who: np.ndarray, frames: np.ndarray) -> None:
        """Go on from other frames, the difference becoming an offset; the fraction of a frame is kept."""
        if not len(who):
            return
        part = Offsets(*(getattr(self.offsets, name)[who] for name in Offsets.__dataclass_fields__))
        before = shown(sample(self.source, self.frames[who], self.fractions[who]), part)
        shown_rates = self._rates(self.frames[who], self.fractions[who]) + part.root_velocities
        after = sample(self.source, frames, self.fractions[who])
        begin(self.offsets, who, before, after, (shown_rates, self._rates(frames, self.fractions[who])))
        self.frames = self.frames.copy()
        self.frames[who] = frames

    def _rates(self, frames: np.ndarray, fractions: np.ndarray) -> np.ndarray:
        velocity, turn = root_rates(self.source, frames, fractions)
        return np.concatenate([velocity, turn[:, None]], axis=1)

    def _shown(self):
        pose = shown(sample(self.source, self.frames, self.fractions), self.offsets)
        positions, rotations = np.array(pose.positions, np.float64), np.array(pose.rotations)
        positions[:, 0] = self.root_positions
        rotations[:, 0] = from_axis_angle(np.array([0.0, 1.0, 0.0]), self.root_yaws)
        return positions, quaternion.normalize(rotations)
