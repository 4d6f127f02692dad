"""Reads glTF, GLB, VRM and VRMA files: skeleton, rest pose, clips, meshes and humanoid map, facing +Z in our space."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinematch.errors import FileError, KinematchError
from kinematch.files.border import axis_vector, infer_facing
from kinematch.files.gltf_animation import DEFAULT_RATE, Keys, read_keys, sample_joints, time_line
from kinematch.files.gltf_container import Document, open_document
from kinematch.files.gltf_mesh import Mesh, Skin, read_meshes
from kinematch.files.gltf_nodes import Joints, NodeTree, choose_joints, read_node_tree
from kinematch.files.gltf_schema import Animation
from kinematch.files.gltf_skeleton import RigidPose, is_uniform, rigid_pose, turned
from kinematch.files.vrm import Vrm, read_vrm
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip, Source
from kinematch.motion.kinematics import rest_pose
from kinematch.motion.roles import find_roles
from kinematch.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Model:
    """All that a file holds of a character."""

    skeleton: Skeleton
    clips: tuple[Clip, ...]  # one for each animation, or the rest pose alone
    skins: tuple[Skin, ...]
    meshes: tuple[Mesh, ...]
    vrm: Vrm | None
    title: str
    notes: tuple[str, ...]  # what could not be kept, in words


def read_gltf(path: str | Path, *, meshes: bool = True, facing: str | None = None) -> Model:
    """The model in a file; `facing` names the file's axis that the character faces, where geometry cannot tell."""
    path = Path(path)
    document = open_document(path)
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return _read_model(document, meshes, facing)
    except FloatingPointError:
        raise FileError(path, "its transforms lead to numbers that are too large") from None
    except FileError:
        raise
    except KinematchError as problem:
        raise FileError(path, str(problem)) from None


def read_gltf_clips(path: str | Path, *, facing: str | None = None) -> list[Clip]:
    """The clips of a file; a file without animation gives its rest pose as one frame."""
    return list(read_gltf(path, meshes=False, facing=facing).clips)


def _read_model(document: Document, meshes: bool, facing: str | None) -> Model:
    gltf, path = document.gltf, document.path
    vrm = read_vrm(document)
    tree = read_node_tree(document)
    joints = choose_joints(document, tree, vrm)
    notes = _notes(tree, joints)
    rest = rigid_pose(joints, *sample_joints(tree, joints, {}, np.zeros(1)))
    joint_of = {node: joint for joint, node in enumerate(joints.nodes)}
    file_roles = {role: joint_of[node] for role, node in vrm.nodes.items()} if vrm else None
    skeleton = _skeleton(tree, joints, rest, file_roles)
    source, turn = _source(path, skeleton, vrm, facing)
    rest = turned(rest, turn)
    skeleton = _skeleton(tree, joints, rest, file_roles)
    clips = []
    for k, animation in enumerate(gltf.animations):
        keys = read_keys(document, animation)
        if not keys:
            notes.append(f"animation {animation.name or k!r} moves no node and was left out")
            continue
        pose, rate, uneven = _sampled(document, tree, joints, animation, keys)
        if uneven:
            notes.append(
                f"animation {animation.name or k!r} stretches joints; its bones change length, meshes may not fit"
            )
        name = animation.name or (path.stem if len(gltf.animations) == 1 else f"{path.stem}_{k}")
        clips.append(_clip(skeleton, turned(pose, turn), rate, name, source))
    if not clips:
        clips.append(_clip(skeleton, rest, DEFAULT_RATE, path.stem, source))
    skins, found, left_out = (
        read_meshes(document, tree, joints, turn, _global_rest(skeleton)) if meshes else ((), (), ())
    )
    title = (vrm.title if vrm else "") or _title(document)
    return Model(skeleton, tuple(clips), skins, found, vrm, title, (*notes, *left_out))


def _notes(tree: NodeTree, joints: Joints) -> list[str]:
    used = [node for node in (*joints.above, *joints.nodes) if node >= 0]
    name_of = dict(zip(joints.nodes, joints.names))
    notes = []
    if joints.left_out:
        notes.append(f"{joints.left_out} animated nodes have nothing to do with the skeleton and were left out")
    uneven = [node for node in used if not is_uniform(tree.scales[node])]
    if uneven:
        first = name_of.get(uneven[0], f"node {uneven[0]}")
        notes.append(
            f"{len(uneven)} nodes have a scale that differs by axis ({first!r} first); rotations are approximate"
        )
    sheared = [node for node in used if node in tree.sheared]
    if sheared:
        notes.append(f"{len(sheared)} nodes have a matrix with shear, which was dropped")
    return notes


def _skeleton(tree: NodeTree, joints: Joints, rest: RigidPose, file_roles: dict[str, int] | None) -> Skeleton:
    stretch = rest.stretch[joints.end_parents]
    skeleton = Skeleton(
        names=joints.names,
        parents=np.array(joints.parents),
        offsets=rest.positions[0],
        rotations=rest.rotations[0],
        end_parents=np.array(joints.end_parents, np.int32),
        end_offsets=np.einsum("eij,ej->ei", stretch, tree.translations[joints.end_nodes]).reshape(-1, 3),
        file_order=np.array(joints.file_order),
        roles=file_roles or {},
    )
    return skeleton if file_roles else skeleton.with_roles(find_roles(skeleton).roles)


def _source(path: Path, skeleton: Skeleton, vrm: Vrm | None, facing: str | None) -> tuple[Source, np.ndarray]:
    """Where the clip came from, and the turn about +Y after which the character faces +Z."""
    standing = Clip(skeleton, skeleton.offsets[None], skeleton.rotations[None], DEFAULT_RATE)
    if facing is not None:
        axis, reason = facing, "as told"
    else:
        axis, reason = infer_facing(standing, "Y")
        if not axis and vrm is not None:
            axis, reason = ("-Z", "VRM 0.x by definition") if vrm.version == "0" else ("Z", "VRM 1.0 by definition")
    x, _, z = axis_vector(axis) if axis else (0, 0, 1)
    turn = rotation.from_axis_angle([0.0, 1.0, 0.0], -np.arctan2(x, z))
    suffix = path.suffix.lower().removeprefix(".")
    source = Source(path=str(path), format=suffix or "glb", facing=axis, facing_reason=reason)
    return source, turn


def _sampled(
    document: Document, tree: NodeTree, joints: Joints, animation: Animation, keys: Keys
) -> tuple[RigidPose, float, bool]:
    times, rate = time_line(document, animation, keys, len(joints.nodes))
    translations, rotations, scales = sample_joints(tree, joints, keys, times)
    changing = bool((np.ptp(scales, axis=0) > 1e-3 * np.abs(scales).max(axis=0)).any())  # more than a writer's rounding
    return rigid_pose(joints, translations, rotations, scales), rate, changing


def _clip(skeleton: Skeleton, pose: RigidPose, rate: float, name: str, source: Source) -> Clip:
    return Clip(skeleton, pose.positions, quaternion.unroll(pose.rotations), rate, name, source=source)


def _global_rest(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    positions, rotations = rest_pose(skeleton)
    return positions.astype(np.float64), rotations.astype(np.float64)


def _title(document: Document) -> str:
    extras = document.gltf.asset.extras
    title = extras.get("title") if isinstance(extras, dict) else None
    return title if isinstance(title, str) else document.path.stem
