"""Reads FBX files: a child process with a deadline does the parsing, here its nodes become joints and clips."""

import io
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.errors import FileError, KinematchError, visible
from kinematch.files.gltf_nodes import MAX_JOINTS, Joints
from kinematch.files.gltf_skeleton import RigidPose, rigid_pose
from kinematch.files.joint_names import unique_names
from kinematch.math import quaternion
from kinematch.motion.clip import Clip, Origin
from kinematch.motion.skeleton import Skeleton

DEADLINE_SECONDS = 180.0  # s
MAX_FILE_BYTES = 1 << 30  # bytes
UP_AXES = {"POSITIVE_X": "X", "POSITIVE_Z": "Z", "NEGATIVE_X": "-X", "NEGATIVE_Y": "-Y", "NEGATIVE_Z": "-Z"}
EXTRA_HINT = "reading FBX needs an extra: pip install 'kinematch[fbx]'; or convert it to GLB or BVH in Blender first"


def check_fbx(path: str | Path) -> None:
    """Say what to install where the reader is missing."""
    if find_spec("ufbx") is None:
        raise FileError(path, f"is an FBX file, and {EXTRA_HINT}", kind="foreign")


def read_fbx(path: str | Path) -> list[Clip]:
    """Every animation of a file, in metres and Y-up by what the file says of itself, or its rest pose as one frame.

    Joints are the bones, and nodes between them; where there are no bones, all nodes. The rest pose is that of the
    nodes' own values, which need not be the pose that a mesh was bound in.
    """
    check_fbx(path)
    size = Path(path).stat().st_size
    if size > MAX_FILE_BYTES:
        raise FileError(path, f"is {size / 1e9:.1f} GB long, expected at most {MAX_FILE_BYTES / 1e9:.1f} GB")
    about, arrays = _run_child(path)
    try:
        return _make_clips(path, about, arrays)
    except (KeyError, ValueError, IndexError, TypeError, KinematchError) as error:
        raise FileError(path, f"cannot be read as a skeleton: {error}") from None


def _run_child(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    child = Path(__file__).with_name("fbx_child.py")
    try:
        # -P: nothing is imported from the script's folder
        done = subprocess.run(
            [sys.executable, "-P", str(child), str(Path(path).resolve())],
            capture_output=True, timeout=DEADLINE_SECONDS, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise FileError(path, f"took longer than {DEADLINE_SECONDS:g} s to read") from None
    if done.returncode:
        said = visible(done.stderr.decode("utf-8", "replace"))[-300:]
        why = said if done.returncode == 3 else f"the reader crashed (status {done.returncode})"
        raise FileError(path, f"cannot be read as FBX: {why}", kind="damaged")
    try:
        with np.load(io.BytesIO(done.stdout), allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
        return json.loads(arrays.pop("about").tobytes()), arrays
    except Exception as error:  # what the child wrote is as little trusted as the file
        raise FileError(path, f"cannot be read as FBX: {type(error).__name__}") from None


def _make_clips(path: str | Path, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[Clip]:
    joints = _choose_joints(about)
    rest = _bake(joints, arrays["rest"])
    skeleton = Skeleton(
        names=joints.names,
        parents=np.array(joints.parents),
        offsets=rest.positions[0],
        rotations=rest.rotations[0],
        end_parents=np.zeros(0, np.int32),
        end_offsets=np.zeros((0, 3)),
        file_order=np.array(joints.file_order),
    )
    stem, rate = Path(path).stem, float(about["rate"])
    up = UP_AXES.get(about["up"], "Y")
    source = Origin(str(path), "fbx", float(about["unit"]), "as the file says", up, "as the file says")
    clips = []
    for number, name in enumerate(about["stacks"]):
        pose = _bake(joints, arrays[f"stack{number}"])
        label = str(name).rpartition("|")[2] or stem
        turns = quaternion.unroll(pose.rotations)
        clips.append(Clip(skeleton, pose.positions, turns, rate, label, source=source))
    still = Clip(skeleton, rest.positions, rest.rotations, rate, stem, source=source)
    return clips or [still]


def _bake(joints: Joints, values: np.ndarray) -> RigidPose:
    """Transforms (F, N, 10) of all nodes as rigid joints."""
    if not np.isfinite(values).all():
        raise ValueError("its transforms are not finite")
    own = values[:, [*joints.above, *joints.nodes]]
    return rigid_pose(joints, own[..., :3], quaternion.normalize(own[..., 3:7]), own[..., 7:])


def _choose_joints(about: dict[str, Any]) -> Joints:
    """The bones, what lies between them, and the nodes above the first, which go into that one."""
    parents, bones = [int(parent) for parent in about["parents"]], list(about["bones"])
    chosen = [k for k, bone in enumerate(bones) if bone] or list(range(1, len(parents)))
    if not chosen:
        raise ValueError("it holds no nodes")
    paths = [_climb(parents, node) for node in chosen]
    shared = set.intersection(*map(set, paths))
    first = max(shared, key=lambda node: len(_climb(parents, node)))  # the lowest node above all of them
    below = {node for path in paths for node in path if first in _climb(parents, node)}
    nodes = sorted(below, key=lambda node: (len(_climb(parents, node)), node))  # parents first
    if len(nodes) > MAX_JOINTS:
        raise ValueError(f"{len(nodes)} joints, expected at most {MAX_JOINTS}")
    return Joints(
        nodes=nodes,
        parents=[-1, *(nodes.index(parents[node]) for node in nodes[1:])],
        names=unique_names([str(about["names"][node]) or f"node {node}" for node in nodes]),
        file_order=np.argsort(nodes).tolist(),
        above=_climb(parents, first)[1:][::-1],
        end_nodes=[],
        end_parents=[],
        left_out=0,
    )


def _climb(parents: list[int], node: int) -> list[int]:
    """A node and all above it, the outermost last; a circle is refused."""
    path = [node]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
        if len(path) > len(parents):
            raise ValueError("its nodes are children of each other in a circle")
    return path
