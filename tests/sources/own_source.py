"""A motion source as a user writes one: plain motion matching in numpy that keeps its frames in its own state.

It has what every source needs and nothing else: no tags, no filter, no frame rate.
"""

import numpy as np

import kinematch as km

TAIL = 0.4  # s before the end of a clip at which it has ended
BIAS = 0.05  # of the cost by which a jump must be better


class OwnSource:
    def __init__(self, database: km.Database, admitted: np.ndarray):
        """`admitted` (F,) bool: frames that it plays."""
        poses, features = database.poses, database.features
        self._poses, self._features, self._rate = poses, features, poses.frame_rate
        self._targets = np.flatnonzero(features.targets & admitted)
        self._values = np.ascontiguousarray(features.values[self._targets] * np.sqrt(features.column_weights()))
        self._stops = poses.clip_stops[poses.clip_of(np.arange(poses.frame_count))]
        self._yaws = 2 * np.arctan2(poses.rotations[:, 0, 2], poses.rotations[:, 0, 0]).astype(np.float64)
        some = self._targets[::20]
        slowest = self._targets[np.argmin(np.linalg.norm(poses.velocities[self._targets, 0], axis=-1))]
        self.description = km.describe_source(
            database, poses=km.SourcePoses(poses.positions[some], poses.rotations[some], poses.contacts[some]),
            state={"frame": slowest, "part": 0.0},
        )  # fmt: skip
        lasts = np.zeros((poses.frame_count + 1, poses.contacts.shape[1]))
        for frame in range(poses.frame_count - 1, -1, -1):
            goes_on = frame + 1 < self._stops[frame]
            lasts[frame] = poses.contacts[frame] * (1 / self._rate + lasts[frame + 1] * goes_on)
        self._lasts = lasts

    def project(self, state, characters, queries, search):
        """The nearest frame, unless what plays is about as near."""
        weighted = queries * np.sqrt(self._features.column_weights())
        costs = ((self._values - weighted[:, None]) ** 2).sum(axis=-1)
        best, frames = np.argmin(costs, axis=1), state.own["frame"][characters]
        lowest = costs[np.arange(len(best)), best]
        playing = ((self._features.values[frames] - queries) ** 2 * self._features.column_weights()).sum(axis=-1)
        near = np.abs(self._targets[best] - frames) < 0.2 * self._rate
        ended = self._stops[frames] - frames < TAIL * self._rate
        jumps = (~near & (lowest < (1 - BIAS) * playing)) | ended | (not search.here)
        return km.Projection(self._targets[best], jumps, lowest.astype(np.float32))

    def enter(self, state, characters, targets):
        state.own["frame"][characters], state.own["part"][characters] = targets, 0.0

    def advance(self, state, characters, seconds):
        frames, parts = state.own["frame"][characters], state.own["part"][characters]
        places, yaws = self._locate(frames, parts)
        times = np.minimum(frames + parts + seconds * self._rate, self._stops[frames] - 1.0)
        state.own["frame"][characters] = after = np.minimum(times.astype(int), self._stops[frames] - 1)
        state.own["part"][characters] = times - after
        later, turned = self._locate(after, times - after)
        moved = turn_about_y(later - places, -yaws)
        return np.stack([moved[:, 0], moved[:, 2], wrap(turned - yaws)], axis=-1)

    def decode(self, state, characters, look=0.0):
        frames, parts = state.own["frame"][characters], state.own["part"][characters]
        poses, after, t = self._poses, self._next(frames), parts[:, None, None]
        mix = [array[frames] * (1 - t) + array[after] * t for array in (poses.positions, poses.velocities)]
        turns = poses.rotations[after] * np.sign((poses.rotations[after] * poses.rotations[frames]).sum(-1))[..., None]
        rotations = poses.rotations[frames] * (1 - t) + turns * t
        rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
        spins = poses.angular_velocities[frames].astype(np.float64)
        mix[1][:, 0] = turn_about_y(mix[1][:, 0], -self._locate(frames, parts)[1])
        soon = np.clip(np.rint(frames + parts + look * self._rate).astype(int), 0, self._stops[frames] - 1)
        ended = self._stops[frames] - frames < TAIL * self._rate
        features = self._features.physical(frames) * (1 - t[:, 0]) + self._features.physical(after) * t[:, 0]
        return km.Sample(
            mix[0], rotations, mix[1], spins, poses.contacts[frames], self._lasts[soon], ended, features=features
        )

    def _next(self, frames):
        return np.minimum(frames + 1, self._stops[frames] - 1)

    def _locate(self, frames, parts):
        """Places (M, 3) and yaws (M,) of the root in its clip."""
        places, after = self._poses.positions[:, 0].astype(np.float64) * [1, 0, 1], self._next(frames)
        turn = wrap(self._yaws[after] - self._yaws[frames])
        return places[frames] + parts[:, None] * (places[after] - places[frames]), self._yaws[frames] + parts * turn


def wrap(angles):
    return (angles + np.pi) % (2 * np.pi) - np.pi


def turn_about_y(vectors, angles):
    x, y, z = vectors.T
    return np.stack([np.cos(angles) * x + np.sin(angles) * z, y, np.cos(angles) * z - np.sin(angles) * x], axis=-1)
