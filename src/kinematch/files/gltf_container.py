"""Opens .glb, .gltf, .vrm and .vrma files: the JSON and the bytes of its buffers, nothing outside the file's folder."""

import base64
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from pydantic import ValidationError

from kinematch.errors import FileError
from kinematch.files.gltf_schema import Gltf
from kinematch.files.reading import BYTE_ORDER_MARK, opened
from kinematch.files.safe_paths import find_inside

MAGIC = b"glTF"
GENERATOR = "Kinematch"  # in the asset of files that our writer made
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942

# extensions that change nothing we read, or that are refused only where their data is needed
_HARMLESS = re.compile(
    r"KHR_(materials|texture|lights|xmp|mesh_quantization|draco_mesh_compression|animation_pointer|node_visibility)"
    r"|EXT_(texture|meshopt_compression|mesh_gpu_instancing|mesh_features|lights|structural_metadata)|MSFT_|VRMC?($|_)"
)


@dataclass(eq=False)
class Document:
    """An opened file. Buffers and decoded accessors are kept, so that each is read once."""

    path: Path
    gltf: Gltf
    binary: memoryview | None  # the GLB's own chunk
    size: int  # bytes of the file
    buffers: dict[int, memoryview] = field(default_factory=dict)
    decoded: dict[int, np.ndarray] = field(default_factory=dict)
    decoded_bytes: int = 0
    sampled_cells: int = 0  # frames x joints of the animations sampled so far

    @property
    def content_bytes(self) -> int:
        """What the file and its buffers truly hold, the measure of what they may claim."""
        return self.size + sum(map(len, self.buffers.values()))

    def error(self, message: str) -> FileError:
        return FileError(self.path, message)

    def check_index(self, index: int, count: int, what: str) -> int:
        """The index, refused when nothing stands there."""
        if not 0 <= index < count:
            raise self.error(f"{what} {index} does not exist; there are {count}")
        return index


def open_document(path: str | Path) -> Document:
    """Read the file's structure; external buffers are opened on first use."""
    path = Path(path)
    with opened(path) as (file, _):
        start = file.read(64)
        binary_file = start.startswith(MAGIC)
        if not binary_file and not start.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"{"):
            raise FileError(path, f"not glTF: it starts with {start[:4]!r}, expected {MAGIC!r} or JSON")
        contents = start + file.read()
    text, binary = split_binary(path, contents) if binary_file else (memoryview(contents), None)
    return Document(path, _parse(path, bytes(text)), binary, len(contents))


def split_binary(path: Path, contents: bytes) -> tuple[memoryview, memoryview | None]:
    """The JSON and binary chunks of a GLB."""
    if len(contents) < 20:
        raise FileError(path, f"cut off: {len(contents)} bytes, a GLB has at least 20")
    version, length = struct.unpack_from("<II", contents, 4)
    if version != 2:
        raise FileError(path, f"glTF version {version}, expected 2")
    if length > len(contents):
        raise FileError(path, f"cut off: {len(contents)} bytes of {length}")
    chunks: dict[int, memoryview] = {}
    position = 12
    while position + 8 <= length:
        size, kind = struct.unpack_from("<II", contents, position)
        position += 8
        if position + size > length:
            raise FileError(path, f"a chunk at byte {position - 8} claims {size} bytes, {length - position} are left")
        if not chunks and kind != JSON_CHUNK:
            raise FileError(path, f"the first chunk is of type {kind:#010x}, expected JSON")
        chunks.setdefault(kind, memoryview(contents)[position : position + size])
        position += size
    if JSON_CHUNK not in chunks:
        raise FileError(path, "no JSON chunk")
    return chunks[JSON_CHUNK], chunks.get(BINARY_CHUNK)


def _parse(path: Path, text: bytes) -> Gltf:
    text = text.removeprefix(BYTE_ORDER_MARK).rstrip(b"\x00 ")  # some writers pad with zeros
    try:
        gltf = Gltf.model_validate_json(text)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise FileError(path, f"{where + ': ' if where else 'not glTF: '}{first['msg']}") from None
    if gltf.asset.version.split(".")[0] != "2":
        raise FileError(path, f"glTF version {gltf.asset.version[:80]!r}, expected 2.0")
    for extension in gltf.extensions_required:
        if not _HARMLESS.match(extension):
            raise FileError(path, f"it requires the extension {extension!r}, which is not supported; export without it")
    return gltf


def buffer_bytes(document: Document, index: int) -> memoryview:
    """The bytes of a buffer: the GLB's chunk, a data URI, or a file in the same folder."""
    if index not in document.buffers:
        buffer = document.gltf.buffers[document.check_index(index, len(document.gltf.buffers), "buffer")]
        if buffer.uri is None:
            found = document.binary if index == 0 else None
            if found is None:
                raise document.error(f"buffer {index} has no data: no URI, and no binary chunk holds it")
        elif buffer.uri.startswith("data:"):
            found = _data_uri(document, buffer.uri)
        else:
            found = _file_beside(document, buffer.uri, buffer.byte_length)
        if len(found) < buffer.byte_length:
            raise document.error(f"buffer {index} claims {buffer.byte_length} bytes, {len(found)} are there")
        document.buffers[index] = found[: buffer.byte_length]
    return document.buffers[index]


def _data_uri(document: Document, uri: str) -> memoryview:
    header, _, payload = uri.partition(",")
    if not header.endswith(";base64"):
        raise document.error(f"a data URI is not base64: {uri[:40]!r}")
    try:
        return memoryview(base64.b64decode(unquote(payload), validate=True))
    except ValueError as problem:
        raise document.error(f"a data URI is not valid base64: {problem}") from None


def _file_beside(document: Document, uri: str, size: int) -> memoryview:
    """A buffer's file; paths that leave the document's folder are refused."""
    name = unquote(uri)
    refusal = document.error(f"buffer file {uri[:200]!r} is refused: it lies outside the file's folder")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name) or name.startswith("/") or "\\" in name or "\0" in name:
        raise refusal
    if ".." in name.split("/"):
        raise refusal
    try:
        target = find_inside(document.path.parent, name)  # follows links, so that these cannot lead out either
        if target is None:
            raise refusal
        if not target.is_file():
            raise document.error(f"buffer file {uri[:200]!r} is not there")
        with target.open("rb") as file:
            return memoryview(file.read(min(size, target.stat().st_size)))
    except (OSError, ValueError, RuntimeError) as problem:  # RuntimeError: links in a circle
        raise document.error(f"buffer file {uri[:200]!r} cannot be read: {problem}") from None
