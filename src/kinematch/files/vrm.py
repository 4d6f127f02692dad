"""What VRM 0.x, VRM 1.0 and VRM animation files say of a humanoid: version, title, and which node plays which role."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError

from kinematch.files.gltf_container import Document
from kinematch.files.gltf_schema import Part
from kinematch.motion.roles import vrm_roles

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Vrm:
    version: str  # "0" for VRM 0.x, "1" for VRM 1.0, "animation" for VRMA
    title: str
    nodes: Mapping[str, int]  # humanoid role -> node of the file
    controls: frozenset[int]  # nodes whose motion stands for expressions and gaze, not for joints


class _Bone(Part):
    node: int
    bone: str = ""


class _Meta(Part):
    title: str | None = None  # VRM 0.x
    name: str | None = None  # VRM 1.0


class _BoneList(Part):
    human_bones: list[_Bone] = Field(default=[], alias="humanBones")


class _BoneMap(Part):
    human_bones: dict[str, _Bone] = Field(default={}, alias="humanBones")


class _Vrm0(Part):
    humanoid: _BoneList = _BoneList()
    meta: _Meta = _Meta()


class _Expressions(Part):
    preset: dict[str, _Bone] = Field(default={})
    custom: dict[str, _Bone] = Field(default={})


class _Vrm1(Part):
    humanoid: _BoneMap = _BoneMap()
    meta: _Meta = _Meta()


class _Animation(Part):
    humanoid: _BoneMap = _BoneMap()
    expressions: _Expressions = _Expressions()
    look_at: _Bone | None = Field(default=None, alias="lookAt")


def read_vrm(document: Document) -> Vrm | None:
    """The humanoid of a document, or None where it carries none."""
    extensions = document.gltf.extensions
    if "VRMC_vrm" in extensions:
        vrm1 = _validated(document, "VRMC_vrm", _Vrm1)
        pairs = [(name, bone.node) for name, bone in vrm1.humanoid.human_bones.items()]
        return _vrm(document, "1", vrm1.meta.name, pairs)
    if "VRMC_vrm_animation" in extensions:
        animation = _validated(document, "VRMC_vrm_animation", _Animation)
        pairs = [(name, bone.node) for name, bone in animation.humanoid.human_bones.items()]
        controls = [*animation.expressions.preset.values(), *animation.expressions.custom.values()]
        controls += [animation.look_at] if animation.look_at else []
        return _vrm(document, "animation", "", pairs, frozenset(control.node for control in controls))
    if "VRM" in extensions:
        vrm0 = _validated(document, "VRM", _Vrm0)
        return _vrm(document, "0", vrm0.meta.title, [(bone.bone, bone.node) for bone in vrm0.humanoid.human_bones])
    return None


def _vrm(
    document: Document,
    version: str,
    title: str | None,
    pairs: list[tuple[str, int]],
    controls: frozenset[int] = frozenset(),
) -> Vrm:
    bones = {bone: node for bone, node in pairs if node != -1}  # how some writers of VRM 0.x leave a bone out
    for bone, node in bones.items():
        document.check_index(node, len(document.gltf.nodes), f"the VRM humanoid's bone {bone!r}: node")
    return Vrm(version, title or "", vrm_roles(bones), controls)


def _validated(document: Document, name: str, model: type[Model]) -> Model:
    try:
        return model.model_validate(document.gltf.extensions[name])
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise document.error(f"extensions.{name}.{where}: {first['msg']}") from None
