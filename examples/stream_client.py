"""A client of Kinematch's pose stream in one page: copy it into your program. docs/stream.md describes the protocol.

pip install websockets numpy
kinematch stream                                # or kinematch play, and port 8123
python examples/stream_client.py ws://127.0.0.1:8124/stream [FRAMES]
"""

import json
import struct
import sys

import numpy as np
from websockets.sync.client import connect

PROTOCOL = 2
HEADER = struct.Struct("<4sId6IIf")  # magic, step, time, six counts, sequence, milliseconds; padded to 64 bytes
COUNTS = ("characters", "second", "joints", "positioned", "horizons", "tracked")
ARRAYS = (  # in the order of the frame; every value has four bytes
    ("frames", "<i4", ("characters",)),
    ("fractions", "<f4", ("characters",)),
    ("bits", "<u4", ("characters",)),
    ("costs", "<f4", ("characters",)),
    ("roots", "<f4", ("characters", 4)),  # x y z and yaw
    ("bodies", "<f4", ("characters", 8)),
    ("positions", "<f4", ("characters", "positioned", 3)),  # in the parent's space
    ("rotations", "<f4", ("characters", "joints", 4)),  # in the parent's space, x y z w
)  # the two trajectories follow


def read_frame(data: bytes) -> dict | None:
    """A pose frame; None for binary messages of other kinds."""
    if data[:4] != b"KMP1":
        return None
    _, step, time, *rest = HEADER.unpack_from(data)
    frame = {"step": step, "time": time, **dict(zip(COUNTS, rest))}
    place = 64
    for name, kind, shape in ARRAYS:
        extents = [frame[extent] if isinstance(extent, str) else extent for extent in shape]
        count = int(np.prod(extents))
        frame[name] = np.frombuffer(data, kind, count, place).reshape(extents)
        place += 4 * count
    return frame


def read_robots(data: bytes) -> dict | None:
    """Joint angles of robots, which `kinematch stream --robot g1.xml` sends too; None for messages of other kinds."""
    if data[:4] != b"KMR1":
        return None
    _, step, time, robots, hinges = struct.unpack_from("<4sIdII", data)
    return {
        "step": step,
        "time": time,
        "bases": np.frombuffer(data, "<f4", 7 * robots, 64).reshape(robots, 7),  # x y z, x y z w; Z up, X forward
        "angles": np.frombuffer(data, "<f4", robots * hinges, 64 + 28 * robots).reshape(robots, hinges),  # rad
    }


def local_positions(skeleton: dict, frame: dict, character: int = 0) -> np.ndarray:
    """Positions (J, 3) in the parent's space: most joints keep their offset, the root and a few others move."""
    positions = np.array(skeleton["offsets"], np.float32)
    positions[skeleton["positioned"]] = frame["positions"][character]
    positions[0] = frame["roots"][character, :3]
    return positions


def global_positions(skeleton: dict, frame: dict, character: int = 0) -> np.ndarray:
    """Positions (J, 3) of all joints in the world, in metres."""
    places, turns = local_positions(skeleton, frame, character), frame["rotations"][character].copy()
    for joint, parent in enumerate(skeleton["parents"]):
        if parent >= 0:
            places[joint] = places[parent] + rotate(turns[parent], places[joint])
            turns[joint] = multiply(turns[parent], turns[joint])
    return places


def multiply(a, b):
    (x, y, z, w), (i, j, k, r) = a, b
    return (
        w * i + x * r + y * k - z * j,
        w * j - x * k + y * r + z * i,
        w * k + x * j - y * i + z * r,
        w * r - x * i - y * j - z * k,
    )


def rotate(q, v):
    axis = np.asarray(q[:3])
    t = 2 * np.cross(axis, v)
    return v + q[3] * t + np.cross(axis, t)


def main(address: str, count: int) -> None:
    with connect(address, max_size=8 << 20, compression=None) as connection:
        skeleton, robot, seen = None, None, 0
        for message in connection:
            if isinstance(message, str):
                told = json.loads(message)
                if told["type"] == "welcome":  # comes again when another character is shown
                    if told["protocol"] != PROTOCOL:
                        raise SystemExit(f"the stream speaks protocol {told['protocol']}, this client {PROTOCOL}")
                    skeleton = (told.get("character") or told)["skeleton"]
                    robot = told.get("robot")
                    print(f"{told['database']}: {len(skeleton['names'])} joints, {told['step_rate']:g} frames a second")
                    if robot:
                        print(f"{robot['name']}: angles of {len(robot['hinges'])} hinges besides")
                continue
            angles = read_robots(message)
            if angles is not None and robot and (seen - 1) % 30 == 0:  # of the pose frame before
                base, hinges = angles["bases"][0], zip(robot["hinges"], angles["angles"][0])
                knees = ", ".join(f"{name} {angle:5.2f}" for name, angle in hinges if "knee" in name)
                print(f"{angles['time']:7.2f} s  base at height {base[2]:.2f} m, {knees} rad")
            frame = read_frame(message)
            if frame is None or skeleton is None:
                continue
            if seen % 30 == 0:
                head = global_positions(skeleton, frame)[skeleton["roles"]["head"]]
                print(f"{frame['time']:7.2f} s  head at x {head[0]:6.2f}  y {head[1]:5.2f}  z {head[2]:6.2f} m")
            seen += 1
            if seen == count:
                return


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8124/stream", int((sys.argv[2:] or ["0"])[0]))
