"""FBX: a text file written here comes back joint by joint; nonsense and a missing package are told in a line."""

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.errors import FileError
from kinematch.files import fbx_read, read_clip, read_clips
from kinematch.math import rotation
from kinematch.motion.kinematics import global_pose
from kinematch.synth import walk_along

SECOND = 46186158000  # FBX's units of time


def write_fbx(path, clip, *, unit_cm=1.0, up=1, tells_range=True):
    """A text FBX of a clip's bones, Euler XYZ in degrees, with an armature above them; up: 1 for Y, 2 for Z."""
    rig, size = clip.skeleton, 100.0 / unit_cm
    degrees = np.degrees(rotation.to_euler(clip.rotations.astype(np.float64), "ZYX"))[..., ::-1]  # FBX's XYZ order
    armature = "90,0,0" if up == 2 else "0,0,0"  # it raises the skeleton in the file's axes
    objects, links = [], ['C: "OO",1,0']
    objects.append(_model(1, "Armature", "Null", (0, 0, 0), armature))
    for j, name in enumerate(rig.names):
        place, angles = clip.positions[0, j] * size, degrees[0, j]
        objects.append(_model(100 + j, name, "LimbNode", place, ",".join(f"{a:.9f}" for a in angles)))
        objects.append(f'NodeAttribute: {10000 + j}, "NodeAttribute::{name}", "LimbNode" {{ TypeFlags: "Skeleton" }}')
        above = 1 if rig.parents[j] < 0 else 100 + rig.parents[j]
        links += [f'C: "OO",{100 + j},{above}', f'C: "OO",{10000 + j},{100 + j}']
    objects += ['AnimationStack: 2, "AnimStack::Take 001", "" { Properties70: {',
                'P: "LocalStart", "KTime", "Time", "",0',
                f'P: "LocalStop", "KTime", "Time", "",{round(clip.duration * SECOND)}\n}} }}' if tells_range else "} }",
                'AnimationLayer: 3, "AnimLayer::Base", "" { }']  # fmt: skip
    links.append('C: "OO",3,2')
    times = ",".join(str(round(n * SECOND / clip.frame_rate)) for n in range(clip.frame_count))
    count, number = clip.frame_count, 1000
    for j in range(rig.joint_count):
        curves = [("R", "Lcl Rotation", degrees[:, j])]
        if j == 0:
            curves.append(("T", "Lcl Translation", clip.positions[:, j] * size))
        for letter, prop, values in curves:
            node = number = number + 1
            objects.append(f'AnimationCurveNode: {node}, "AnimCurveNode::{letter}", "" {{ }}')
            links += [f'C: "OO",{node},3', f'C: "OP",{node},{100 + j}, "{prop}"']
            for axis, column in zip("XYZ", values.T):
                number += 1
                keys = ",".join(f"{value:.9f}" for value in column)
                objects.append(
                    f'AnimationCurve: {number}, "AnimCurve::", "" {{ Default: 0\nKeyVer: 4008\n'
                    f"KeyTime: *{count} {{ a: {times} }}\nKeyValueFloat: *{count} {{ a: {keys} }}\n"
                    f"KeyAttrFlags: *1 {{ a: 4 }}\nKeyAttrDataFloat: *4 {{ a: 0,0,0,0 }}\n"
                    f"KeyAttrRefCount: *1 {{ a: {count} }} }}"
                )
                links.append(f'C: "OP",{number},{node}, "d|{axis}"')
    front = 2 if up == 1 else 1
    sign = 1 if up == 1 else -1
    path.write_text(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  { FBXVersion: 7400 }\n"
        "GlobalSettings: { Version: 1000\nProperties70: {\n"
        f'P: "UpAxis", "int", "Integer", "",{up}\nP: "UpAxisSign", "int", "Integer", "",1\n'
        f'P: "FrontAxis", "int", "Integer", "",{front}\nP: "FrontAxisSign", "int", "Integer", "",{sign}\n'
        'P: "CoordAxis", "int", "Integer", "",0\nP: "CoordAxisSign", "int", "Integer", "",1\n'
        f'P: "UnitScaleFactor", "double", "Number", "",{unit_cm}\nP: "TimeMode", "enum", "", "",14\n'
        f'P: "CustomFrameRate", "double", "Number", "",{clip.frame_rate}\n}} }}\n'
        "Objects: {\n" + "\n".join(objects) + "\n}\nConnections: {\n" + "\n".join(links) + "\n}\n"
    )


def _model(number, name, kind, place, angles):
    x, y, z = place
    return (
        f'Model: {number}, "Model::{name}", "{kind}" {{ Version: 232\nProperties70: {{\n'
        f'P: "Lcl Translation", "Lcl Translation", "", "A",{x:.9f},{y:.9f},{z:.9f}\n'
        f'P: "Lcl Rotation", "Lcl Rotation", "", "A",{angles}\n}} }}'
    )


@pytest.fixture(scope="module")
def walk():
    return walk_along([(0, 0), (1, 2)]).frames(0, 40)


@pytest.mark.parametrize(("unit_cm", "up"), [(1.0, 1), (100.0, 1), (2.54, 2)], ids=["cm", "m", "inches, Z-up"])
def test_a_clip_comes_back_in_metres_and_y_up(walk, unit_cm, up, tmp_path, need_extra):
    need_extra("ufbx", "fbx")
    path = tmp_path / "walk.fbx"
    write_fbx(path, walk, unit_cm=unit_cm, up=up, tells_range=up == 1)
    (clip,) = read_clips(path)
    assert clip.name == "Take 001"
    assert (clip.frame_rate, clip.frame_count) == (walk.frame_rate, walk.frame_count)
    assert clip.source.unit == pytest.approx(unit_cm / 100)
    assert set(clip.skeleton.names) == set(walk.skeleton.names)  # the armature above is no joint
    own = [clip.skeleton.names.index(name) for name in walk.skeleton.names]
    np.testing.assert_allclose(global_pose(clip)[0][:, own], global_pose(walk)[0], atol=1e-4)
    assert clip.skeleton.tpose is not None
    assert set(clip.skeleton.roles) == set(walk.skeleton.roles)


def test_files_that_are_cut_off_or_no_fbx_at_all_are_refused(walk, tmp_path, need_extra, monkeypatch):
    need_extra("ufbx", "fbx")
    path = tmp_path / "walk.fbx"
    write_fbx(path, walk)
    text = path.read_bytes()
    rng = np.random.default_rng(0)
    for content in (
        b"Kaydara FBX Binary  \0\x1a\0" + rng.bytes(3000),
        text[: len(text) // 3],
        b"; FBX 7.4.0\nObjects: {",
    ):
        path.write_bytes(content)
        with pytest.raises(FileError, match="cannot be read"):
            read_clip(path)
    monkeypatch.setattr(fbx_read, "DEADLINE_SECONDS", 0.01)
    path.write_bytes(text)
    with pytest.raises(FileError, match="took longer"):
        read_clip(path)


def test_without_the_package_the_extra_is_named_for_files_and_folders(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("kinematch.files.fbx_read.find_spec", lambda name: None)
    folder = tmp_path / "takes"
    folder.mkdir()
    (folder / "a.fbx").write_bytes(b"Kaydara FBX Binary  \0\x1a\0")
    for arguments in (["convert", str(folder / "a.fbx"), str(tmp_path / "a.bvh")], ["init", str(folder)]):
        assert main(arguments) == 2
        assert "pip install 'kinematch[fbx]'" in capsys.readouterr().err
    assert main(["doctor", str(folder)]) == 2
    assert "kinematch[fbx]" in capsys.readouterr().err
