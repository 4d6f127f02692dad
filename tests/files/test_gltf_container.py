"""Files that are broken, or that reach for what is not theirs, give one clear error each."""

import json
import os
import struct

import pytest

from kinematch.errors import FileError
from kinematch.files.gltf_container import buffer_bytes, open_document
from kinematch.files.gltf_read import read_gltf


def animated(gltf):
    node = gltf.node("joint")
    gltf.animation((node, "translation", [0.0, 1.0], [[0, 0, 0], [1, 2, 3]], "LINEAR"))
    return gltf


def refused(path, *words):
    with pytest.raises(FileError) as caught:
        read_gltf(path)
    assert all(word in str(caught.value) for word in (path.name, *words)), caught.value


def test_every_beginning_of_a_file_is_refused(gltf, tmp_path):
    whole = animated(gltf).bytes()
    path = tmp_path / "part.glb"
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        refused(path)
    path.write_bytes(whole)
    assert read_gltf(path).clips[0].frame_count == 31


def test_bytes_after_the_end_are_passed_over(gltf, tmp_path):
    path = tmp_path / "longer.glb"
    path.write_bytes(animated(gltf).bytes() + b"rubbish")
    assert read_gltf(path).skeleton.names == ("joint",)


@pytest.mark.parametrize(
    ("at", "value", "words"),
    [
        (0, b"GLTF", "expected b'glTF'"),
        (4, struct.pack("<I", 1), "version 1, expected 2"),
        (4, struct.pack("<I", 3), "version 3, expected 2"),
        (8, struct.pack("<I", 2**32 - 1), "cut off"),
        (12, struct.pack("<I", 2**32 - 1), "claims 4294967295 bytes"),
        (16, b"BIN\0", "expected JSON"),
        (20, b"]", "not glTF"),
        (20, b"\xff", "not glTF"),
    ],
)
def test_a_broken_header_is_named(gltf, tmp_path, at, value, words):
    whole = bytearray(animated(gltf).bytes())
    whole[at : at + len(value)] = value
    path = tmp_path / "bad.glb"
    path.write_bytes(whole)
    refused(path, words)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"{}",
        b"[]",
        b"\0" * 100,
        b"\x89PNG\r\n\x1a\n",
        b'{"asset":{"version":"1.0"}}',
        b'{"asset":{"version":2}}',
        b'{"asset":{"version":"2.0"},"nodes":5}',
        b'{"asset":{"version":"2.0"},"nodes":[{"translation":[0,0]}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"translation":[NaN,0,0]}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"translation":[1e999,0,0]}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"translation":[1e300,0,0]}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"matrix":[1,2,3]}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"children":["x"]}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"children":[-1]}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"children":[7]}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"name":"\\ud800"}]}',
        b'{"asset":{"version":"2.0"},"nodes":[' + b"9" * 10000 + b"]}",
        b'{"asset":{"version":"2.0"},"extras":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"asset":{"version":"2.0"},"extras":' + b'{"a":' * 100_000,
        b'{"asset":{"version":"2.0"},"nodes":[]}',
    ],
)
def test_text_that_is_no_gltf_is_refused(tmp_path, text):
    path = tmp_path / "bad.gltf"
    path.write_bytes(text)
    refused(path)


def test_what_is_no_file_is_refused_without_waiting(tmp_path):
    refused(tmp_path / "missing.glb", "no such file")
    refused(tmp_path)
    os.mkfifo(tmp_path / "pipe.glb")
    refused(tmp_path / "pipe.glb")


def external(gltf, folder, uri):
    path = animated(gltf).write(folder / "model.gltf")
    document = json.loads(path.read_text())
    document["buffers"][0]["uri"] = uri
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("uri", ["motion.bin", "./motion.bin", "deep/er/motion.bin", "spaced%20name.bin", "link.bin"])
def test_buffers_in_the_files_folder_are_read(gltf, tmp_path, uri):
    path = external(gltf, tmp_path, uri)
    name = uri.replace("%20", " ")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    target = tmp_path / ("motion.bin" if uri == "link.bin" else name)
    target.write_bytes(gltf.data)
    if uri == "link.bin":
        (tmp_path / uri).symlink_to(target)
    clip = read_gltf(path).clips[0]
    assert clip.positions[-1, 0].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "uri",
    [
        "../motion.bin",
        "inner/../../motion.bin",
        "inner/../motion.bin",
        "%2e%2e/motion.bin",
        "%2E%2E%2Fmotion.bin",
        "..\\motion.bin",
        "C:\\motion.bin",
        "/etc/passwd",
        "//server/share/motion.bin",
        "http://example.org/motion.bin",
        "https:motion.bin",
        "file:///etc/passwd",
        "FILE:/etc/passwd",
        "link/motion.bin",
        "linked.bin",
        "motion.bin%00.png",
    ],
)
def test_buffers_outside_the_files_folder_are_refused(gltf, tmp_path, uri):
    home = tmp_path / "home"
    (home / "inner").mkdir(parents=True)
    path = external(gltf, home, uri)
    (tmp_path / "motion.bin").write_bytes(gltf.data)
    (home / "motion.bin").write_bytes(gltf.data)
    (home / "link").symlink_to(tmp_path)
    (home / "linked.bin").symlink_to(tmp_path / "motion.bin")
    refused(path, "outside the file's folder")


def test_buffers_that_cannot_be_had_are_refused(gltf, tmp_path):
    path = external(gltf, tmp_path, "motion.bin")
    refused(path, "not there")
    (tmp_path / "motion.bin").mkdir()
    refused(path, "not there")
    (tmp_path / "motion.bin").rmdir()
    (tmp_path / "motion.bin").write_bytes(gltf.data[:10])
    refused(path, "10 are there")
    (tmp_path / "motion.bin").unlink()
    os.symlink("motion.bin", tmp_path / "motion.bin")
    refused(path)
    (tmp_path / "motion.bin").unlink()
    os.mkfifo(tmp_path / "motion.bin")
    refused(path, "not there")


@pytest.mark.parametrize("uri", ["data:,abc", "data:application/octet-stream;base64,@@@@", "data:;base64,AAAA"])
def test_a_broken_data_uri_is_refused(gltf, tmp_path, uri):
    refused(external(gltf, tmp_path, uri))


def test_a_buffer_without_data_is_refused(gltf, tmp_path):
    animated(gltf).json["buffers"] = [{"byteLength": 10}]
    path = tmp_path / "no.gltf"
    path.write_text(json.dumps(gltf.json))
    refused(path, "no binary chunk")


def test_extensions_that_must_be_known_are_refused_unless_they_do_not_matter(gltf, tmp_path):
    animated(gltf).json["extensionsRequired"] = ["KHR_texture_basisu", "KHR_mesh_quantization", "VRMC_vrm", "VRM"]
    read_gltf(gltf.write(tmp_path / "fine.glb"))
    gltf.json["extensionsRequired"] += ["ACME_secret_motion"]
    refused(gltf.write(tmp_path / "secret.glb"), "ACME_secret_motion")


def test_a_buffer_is_read_once(gltf, tmp_path):
    document = open_document(animated(gltf).write(tmp_path / "a.glb"))
    assert buffer_bytes(document, 0) is buffer_bytes(document, 0)
    assert bytes(buffer_bytes(document, 0)) == bytes(gltf.data)


@pytest.mark.parametrize(("part", "one", "count"), [("animations", {}, 1_001), ("nodes", {}, 50_001)])
def test_more_parts_than_a_character_has_are_refused(gltf, tmp_path, part, one, count):
    animated(gltf).json[part] = [one] * count
    refused(gltf.write(tmp_path / "many.glb"), part, str(count))


def test_a_version_as_long_as_a_page_is_named_in_short(tmp_path):
    path = tmp_path / "long.gltf"
    path.write_text('{"asset": {"version": "' + "x" * 5000 + '"}}')
    with pytest.raises(FileError, match="glTF version 'xxx") as error:
        open_document(path)
    assert len(str(error.value)) < 300 + len(str(path))
