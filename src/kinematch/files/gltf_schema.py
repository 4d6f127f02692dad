"""The parts of a glTF 2.0 document that matter here, as typed models; all else in the JSON is passed over."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Index = Annotated[int, Field(ge=0, lt=2**31)]
Size = Annotated[int, Field(ge=0, lt=2**40)]
Vector3 = tuple[float, float, float]
Vector4 = tuple[float, float, float, float]
Extensions = dict[str, Any]

# more than any character's file holds, and as much as is read in a few seconds: refused before any work
MAX_NODES, MAX_ANIMATIONS, MAX_CHANNELS, MAX_PARTS = 50_000, 1_000, 50_000, 500_000


class Part(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, frozen=True, populate_by_name=True)


class Asset(Part):
    version: str
    generator: str = ""
    extras: Any = None


class Buffer(Part):
    byte_length: Size = Field(alias="byteLength")
    uri: str | None = None


class BufferView(Part):
    buffer: Index
    byte_length: Size = Field(alias="byteLength")
    byte_offset: Size = Field(0, alias="byteOffset")
    byte_stride: Size | None = Field(None, alias="byteStride")
    extensions: Extensions = {}


class SparseIndices(Part):
    buffer_view: Index = Field(alias="bufferView")
    byte_offset: Size = Field(0, alias="byteOffset")
    component_type: int = Field(alias="componentType")


class SparseValues(Part):
    buffer_view: Index = Field(alias="bufferView")
    byte_offset: Size = Field(0, alias="byteOffset")


class Sparse(Part):
    count: Size
    indices: SparseIndices
    values: SparseValues


class Accessor(Part):
    component_type: int = Field(alias="componentType")
    count: Size
    type: Literal["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"]
    buffer_view: Index | None = Field(None, alias="bufferView")
    byte_offset: Size = Field(0, alias="byteOffset")
    normalized: bool = False
    sparse: Sparse | None = None


class Node(Part):
    name: str | None = None
    children: list[Index] = []
    matrix: Annotated[list[float], Field(min_length=16, max_length=16)] | None = None
    translation: Vector3 = (0.0, 0.0, 0.0)
    rotation: Vector4 = (0.0, 0.0, 0.0, 1.0)  # x y z w
    scale: Vector3 = (1.0, 1.0, 1.0)
    mesh: Index | None = None
    skin: Index | None = None
    camera: Index | None = None
    extensions: Extensions = {}
    extras: Any = None


class Primitive(Part):
    attributes: dict[str, Index]
    indices: Index | None = None
    mode: int = 4  # triangles
    extensions: Extensions = {}


class Mesh(Part):
    name: str | None = None
    primitives: list[Primitive] = []


class Skin(Part):
    joints: list[Index]
    inverse_bind_matrices: Index | None = Field(None, alias="inverseBindMatrices")


class Target(Part):
    node: Index | None = None
    path: str


class Channel(Part):
    sampler: Index
    target: Target


class Sampler(Part):
    input: Index
    output: Index
    interpolation: Literal["LINEAR", "STEP", "CUBICSPLINE"] = "LINEAR"


class Animation(Part):
    name: str | None = None
    channels: list[Channel] = Field([], max_length=MAX_CHANNELS)
    samplers: list[Sampler] = Field([], max_length=MAX_CHANNELS)
    extras: Any = None


class Scene(Part):
    name: str | None = None
    nodes: list[Index] = []


class Gltf(Part):
    asset: Asset
    extensions_required: list[str] = Field([], alias="extensionsRequired")
    extensions: Extensions = {}
    buffers: list[Buffer] = Field([], max_length=MAX_PARTS)
    buffer_views: list[BufferView] = Field([], alias="bufferViews", max_length=MAX_PARTS)
    accessors: list[Accessor] = Field([], max_length=MAX_PARTS)
    nodes: list[Node] = Field([], max_length=MAX_NODES)
    meshes: list[Mesh] = Field([], max_length=MAX_NODES)
    skins: list[Skin] = Field([], max_length=MAX_NODES)
    animations: list[Animation] = Field([], max_length=MAX_ANIMATIONS)
    scenes: list[Scene] = Field([], max_length=MAX_NODES)
    scene: Index | None = None
