"""Frames of a packed database in plain numpy: rotations, places, the root, and the velocities between them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinematch.database.packing.kernels import unpack_many
from kinematch.database.packing.layout import LENGTH, Pack
from kinematch.database.packing.mirrors import Mirror, place_images
from kinematch.math import quaternion
from kinematch.math.angles import rotate_about_y, wrap_angle
from kinematch.math.rotation import to_rotation_vector
from kinematch.motion.heading import yaw_of


@dataclass(frozen=True, eq=False)
class PackedFrames:
    pack: Pack
    starts: np.ndarray  # (C,) int32
    stops: np.ndarray  # (C,) int32
    loops: np.ndarray  # (C,) bool
    loop_shifts: np.ndarray  # (C, 3) float64 m, of one round in the axes of the first frame
    loop_turns: np.ndarray  # (C,) float64 rad
    moving: np.ndarray  # (M,) int32, joints that have places of their own
    rest: np.ndarray  # (J, 3) float32 m, where all others are
    mirror: Mirror
    frame_rate: float
    heights: np.ndarray | None = None  # (F,) float32 m of the root, whose clips leave the ground

    def find_clips(self, frames: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.stops, frames, side="right")

    def find_segments(self, frames: np.ndarray) -> np.ndarray:
        clips = self.find_clips(frames)
        return self.pack.clip_segments[clips] + (frames - self.starts[clips]) // LENGTH

    def find_next(self, frames: np.ndarray) -> np.ndarray:
        """The frame after each; a clip's last is its own, unless it loops."""
        clips = self.find_clips(frames)
        last = self.stops[clips] - 1
        return np.where(frames < last, frames + 1, np.where(self.loops[clips], self.starts[clips], last))

    def read_channels(self, frames: np.ndarray) -> np.ndarray:
        """(N, C, 4) of frames (N,)."""
        out = np.empty((len(frames), self.pack.channels, 4), np.float32)
        unpack_many(self.pack, self.starts, self.stops, np.ascontiguousarray(frames, np.int64), out)
        return out

    def read_rotations(self, frames: np.ndarray) -> np.ndarray:
        rotations = self.read_channels(frames)[:, : len(self.rest)]
        half = 0.5 * self.read_roots(frames)[:, 2]
        rotations[:, 0] = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half], axis=-1)
        return rotations

    def read_positions(self, frames: np.ndarray) -> np.ndarray:
        positions = np.broadcast_to(self.rest, (len(frames), *self.rest.shape)).copy()
        positions[:, self.moving] = self.read_places(frames)
        roots = self.read_roots(frames)
        positions[:, 0, 0], positions[:, 0, 2] = roots[:, 0], roots[:, 1]
        if self.heights is not None:
            positions[:, 0, 1] = self.heights[frames]
        return positions

    def read_places(self, frames: np.ndarray) -> np.ndarray:
        """(N, M, 3) m, of the joints that move."""
        first = len(self.rest)
        left = self.read_channels(frames)[:, first : first + len(self.moving), 1:]
        places = left + self.pack.centres[self.find_segments(frames)]
        mirrored = self.pack.sides[self.find_clips(frames)] < 0
        places[mirrored] = place_images(self.pack, places[mirrored])
        return places

    def read_roots(self, frames: np.ndarray) -> np.ndarray:
        """(N, 3) float64: x and z in m, yaw in rad."""
        pack, segments, clips = self.pack, self.find_segments(frames), self.find_clips(frames)
        rows = pack.clip_roots[clips] + frames - self.starts[clips]
        roots = pack.roots[rows] * pack.root_steps[segments].astype(np.float64) + pack.root_bases[segments]
        roots[:, ::2] *= pack.sides[clips, None]
        return roots

    def read_root_paths(self, frames: np.ndarray) -> np.ndarray:
        """(N, 6) the same, and the change to the clip's next frame, of a loop's last to its next round."""
        here, (_, there) = self.read_roots(frames), self._carry_roots(frames)
        change = there - here
        change[:, 2] = wrap_angle(change[:, 2])
        return np.concatenate([here, change], axis=1)

    def measure_velocities(self, frames: np.ndarray) -> np.ndarray:
        """(N, J, 3) m/s: the mean of the steps before and after, of which clip ends have one."""
        before, after, share = self._neighbours(frames)
        out = np.zeros((len(frames), *self.rest.shape), np.float32)
        if len(self.moving):
            places = self.read_places(after).astype(np.float64) - self.read_places(before)
            out[:, self.moving] = places * share[:, None, None]
        here = self._carry_roots(frames)
        out[:, 0, ::2] = (here[1] - here[0])[:, :2] * share[:, None]
        if self.heights is not None:
            out[:, 0, 1] = (self.heights[after].astype(np.float64) - self.heights[before]) * share
        return out

    def measure_angular_velocities(self, frames: np.ndarray) -> np.ndarray:
        """(N, J, 3) rad/s; the two half steps are added, so fast turns do not wrap."""
        before, after, share = self._neighbours(frames)
        here = self.read_rotations(frames).astype(np.float64)
        steps = to_rotation_vector(quaternion.multiply(self.read_rotations(after), quaternion.inverse(here)))
        steps = steps + to_rotation_vector(
            quaternion.multiply(here, quaternion.inverse(self.read_rotations(before).astype(np.float64)))
        )
        out = steps * share[:, None, None]
        roots, middle = self._carry_roots(frames), self.read_roots(frames)[:, 2]
        turn = wrap_angle(roots[1][:, 2] - middle) + wrap_angle(middle - roots[0][:, 2])
        out[:, 0] = 0.0
        out[:, 0, 1] = turn * share
        return out.astype(np.float32)

    def _neighbours(self, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frames before and after, and the factor that makes a velocity of what lies between them."""
        clips = self.find_clips(frames)
        first, last, loops = self.starts[clips], self.stops[clips] - 1, self.loops[clips]
        before = np.where(frames > first, frames - 1, np.where(loops, last, first))
        after = self.find_next(frames)
        steps = np.where(loops, 2, (frames > first).astype(int) + (frames < last))
        return before, after, self.frame_rate / np.maximum(steps, 1)

    def _carry_roots(self, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Roots (N, 3) of the frames before and after, in the world of each frame's round of a loop."""
        before, after, _ = self._neighbours(frames)
        clips = self.find_clips(frames)
        old, new = self.read_roots(before), self.read_roots(after)
        for n in np.flatnonzero(self.loops[clips]):
            clip = clips[n]
            origin, shift, turn = self._rounds[0][clip], self._rounds[1][clip], self.loop_turns[clip]
            if frames[n] == self.starts[clip]:
                back = np.array([old[n, 0], 0.0, old[n, 1]]) - origin - shift
                old[n, :2] = (origin + rotate_about_y(back, -turn))[[0, 2]]
                old[n, 2] -= turn
            if frames[n] == self.stops[clip] - 1:
                way = np.array([new[n, 0], 0.0, new[n, 1]]) - origin
                new[n, :2] = (origin + shift + rotate_about_y(way, turn))[[0, 2]]
                new[n, 2] += turn
        return old, new

    @cached_property
    def _rounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Where each clip begins (C, 3), and how far one round of it leads (C, 3), in the clip's world."""
        first = self.read_roots(self.starts.astype(np.int64))
        origin = np.stack([first[:, 0], np.zeros(len(first)), first[:, 1]], axis=-1)
        return origin, rotate_about_y(self.loop_shifts * [1, 0, 1], first[:, 2])


def make_frames(
    pack: Pack, starts: np.ndarray, stops: np.ndarray, loops: np.ndarray, loop_positions: np.ndarray,
    loop_rotations: np.ndarray, moving: np.ndarray, rest: np.ndarray, mirror: Mirror, frame_rate: float,
    heights: np.ndarray | None,
) -> PackedFrames:  # fmt: skip
    for array in (*pack, starts, stops):
        if isinstance(array, np.ndarray):  # kernels are compiled for one kind of array
            array.flags.writeable = False
    turns = yaw_of(loop_rotations).astype(np.float64).reshape(-1)
    return PackedFrames(
        pack, starts, stops, loops, loop_positions.astype(np.float64), turns, moving, rest, mirror, frame_rate,
        heights,
    )  # fmt: skip
