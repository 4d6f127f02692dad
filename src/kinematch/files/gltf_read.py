"""Reads glTF, GLB, VRM and VRMA files: skeleton, rest pose, clips, meshes and humanoid map, facing +Z in our space."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.errors import FileError, KinematchError
from kinematch.files.gltf_animation import DEFAULT_RATE, Keys, read_keys, sample_joints, time_line
from kinematch.files.gltf_container import GENERATOR, Document, open_document
from kinematch.files.gltf_mesh import CharacterMesh, CharacterSkin, read_meshes
from kinematch.files.gltf_nodes import Joints, NodeTree, choose_joints, read_node_tree
from kinematch.files.gltf_schema import Animation
from kinematch.files.gltf_skeleton import RigidPose, brought_over, is_uniform, rigid_pose
from kinematch.files.units_and_axes import axis_name, infer_facing, turn_to_ours, unit_in_metres
from kinematch.files.vrm import Vrm, read_vrm
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip, Origin
from kinematch.motion.kinematics import rest_pose
from kinematch.motion.roles import ROLES, find_roles
from kinematch.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class GltfCharacter:
    """All that a file holds of a character."""

    skeleton: Skeleton
    clips: tuple[Clip, ...]  # one for each animation, or the rest pose as one frame; their sources have the notes
    skins: tuple[CharacterSkin, ...]
    meshes: tuple[CharacterMesh, ...]
    vrm: Vrm | None
    title: str
    notes: tuple[str, ...]  # what could not be kept, in words
    turn: np.ndarray  # (4,) takes the file's space to ours


def read_gltf(
    path: str | Path,
    *,
    unit: float | str | None = None,
    up: str | None = None,
    facing: str | None = None,
    roles: Mapping[str, str] | None = None,
    meshes: bool = True,
    choose: Callable[[list[str]], Collection[str]] | None = None,
) -> GltfCharacter:
    """The model in a file, in metres, Y up, facing +Z; arguments (as for read_clips) override what is found."""
    path = Path(path)
    document = open_document(path)
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return _read_model(document, _Told(unit, up, facing, roles), meshes, choose or list)
    except FloatingPointError:
        raise FileError(path, "its transforms lead to numbers that are too large") from None
    except FileError:
        raise
    except KinematchError as problem:
        raise FileError(path, str(problem)) from None


@dataclass(frozen=True)
class _Told:
    unit: float | str | None
    up: str | None
    facing: str | None
    roles: Mapping[str, str] | None


def _read_model(
    document: Document, told: _Told, meshes: bool, choose: Callable[[list[str]], Collection[str]]
) -> GltfCharacter:
    gltf, path = document.gltf, document.path
    vrm = read_vrm(document)
    tree = read_node_tree(document)
    joints = choose_joints(document, tree, vrm)
    notes = _notes(tree, joints)
    rest = rigid_pose(joints, *sample_joints(tree, joints, {}, np.zeros(1)))
    skeleton = _with_roles(document, _skeleton(tree, joints, rest), joints, vrm, told)
    source, turn = _source(document, skeleton, vrm, told)
    rest = brought_over(rest, turn, source.unit)
    skeleton = _skeleton(tree, joints, rest).with_roles(skeleton.roles)
    clips = []
    alone = len(gltf.animations) == 1
    names = [one.name or (path.stem if alone else f"{path.stem}_{k}") for k, one in enumerate(gltf.animations)]
    chosen = choose(names) if names else []
    for k, animation in enumerate(gltf.animations):
        if names[k] not in chosen:
            continue
        keys = read_keys(document, animation, joints)
        label = repr(animation.name or k)
        if not keys:
            notes.append(f"animation {label} moves no joint and was left out")
            continue
        pose, rate, stretches = _sampled(document, tree, joints, animation, keys)
        if stretches:
            notes.append(f"animation {label} changes scales; its bones change length with them, meshes do not")
        clips.append(_clip(skeleton, brought_over(pose, turn, source.unit), rate, names[k], source))
    if not clips:
        clips.append(_clip(skeleton, rest, DEFAULT_RATE, path.stem, source))
    title = (vrm.title if vrm else "") or _title(document)
    skins: tuple[CharacterSkin, ...] = ()
    found: tuple[CharacterMesh, ...] = ()
    if meshes:
        to_ours = rotation.to_matrix(turn) * source.unit
        skins, found, left_out = read_meshes(document, tree, joints, to_ours, _global_rest(skeleton))
        notes += left_out
    source = replace(source, notes=tuple(notes))
    return GltfCharacter(
        skeleton, tuple(clip.with_(source=source) for clip in clips), skins, found, vrm, title, source.notes, turn
    )


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


def _skeleton(tree: NodeTree, joints: Joints, rest: RigidPose) -> Skeleton:
    stretch = rest.stretch[joints.end_parents]
    return Skeleton(
        names=joints.names,
        parents=np.array(joints.parents),
        offsets=rest.positions[0],
        rotations=rest.rotations[0],
        end_parents=np.array(joints.end_parents, np.int32),
        end_offsets=np.einsum("eij,ej->ei", stretch, tree.translations[joints.end_nodes]).reshape(-1, 3),
        file_order=np.array(joints.file_order),
    )


def _with_roles(document: Document, skeleton: Skeleton, joints: Joints, vrm: Vrm | None, told: _Told) -> Skeleton:
    """Roles by the file's own map, VRM's or our writer's, else found."""
    named = vrm.nodes if vrm else _written_roles(document)
    joint_of = {node: joint for joint, node in enumerate(joints.nodes)}
    file_roles = {role: joint_of[node] for role, node in named.items() if node in joint_of}
    found = dict(find_roles(skeleton, told.roles, file_roles=file_roles or None).roles)
    if file_roles.get("root") == 0:  # the ground root is not a humanoid role, so no search finds it
        found["root"] = 0
    return skeleton.with_roles(found)


def _written_roles(document: Document) -> dict[str, int]:
    """Role -> node, as our writer keeps them in the asset's extras."""
    roles = _extra(document, "roles")
    if not _is_ours(document) or not isinstance(roles, dict):
        return {}
    return {role: node for role, node in roles.items() if type(node) is int and role in (*ROLES, "root")}


def _is_ours(document: Document) -> bool:
    return document.gltf.asset.generator.startswith(GENERATOR)


def _extra(document: Document, key: str) -> Any:
    extras = document.gltf.asset.extras
    return extras.get(key) if isinstance(extras, dict) else None


def _source(document: Document, skeleton: Skeleton, vrm: Vrm | None, told: _Told) -> tuple[Origin, np.ndarray]:
    """How the file is brought to our space, and the turn that takes its up axis to +Y and its facing axis to +Z."""
    path = document.path
    up, up_reason = ("Y", "Y-up by definition") if told.up is None else (axis_name(told.up), "given")
    unit, unit_reason = (1.0, "metres by definition") if told.unit is None else (unit_in_metres(told.unit), "given")
    standing = Clip(skeleton, skeleton.offsets[None], skeleton.rotations[None], DEFAULT_RATE)
    facing, facing_reason = infer_facing(standing, up)
    ahead = facing  # the axis that becomes +Z
    if told.facing is not None:
        facing = ahead = axis_name(told.facing)
        facing_reason = "given"
    elif _is_ours(document):
        ahead = ""  # files of our writer are in our space already, in any rest pose
    elif not facing and vrm is not None:
        facing = ahead = "-Z" if vrm.version == "0" else "Z"
        facing_reason = "VRM 0.x faces -Z by definition" if vrm.version == "0" else "VRM 1.0 faces +Z by definition"
    turn = rotation.from_matrix(turn_to_ours(up, ahead or None))
    kind = path.suffix.lower().removeprefix(".") or "glb"
    return Origin(str(path), kind, unit, unit_reason, up, up_reason, facing, facing_reason), turn


def _sampled(
    document: Document, tree: NodeTree, joints: Joints, animation: Animation, keys: Keys
) -> tuple[RigidPose, float, bool]:
    times, rate = time_line(document, animation, keys, len(joints.nodes))
    translations, rotations, scales = sample_joints(tree, joints, keys, times)
    changing = bool((np.ptp(scales, axis=0) > 1e-3 * np.abs(scales).max(axis=0)).any())  # more than a writer's rounding
    return rigid_pose(joints, translations, rotations, scales), rate, changing


def _clip(skeleton: Skeleton, pose: RigidPose, rate: float, name: str, source: Origin) -> Clip:
    return Clip(skeleton, pose.positions, quaternion.unroll(pose.rotations), rate, name, source=source)


def _global_rest(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    positions, rotations = rest_pose(skeleton)
    return positions.astype(np.float64), rotations.astype(np.float64)


def _title(document: Document) -> str:
    title = _extra(document, "title")
    return title if isinstance(title, str) else document.path.stem
