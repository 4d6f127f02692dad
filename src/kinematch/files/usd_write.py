"""Writes USD: a UsdSkel skeleton with its animation, and the mannequin as a skinned mesh, in metres and Y-up."""

import re
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.draw.theme import LIGHT, linear
from kinematch.errors import FileError
from kinematch.files.gltf_body import BodyMesh, body_mesh
from kinematch.files.joint_names import unique_names
from kinematch.math import quaternion, rotation
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import Skeleton
from kinematch.writing import write_beside

EXTRA_HINT = "writing USD needs an extra: pip install 'kinematch[usd]'"


def write_usd(path: str | Path, clip: Clip) -> None:
    """Write /Character with Skeleton, Animation and Body; a frame is a time code, the first is 0."""
    if find_spec("pxr") is None:
        raise FileError(path, EXTRA_HINT)
    from pxr import Sdf, Usd, UsdGeom, UsdSkel, Vt

    path = Path(path)
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / f"clip{path.suffix.lower()}"
        stage = Usd.Stage.CreateNew(str(part))
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        stage.SetTimeCodesPerSecond(clip.frame_rate)
        stage.SetFramesPerSecond(clip.frame_rate)
        stage.SetStartTimeCode(0)
        stage.SetEndTimeCode(clip.frame_count - 1)
        root = UsdSkel.Root.Define(stage, "/Character")
        stage.SetDefaultPrim(root.GetPrim())
        rig = clip.skeleton
        paths = name_paths(rig)
        body = body_mesh(rig)
        skeleton = UsdSkel.Skeleton.Define(stage, "/Character/Skeleton")
        skeleton.CreateJointsAttr(Vt.TokenArray(paths))
        skeleton.CreateJointNamesAttr(Vt.TokenArray(list(rig.names)))
        skeleton.CreateBindTransformsAttr(_matrices(body.bind_positions, body.bind_rotations))
        skeleton.CreateRestTransformsAttr(_matrices(rig.offsets, rig.rotations))
        animation = UsdSkel.Animation.Define(stage, "/Character/Animation")
        _animate(animation, clip, paths)
        binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
        binding.CreateAnimationSourceRel().SetTargets([Sdf.Path("/Character/Animation")])
        _add_body(stage, body)
        stage.GetRootLayer().Save()
        write_beside(path, part.read_bytes())


def name_paths(rig: Skeleton) -> list[str]:
    """Joints as USD names them, by their way from the root: Hips/Spine/Neck; letters, digits and _ alone."""
    words = [re.sub(r"\W", "_", name, flags=re.ASCII) or "joint" for name in rig.names]
    words = [f"_{word}" if word[0].isdigit() else word for word in words]
    paths: list[str] = []
    for word, parent in zip(unique_names(words), rig.parents.tolist()):
        paths.append(word if parent < 0 else f"{paths[parent]}/{word}")
    return paths


def _animate(animation: Any, clip: Clip, paths: list[str]) -> None:
    from pxr import Usd, Vt

    animation.CreateJointsAttr(Vt.TokenArray(paths))
    translations, rotations = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
    animation.CreateScalesAttr(Vt.Vec3hArray.FromNumpy(np.ones((len(paths), 3), np.float16)))
    turns = quaternion.unroll(quaternion.normalize(clip.rotations.astype(np.float64))).astype(np.float32)
    imaginary_first = np.ascontiguousarray(turns[..., [1, 2, 3, 0]])  # as arrays of GfQuatf lie in memory
    for frame in range(clip.frame_count):
        time = Usd.TimeCode(frame)
        translations.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(clip.positions[frame])), time)
        rotations.Set(Vt.QuatfArray.FromNumpy(imaginary_first[frame]), time)


def _matrices(positions: np.ndarray, rotations: np.ndarray) -> Any:
    """Row-vector matrices, as USD has them."""
    from pxr import Vt

    matrices = np.tile(np.eye(4), (len(positions), 1, 1))
    matrices[:, :3, :3] = rotation.to_matrix(rotations.astype(np.float64)).swapaxes(1, 2)
    matrices[:, 3, :3] = positions
    return Vt.Matrix4dArray.FromNumpy(matrices)


def _add_body(stage: Any, body: BodyMesh) -> None:
    from pxr import Sdf, UsdGeom, UsdSkel, Vt

    mesh = UsdGeom.Mesh.Define(stage, "/Character/Body")
    triangles = np.concatenate([*body.triangles.values(), np.zeros((0, 3), int)]).astype(np.int32)
    tints = [np.tile(linear(getattr(LIGHT, tint)), (len(own), 1)) for tint, own in body.triangles.items()]
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(body.positions.astype(np.float32)))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(triangles), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(np.ascontiguousarray(triangles.reshape(-1))))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateDisplayColorPrimvar(UsdGeom.Tokens.uniform).Set(
        Vt.Vec3fArray.FromNumpy(np.concatenate([*tints, np.zeros((0, 3))]).astype(np.float32))
    )
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([Sdf.Path("/Character/Skeleton")])
    binding.CreateJointIndicesPrimvar(False, 1).Set(Vt.IntArray.FromNumpy(body.joints.astype(np.int32)))
    binding.CreateJointWeightsPrimvar(False, 1).Set(Vt.FloatArray.FromNumpy(np.ones(len(body.joints), np.float32)))
