"""Runner: what the step of a crowd works on, and how threads share the work."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinematch.character.pose import Pose, PoseLayout
from kinematch.character.searches import Searches
from kinematch.character.settings import Settings, make_knobs
from kinematch.character.source import Sample
from kinematch.character.state import State
from kinematch.character.step.data import (
    SCRATCH_EXAMPLE,
    TABLE_EXAMPLE,
    Beginning,
    Scratch,
    StepData,
    make_handle,
    make_scratch,
    make_work,
)
from kinematch.character.step.step import ASK, BEGIN, END, SCHEDULE, count_pieces, run_step
from kinematch.character.step.update import begin_transition, predict_places, sample_playing
from kinematch.compile.handle import find_place, handle
from kinematch.control.orders import Filters, Orders
from kinematch.database.table import EACH_ROW, Table
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.motion.rig import Rig
from kinematch.threads import SHARED, count_threads, run_each


def make_counters(threads: int) -> np.ndarray:
    """How many characters of each thread's share have been begun, a cache line apart."""
    return np.zeros((threads, 8), np.int64)


class Runner:
    def __init__(
        self, sources: Sequence[Any], state: State, orders: Orders, rig: Rig,
        beginning: State, moving: np.ndarray, retargeting: Retargeting | None, layout: PoseLayout, *, compiled: bool,
    ):  # fmt: skip
        self.sources, self.state, self.orders, self.rig, self.compiled = sources, state, orders, rig, compiled
        self.retargeting, self._layout, self._beginning = retargeting, layout, Beginning._make(beginning[:7])
        self._begun = make_counters(1)
        first, count = sources[0], len(state.playing.frames)
        self.characters = np.arange(count, dtype=np.int32)
        self.tables: list[Table] = [
            source.make_table(own, moving, count) for source, own in zip(sources, state.sources)
        ]
        self.rows = {number: table for number, table in enumerate(self.tables) if table.each == EACH_ROW}
        self.searches = {number: Searches(one) for number, one in enumerate(sources) if number not in self.rows}
        if not compiled:  # arrays of a packed database are unpacked as they are indexed
            for number, searches in self.searches.items():
                table = getattr(sources[number], "by_frame", None) or self.tables[number]
                self.tables[number] = table._replace(search=searches)
        self._table_handles = [handle(table, TABLE_EXAMPLE) for table in self.tables] if compiled else []
        self.work = make_work(count, first.description.skeleton.joint_count, len(rig.legs))
        if retargeting is not None:
            self.work.positions[:] = first.rig.rest
            self.source_pose = tuple(array.view() for array in (self.work.positions, self.work.rotations))
            for array in self.source_pose:
                array.flags.writeable = False  # as for every caller of the kernel, which is compiled once
        self._pose, address = layout.make()  # until the first step
        self.scratch: list[Scratch] = []
        self._scratch_handles: list[np.ndarray] = []
        self._scratch_places: list[Any] = []  # their addresses; uncompiled, the scratch itself
        self._memory = 0
        self._addresses = np.array([one.ctypes.data for one in self._table_handles], np.int64)
        self._build_data()
        self.set_pose(self._pose, address)

    def _build_data(self) -> None:
        sources: Any = self._addresses if self.compiled else self.tables
        knobs = make_knobs(Settings())  # until `set_knobs`
        self.data = StepData(
            *self.state[:7], self._beginning, self.rig, knobs, self.orders, self.work, self._pose, sources
        )
        if not self.compiled:
            return
        handles = {name: make_handle(name, part) for name, part in self.data._asdict().items()}
        self.handle = np.concatenate(list(handles.values()))
        self._place = self.handle.ctypes.data  # a number is handed over faster than an array
        self._starts = dict(zip(handles, np.cumsum([0, *map(len, handles.values())]).tolist()))
        # where the data has the addresses of a pose's arrays, and how many bytes these are from the pose's first
        places = {("pose", name): offset for name, offset in self._layout.offsets.items()}
        if self.retargeting is None:  # local poses go straight into it
            places |= {("work", name): self._layout.offsets[name] for name in ("positions", "rotations")}
        self._pose_places = np.array(
            [self._starts[part] + find_place(getattr(self.data, part), name) for part, name in places]
        )
        self._pose_offsets = np.array(list(places.values()), np.int64)

    def refresh(self, settings: Settings, filters: Filters) -> None:
        """Take over what has changed of filters and weights since the last step."""
        changed = not self.scratch
        for number, searches in self.searches.items():
            found = searches.refresh(settings, filters)
            if found is not None and self.compiled:
                self.tables[number] = self.tables[number]._replace(search=found)
                self._table_handles[number][:] = handle(self.tables[number], TABLE_EXAMPLE)
                changed = True
        if not changed:
            return
        memory = max((searches.memory for searches in self.searches.values()), default=0)
        if memory > self._memory or not self.scratch:
            self._memory = memory
            shared = self.compiled and len(self.characters) >= SHARED
            threads = range(count_threads() if shared else 1)
            sizes = {"count": len(self.characters), "shown_joints": len(self.rig.parents), "legs": len(self.rig.legs)}
            self.scratch = [make_scratch(self.tables, **sizes, memory=memory, thread=one) for one in threads]
            self._scratch_places = list(self.scratch)
            if self.compiled:
                self._scratch_handles = [handle(one, SCRATCH_EXAMPLE) for one in self.scratch]
                self._scratch_places = [one.ctypes.data for one in self._scratch_handles]

    def set_knobs(self, settings: Settings) -> None:
        self.data = self.data._replace(settings=make_knobs(settings))
        if self.compiled:
            handle, start = make_handle("settings", self.data.settings), self._starts["settings"]
            self.handle[start : start + len(handle)] = handle

    def set_pose(self, pose: Pose, address: int) -> None:
        """Write results into a pose, whose first array is at an address."""
        self._pose = pose
        if self.compiled:
            self.handle[self._pose_places] = self._pose_offsets + address
        else:
            work = self.data.work
            if self.retargeting is None:
                work = work._replace(positions=pose.positions, rotations=pose.rotations)
            self.data = self.data._replace(pose=pose, work=work)

    def set_ground(self, heights: np.ndarray | None, normals: np.ndarray | None) -> None:
        """Stand on terrain, or without it at the height where characters are."""
        if heights is None or normals is None:
            if not len(self.work.heights):
                return
            legs = len(self.rig.legs)
            heights, normals = np.zeros((0, 1 + legs)), np.zeros((0, legs, 3))
        self.work = self.work._replace(heights=heights, normals=normals)
        if self.compiled:
            place = self._starts["work"] + find_place(self.work, "heights")
            for array in (heights, normals):
                self.handle[place : place + 1 + array.ndim] = array.ctypes.data, *array.shape
                place += 1 + array.ndim
        else:
            self.data = self.data._replace(work=self.data.work._replace(heights=heights, normals=normals))

    def run_whole(self, dt: float) -> bool:
        """A step without users' Python."""
        if len(self.scratch) == 1:
            self._begun[0, 0] = 0
            if self.compiled:  # without `_call`, which takes a tenth of the call of a kernel
                return run_step(self._place, self._scratch_places[0], self.characters, self._begun, dt, BEGIN, END)
            return self._call(run_step, self._scratch_places[0], self.characters, self._begun, dt, BEGIN, END)
        pieces, happened = count_pieces(dt, self.orders.longest_step[0]), False
        for piece in range(pieces):
            if self.run(dt / pieces, SCHEDULE if piece else BEGIN, ASK, self.characters[:0]):
                return True
            happened = self.run(dt / pieces, ASK, END) or happened
        return happened

    def run(self, dt: float, enter: int, leave: int, characters: np.ndarray | None = None) -> bool:
        """Run the stages between two seams for characters (M,), or for all, on all threads; whether anything happened:
        see step.step."""
        own = self.characters if characters is None else characters
        shared = len(own) >= SHARED and enter >= ASK
        begun, happened = make_counters(min(count_threads(), len(self.scratch)) if shared else 1), []

        def work(thread: int) -> None:
            happened.append(self._call(run_step, self._scratch_places[thread], own, begun, dt, enter, leave))

        run_each(range(len(begun)), work)
        return any(happened)

    def _call(self, kernel: Any, *given: Any) -> Any:
        """Run a kernel on the data, or the Python function that it was compiled from."""
        if self.compiled:
            return kernel(self._place, *given)
        with np.errstate(all="ignore"):  # as in kernels
            return kernel.py_func(self.data, *given)

    def sample(self, n: int, row: int) -> None:
        """What character n plays, a table's, into a row of the sample."""
        self._call(sample_playing, self._scratch_places[0], n, row)

    def set_sample(self, sample: Sample, toes: tuple[np.ndarray, np.ndarray], row: int, moving: np.ndarray) -> None:
        """What a source computed for one character, and how high its toes are, into a row of the sample."""
        out = self.scratch[0].sample
        out.rotations[row], out.spins[row] = sample.rotations[0], sample.angular_velocities[0]
        out.places[row], out.velocities[row] = sample.positions[0, moving], sample.velocities[0, moving]
        out.roots[row] = *sample.velocities[0, 0, ::2], sample.angular_velocities[0, 0, 1]
        out.toe_heights[row], out.toe_rates[row] = toes[0][0], toes[1][0]

    def start_transition(self, n: int, old: int, old_halflife: float) -> None:
        """Go over from the sample before to the one after."""
        self._call(begin_transition, self._scratch_places[0], n, old, old_halflife)

    def predict(self, times: np.ndarray, characters: np.ndarray, ages: np.ndarray, places: np.ndarray) -> None:
        """Fill places (M, H, 4) of characters (M,); those of a controller's trajectory are given."""
        self._call(predict_places, times, characters, ages, places)

    def retarget(self, pose: Pose) -> None:
        assert self.retargeting is not None
        positions, rotations = self.source_pose
        self.retargeting.apply(positions, rotations, (pose.positions, pose.rotations))
