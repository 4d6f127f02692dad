"""Learned motion matching in a page: Algorithm 1 with eq. 3.3-3.15 of Szkaradek 2024, on exported ONNX networks.

Y up, Z forward, metres, seconds; quaternions are w x y z, local to the parent; joint 0 is the root on the ground.
`python lmm.py FOLDER` plays vectors.bin and prints the largest differences. Needs numpy and onnxruntime.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np


def read_matrices(path: Path) -> list[np.ndarray]:
    """A flat file: rows, columns and bytes a value as int32, then float32 or uint8."""
    data, place, matrices = path.read_bytes(), 0, []
    while place < len(data):
        rows, columns, size = np.frombuffer(data, "<i4", 3, place).tolist()
        values = np.frombuffer(data, "<f4" if size == 4 else "u1", rows * columns, place + 12)
        matrices.append(values.reshape(rows, columns).astype(np.float32))
        place += 12 + rows * columns * size
    return matrices


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    w, x, y, z = np.moveaxis(a, -1, 0)
    s, i, j, k = np.moveaxis(b, -1, 0)
    return np.stack([w * s - x * i - y * j - z * k, w * i + x * s + y * k - z * j,
                     w * j - x * k + y * s + z * i, w * k + x * j - y * i + z * s], axis=-1)  # fmt: skip


def inverse(q: np.ndarray) -> np.ndarray:
    return q * [1, -1, -1, -1]


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    pure = np.concatenate([np.zeros_like(v[..., :1]), v], axis=-1)
    return multiply(multiply(q, pure), inverse(q))[..., 1:]


def to_vector(q: np.ndarray) -> np.ndarray:
    """QuatToScaledAngleAxis, along the shorter arc."""
    q = np.where(q[..., :1] < 0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return q[..., 1:] * np.where(size > 0, 2 * np.arctan2(size, q[..., :1]) / np.where(size > 0, size, 1), 2)


def to_quaternion(v: np.ndarray) -> np.ndarray:
    """ScaledAngleAxisToQuat."""
    half = np.linalg.norm(v, axis=-1, keepdims=True) / 2
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) / 2 * v], axis=-1)


def from_axes(axes: np.ndarray) -> np.ndarray:
    """From the x and y axes (J, 6) of joints, not yet orthogonal."""
    a, b = axes[:, :3], axes[:, 3:]
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b - a * (a * b).sum(axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = a.T, b.T, np.cross(a, b).T
    x, y, z, xy, xz, yz = bz - cy, cx - az, ay - bx, ay + bx, az + cx, bz + cy
    rows = np.array([[1 + ax + by + cz, x, y, z], [x, 1 + ax - by - cz, xy, xz],
                     [y, xy, 1 - ax + by - cz, yz], [z, xz, yz, 1 - ax - by + cz]])  # fmt: skip
    best = np.einsum("kkj->jk", rows).argmax(axis=1)  # the largest component first, so that small ones lose nothing
    q = rows[best, :, np.arange(len(a))]
    return q / np.linalg.norm(q, axis=1, keepdims=True)


class Character:
    """The state of a character, and its step."""

    search_time, force_time, force_cost, stay_bias, decay_time = 0.1, 0.1, 1.0, 0.2, 0.1

    def __init__(self, folder: str | Path):
        import onnxruntime

        folder = Path(folder)
        names = json.loads((folder / "model.json").read_text())["matrices"]
        self.model = model = dict(zip(names, read_matrices(folder / "model.bin")))
        numbers = model["numbers"][0]
        self.dt, (self.D, self.Z, self.J, self.M, self.K, first) = 1 / float(numbers[0]), map(int, numbers[1:7])
        self.stride, self.correction, self.longest = int(numbers[7]), float(numbers[8]), int(numbers[9])
        files = {name: folder / f"{name}.onnx" for name in ("decompressor", "stepper", "projector")}
        self.networks = {
            k: onnxruntime.InferenceSession(file.read_bytes()) for k, file in files.items() if file.exists()
        }
        self.columns = model["trajectory_columns"][0].astype(int)
        lowest, step = model["codebook_scale"]
        self.book = lowest + step * model["codebook"]  # features and latents; a port may keep the bytes
        self.cost_factors, self.steps_left, self.last = model["codebook_costs"].T  # last: the last entry of its clip
        self.now = self.decode(self.book[first])
        self.entry, self.run = -1 if "projector" in self.networks else first, 0  # of the codebook; frames since then
        self.next = self.decode(self.follow(self.now.xz, self.entry, 0))
        self.offset_r, self.offset_a = np.tile([1.0, 0, 0, 0], (self.J, 1)), np.zeros((self.J, 3))
        self.offset_x, self.offset_v = np.zeros((2, 3 * self.M + 3))
        self.shown_r, self.shown_x = self.now.turns, self.now.values
        self.asked, self.since = self.now.xz[self.columns], 0.0
        self.root, self.jumped = np.zeros(3), False  # x and z in m, yaw in rad

    def ask(self, network: str, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        rows = {name: np.asarray(value, np.float32)[None] for name, value in inputs.items()}
        session = self.networks[network]
        names = [output.name for output in session.get_outputs()]
        return {name: value[0] for name, value in zip(names, session.run(names, rows))}

    def step_frame(self, xz: np.ndarray) -> np.ndarray:
        """Stepper: features and latents a frame later."""
        found = self.ask("stepper", features=xz[: self.D], latents=xz[self.D :])
        return np.concatenate([found["next_features"], found["next_latents"]])

    def follow(self, xz: np.ndarray, entry: int, run: int) -> np.ndarray:
        """Stepper, drawn towards the clip that an entry began `run` frames ago: errors fade instead of adding up."""
        after, before = self.step_frame(xz), entry + (run + 1) // self.stride
        if entry < 0 or before >= self.last[entry]:
            return after
        share = (run + 1) % self.stride / self.stride
        track = self.book[before] * (1 - share) + self.book[before + 1] * share
        return (after + self.correction * (track - after)).astype(np.float32)

    def decode(self, xz: np.ndarray) -> SimpleNamespace:
        """Decompressor: the pose y of features and latents."""
        found = {
            k: v.astype(float) for k, v in self.ask("decompressor", features=xz[: self.D], latents=xz[self.D :]).items()
        }
        turns = np.concatenate([[[1.0, 0, 0, 0]], from_axes(found["rotations"].reshape(-1, 6))])
        values = np.concatenate([found.get("places", []), found["root"]])  # root: velocity x, z in its axes, turn rate
        return SimpleNamespace(xz=xz, turns=turns, values=values, contacts=found.get("contacts", np.zeros(0)))

    def cost(self, x: np.ndarray, query: np.ndarray) -> np.ndarray:
        """The cost of features; latents do not count."""
        return ((x[..., : self.D] - query) ** 2 * self.model["cost_weights"][0]).sum(axis=-1)

    def project(self, query: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """Projector: features and latents, their cost, and their entry of the codebook if it has one."""
        if "projector" in self.networks:
            found = self.ask("projector", query=query)
            xz = np.concatenate([found["features"], found["latents"]])
            return xz, self.cost(xz, query), -1
        costs = self.cost(self.book, query) * self.cost_factors
        found = costs.argmin()  # the nearest entry of the codebook
        return self.book[found], costs[found], int(found)

    def step(self, trajectory: np.ndarray) -> None:
        """Desired trajectory features in the root's axes: Algorithm 1."""
        query = self.now.xz[: self.D].copy()
        query[self.columns] = trajectory  # UpdateFeatures
        change = (self.model["cost_weights"][0, self.columns] * (trajectory - self.asked) ** 2).sum()
        half = self.dt / 2
        ended = self.run >= (self.longest if self.entry < 0 else self.steps_left[self.entry])
        forced = change > self.force_cost and self.since + half >= self.force_time
        self.jumped = False
        if self.since + half >= self.search_time or forced or ended:
            xz, cost, entry = self.project(query)
            if ended or cost < self.cost(self.now.xz, query) - self.stay_bias:  # isTransition
                to = self.decode(xz)
                after = self.decode(self.follow(xz, entry, 0))
                self.transition(to, after)
                self.now, self.next, self.entry, self.run, self.jumped = to, after, entry, 0, True
            self.since, self.asked = 0.0, np.array(trajectory)
        self.since, self.run = self.since + self.dt, self.run + 1
        x, z, turn = self.shown_x[-3:] * self.dt
        sine, cosine = np.sin(self.root[2]), np.cos(self.root[2])
        self.root = self.root + np.array([cosine * x + sine * z, cosine * z - sine * x, turn])
        self.now = self.next  # Stepper, Decompressor
        self.next = self.decode(self.follow(self.now.xz, self.entry, self.run))
        self.update()

    def spin(self, a: SimpleNamespace, b: SimpleNamespace) -> np.ndarray:
        """rad/s from one frame to the next."""
        return to_vector(multiply(b.turns, inverse(a.turns))) / self.dt

    def transition(self, to: SimpleNamespace, after: SimpleNamespace) -> None:
        """InertialiserTransition."""
        now, next_ = self.now, self.next
        self.offset_x = now.values + self.offset_x - to.values  # 3.3, of places and of velocities
        self.offset_v = (next_.values - now.values) / self.dt + self.offset_v - (after.values - to.values) / self.dt
        spin = rotate(self.offset_r, self.spin(now, next_))
        self.offset_r = multiply(multiply(self.offset_r, now.turns), inverse(to.turns))  # 3.4
        # 3.3 with the turns of 3.15, so that no velocity jumps
        self.offset_a = self.offset_a + spin - rotate(self.offset_r, self.spin(to, after))

    def update(self) -> None:
        """InertialiserUpdate."""
        dt, rate = self.dt, np.log(100) / self.decay_time
        e = np.exp(-rate * dt)
        j1 = self.offset_v + rate * self.offset_x  # 3.5
        self.offset_x = e * (self.offset_x + dt * j1)  # 3.6
        self.offset_v = e * (self.offset_v - dt * rate * j1)  # 3.7
        j0 = to_vector(self.offset_r)  # 3.8
        j1 = self.offset_a + rate * j0  # 3.9
        self.offset_r = to_quaternion(e * (j0 + dt * j1))  # 3.10
        self.offset_a = e * (self.offset_a - dt * rate * j1)  # 3.11
        self.shown_x = self.now.values + self.offset_x  # 3.12; 3.13 is implied by the next frame
        self.shown_r = multiply(self.offset_r, self.now.turns)  # 3.14, on the side of 3.4; 3.15 as in transition


def check(folder: str | Path) -> tuple[float, float]:
    """The largest differences from vectors.bin: of networks, and of the motion."""
    frames, poses, stepped, projected, *rest = read_matrices(Path(folder) / "vectors.bin")
    trajectories, rotations, values, contacts, roots, jumps = rest
    character, networks, motion = Character(folder), 0.0, 0.0
    for n, xz in enumerate(frames):
        found = character.ask("decompressor", features=xz[: character.D], latents=xz[character.D :])
        networks = max(networks, np.abs(np.concatenate(list(found.values())) - poses[n]).max())
        networks = max(networks, np.abs(character.step_frame(xz) - stepped[n]).max())
        if len(projected):
            networks = max(networks, np.abs(character.project(xz[: character.D])[0] - projected[n]).max())
    for n, trajectory in enumerate(trajectories):
        character.step(trajectory)
        if character.jumped != bool(jumps[n, 0]):
            sys.exit(f"frame {n}: another decision to jump")
        expected = rotations[n].reshape(-1, 4)
        turns = np.minimum(
            np.abs(character.shown_r - expected).max(axis=1), np.abs(character.shown_r + expected).max(axis=1)
        )
        pairs = [(character.shown_x, values[n]), (character.now.contacts, contacts[n]), (character.root, roots[n])]
        motion = max(motion, turns.max(), *(np.abs(a - b).max(initial=0) for a, b in pairs))
    return networks, motion


if __name__ == "__main__":
    networks, motion = check(sys.argv[1] if len(sys.argv) > 1 else ".")
    print(f"networks {networks:.2e} motion {motion:.2e}")
    sys.exit(0 if networks < 1e-4 and motion < 1e-3 else 1)
