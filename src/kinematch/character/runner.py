"""Runner: what the kernels of a crowd work on, and how threads share the work."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from kinematch.character.constants import CONTACT_LEAD
from kinematch.character.kernels.animation import ADVANCE, animate
from kinematch.character.kernels.helping import EXAMPLE, make_task, set_task, sleep_and_help
from kinematch.character.kernels.scene import PARTS, Evolving, Scene, Work, make_handle
from kinematch.character.kernels.scratch import make_scratch
from kinematch.character.kernels.unpacking import measure_scratch
from kinematch.character.orders import Orders
from kinematch.character.pose import Pose, PoseLayout
from kinematch.character.project import group_by
from kinematch.character.rig import Rig
from kinematch.character.settings import Settings, make_knobs
from kinematch.character.source import MotionSource
from kinematch.character.stages.feet import Ground
from kinematch.character.state import State
from kinematch.character.step import advance_source
from kinematch.character.table import Table, make_rows
from kinematch.compile.handle import find_place
from kinematch.compile.helpers import find_kernel, helpers
from kinematch.compile.threads import SHARED, count_most_threads
from kinematch.database.features import BUILT_IN
from kinematch.database.schema import FeatureSchema
from kinematch.motion.retargeting import Retargeting

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd


class Runner:
    def __init__(
        self, sources: Sequence[MotionSource], state: State, orders: Orders, rig: Rig, moving: np.ndarray,
        retargeting: Retargeting | None, layout: PoseLayout,
    ):  # fmt: skip
        self.sources, self.state, self.rig, self.retargeting = sources, state, rig, retargeting
        self.characters = np.arange(len(state.playing.frames), dtype=np.int32)
        first = sources[0]
        count, joints = len(self.characters), first.skeleton.joint_count
        self.rows = {
            number: make_rows(count, joints, moving, len(first.contact_joints))
            for number, source in enumerate(sources)
            if source.table is None
        }
        self.computes = bool(self.rows)
        self._computed: list[tuple[np.ndarray, np.ndarray]] = []  # characters and their contacts
        self.tables: list[Table] = [
            self.rows[number] if source.table is None else source.table for number, source in enumerate(sources)
        ]
        self._unpacking = max(
            measure_scratch(joints, table.pack.channels, len(table.moving)) for table in self.tables
        )  # bytes
        self.asks_by_kernel = [source.table is not None and _is_built_in(source.schema) for source in sources]
        # where local poses go that are retargeted before they are shown
        self._local = None
        if retargeting is not None:
            self._local = (np.zeros((count, joints, 3), np.float32), np.zeros((count, joints, 4), np.float32))
            self._local[0][:] = first.rig.rest
            self.source_pose = tuple(array.view() for array in self._local)
            for array in self.source_pose:
                array.flags.writeable = False  # as for every caller of the kernel, which is compiled once
        self._motions, self._ground = np.zeros((count, 3)), _no_ground(len(rig.legs))
        self._kept: tuple = (sources, state, orders, rig)  # kernels know their arrays by address
        self._pose, _ = layout.make()  # until the first step
        knobs = make_knobs(Settings())
        self.scenes: list[np.ndarray] = []
        for table in self.tables:
            scene = Scene(Evolving(*state[:5]), table, rig, knobs, orders, self._make_work(), self._pose)
            handles = {name: make_handle(name, part) for name, part in scene._asdict().items()}
            self.scenes.append(np.concatenate(list(handles.values())))
            self._starts = dict(zip(handles, np.cumsum([0, *map(len, handles.values())]).tolist()))
        # where a scene has the addresses of a pose's arrays, and how many bytes these are from the pose's first
        places = {("pose", name): offset for name, offset in layout.offsets.items()}
        if retargeting is None:  # local poses go straight into it
            places |= {("work", name): layout.offsets[name] for name in ("positions", "rotations")}
        self._pose_places = np.array([self._starts[part] + find_place(PARTS[part], name) for part, name in places])
        self._pose_offsets = np.array(list(places.values()), np.int64)
        self.due = np.zeros(count, np.int32)  # characters that search, of which a kernel fills in as many as there are
        self._scratch = self._make_scratch()
        self._tasks: list[np.ndarray] = []  # for each helper, (S, H): a task for each source
        if count >= SHARED:
            self._prepare_helpers()

    def _prepare_helpers(self) -> None:
        """What helpers need to animate: the compiled kernel, and for each helper its scratch."""
        self._kernel = find_kernel(animate, EXAMPLE)
        for _ in range(count_most_threads() - 1):
            scratch = self._make_scratch()
            self._kept += scratch
            self._tasks.append(np.stack([make_task(scene, scratch) for scene in self.scenes]))
        with helpers(sleep_and_help):
            pass  # compiles and starts them now, not in a step

    def set_knobs(self, settings: Settings) -> None:
        self._set_part("knobs", make_knobs(settings))

    def set_pose(self, pose: Pose, address: int) -> None:
        """Write results into a pose, whose first array is at an address."""
        self._pose = pose
        for scene in self.scenes:
            scene[self._pose_places] = self._pose_offsets + address

    def set_ground(self, ground: Ground | None) -> None:
        """Stand on terrain, or without it at the height where characters are."""
        if ground is None and not len(self._ground.heights):
            return
        self._ground = _no_ground(len(self.rig.legs)) if ground is None else ground
        self._set_part("work", self._make_work())

    def animate(self, dt: float, stages: int, characters: np.ndarray | None = None) -> None:
        """Run stages for characters (M,), or for everybody, on all threads."""
        own = self.characters if characters is None else characters
        if len(own) < SHARED:
            self._animate(self._group(own), np.zeros((len(self.sources), 1), np.int64), dt, stages)
        else:
            with self.helped(own, dt, stages):
                pass

    @contextmanager
    def helped(self, characters: np.ndarray, dt: float, stages: int) -> Iterator[None]:
        """Have other threads run stages for characters (M,) meanwhile; afterwards, this thread does what is left."""
        groups = self._group(characters)
        begun = np.zeros((len(groups), 1), np.int64)
        with helpers(sleep_and_help) as others:
            for helper, tasks in zip(others, self._tasks):
                own = tasks[[number for number, _ in groups]]
                for n, (number, some) in enumerate(groups):
                    set_task(own[n], some, begun[n], dt, self._choose_stages(number, stages))
                helper.post(self._kernel, own)
            yield
            self._animate(groups, begun, dt, stages)

    def _group(self, characters: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """Characters by the source that they play."""
        return [(0, characters)] if len(self.sources) == 1 else group_by(self.state.playing.sources, characters)

    def _choose_stages(self, number: int, stages: int) -> int:
        return stages & ~ADVANCE if number in self.rows else stages

    def compute_rows(self, crowd: "Crowd", dt: float) -> None:
        """Advance computed sources and write their poses into the row tables that kernels read."""
        self._computed = []
        for number, characters in group_by(self.state.playing.sources, self.characters):
            if number not in self.rows:
                continue
            rows, source = self.rows[number], self.sources[number]
            self._motions[characters] = advance_source(crowd, number, characters, dt)
            sample = source.decode(self.state, characters, CONTACT_LEAD - dt)
            rows.rotations[characters] = sample.rotations
            rows.places[characters] = sample.positions[:, rows.moving]
            rows.contacts[characters] = sample.soon_contacts
            rows.contact_left[characters] = sample.soon_contact_left
            rows.toe_heights[characters] = sample.toe_heights
            self._computed.append((characters, sample.contacts))

    def report_rows(self, pose: Pose) -> None:
        """What kernels cannot tell of computed poses."""
        for characters, contacts in self._computed:
            pose.contacts[characters], pose.frames[characters] = contacts, -1

    def retarget(self, pose: Pose) -> None:
        assert self.retargeting is not None
        positions, rotations = self.source_pose
        self.retargeting.apply(positions, rotations, (pose.positions, pose.rotations))

    def _animate(self, groups: list[tuple[int, np.ndarray]], begun: np.ndarray, dt: float, stages: int) -> None:
        for n, (number, characters) in enumerate(groups):
            if begun[n, 0] < len(characters):
                own_stages = self._choose_stages(number, stages)
                animate(self.scenes[number], characters, begun[n], *self._scratch, dt, own_stages)

    def _make_scratch(self) -> tuple[np.ndarray, np.ndarray]:
        return make_scratch(len(self.rig.parents), len(self.rig.legs), self._unpacking)

    def make_jump_room(self) -> np.ndarray:
        """Where one thread unpacks the frames that characters jump from and to."""
        return np.empty((2, self._unpacking // 4), np.float32)

    def _make_work(self) -> Work:
        local = self._local or (self._pose.positions, self._pose.rotations)
        self._work = Work(self._motions, local[0], local[1], self._ground.heights, self._ground.normals)
        return self._work

    def _set_part(self, name: str, record: tuple) -> None:
        handle, start = make_handle(name, record), self._starts[name]
        for scene in self.scenes:
            scene[start : start + len(handle)] = handle


def _is_built_in(schema: FeatureSchema) -> bool:
    """Whether the query kernel supports a schema: built-in features only, none that looks at the past."""
    return schema.past == 0 and all(feature.kind in BUILT_IN for feature in schema.features)


def _no_ground(legs: int) -> Ground:
    return Ground(np.zeros((0, 1 + legs)), np.zeros((0, legs, 3)))
