"""Model files are read as MuJoCo reads them, and refused with a clear word where they cannot be."""

import numpy as np
import pytest

from kinematch.errors import FileError
from kinematch.robot.model import TO_FILE
from kinematch.robot.read import read_robot

# every way to write an orientation, degrees, classes within classes, frames, several hinges with anchors, a reference
ODD = """<mujoco model="odd">
  <compiler eulerseq="zYx" autolimits="true"/>
  <default>
    <joint axis="0 1 0" range="-90 90"/>
    <geom type="capsule" size="0.02"/>
    <default class="skewed"><joint axis="1 2 0.5"/>
      <default class="deep"><joint range="-10 40" ref="12"/></default></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0 0 1"><freejoint/><geom size="0.1" type="sphere"/>
      <body name="a" pos="0.1 0.2 0.3" euler="20 30 40">
        <joint name="j1" pos="0.01 0.02 0.03"/><joint name="j2" class="skewed" pos="-0.05 0 0.1"/>
        <joint name="j3" class="deep" pos="0 0.04 0"/>
        <geom fromto="0 0 0 0.1 0.2 -0.1"/>
        <frame pos="0 0 0.5" axisangle="1 1 0 35">
          <body name="b" pos="0.2 0 0" xyaxes="0 1 0.1 -1 0 0" childclass="deep"><geom fromto="0 0 0 0 0 1"/>
            <joint name="j4"/><site name="tip" pos="0 0 0.1"/>
            <body name="welded" pos="0 0.1 0" zaxis="1 1 1">
              <body name="c" pos="0 0 0.2" quat="1 2 3 4"><joint name="j5" type="hinge"/><geom type="sphere"/></body>
            </body>
          </body>
        </frame>
      </body>
    </body>
  </worldbody>
</mujoco>"""

URDF = """<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="one"><collision><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><geometry><cylinder radius="0.03" length="0.2"/>
    </geometry></collision></link>
  <link name="two"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link><link name="tool"/>
  <joint name="turn" type="revolute"><origin xyz="0.1 0 0.05" rpy="0.3 -0.2 0.9"/><parent link="base"/>
    <child link="one"/><axis xyz="0 0.6 0.8"/><limit lower="-1" upper="2" velocity="3" effort="1"/></joint>
  <joint name="spin" type="continuous"><origin xyz="0 0 0.2"/><parent link="one"/><child link="two"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="flange" type="fixed"><origin xyz="0 0.1 0" rpy="0 1 0"/><parent link="two"/><child link="tool"/></joint>
  <mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco>
</robot>"""


def assert_agrees_with_mujoco(model, reference, floating):
    import mujoco

    data = mujoco.MjData(reference)
    rng = np.random.default_rng(3)
    for _ in range(5):
        angles = rng.uniform(*np.clip(model.limits, -2, 2).T)
        base, turn = rng.normal(size=3), rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        if floating:
            data.qpos[:3], data.qpos[3], data.qpos[4:7] = base[TO_FILE], turn[0], turn[1:][TO_FILE]
        else:
            base, turn = np.zeros(3), np.array([1.0, 0, 0, 0])
        data.qpos[7 if floating else 0 :] = angles
        mujoco.mj_kinematics(reference, data)
        places, turns = model.place_bodies(*model.place_links(base, turn, angles))
        numbers = [reference.body(name).id for name in model.body_names]
        assert np.allclose(places[:, TO_FILE], data.xpos[numbers], atol=1e-9)
        q = np.concatenate([turns[:, :1], turns[:, 1:][:, TO_FILE]], axis=1)
        assert np.allclose(np.abs(np.sum(q * data.xquat[numbers], axis=1)), 1, atol=1e-9)
    names = [reference.joint(k).name for k in range(reference.njnt)][1 if floating else 0 :]
    assert tuple(names) == model.hinge_names


def test_the_g1_moves_as_in_mujoco(g1, g1_path, need_extra):
    need_extra("mujoco", "test")
    import mujoco

    reference = mujoco.MjModel.from_xml_path(str(g1_path))
    assert_agrees_with_mujoco(g1, reference, True)
    assert np.allclose(g1.limits, reference.jnt_range[1:])


@pytest.mark.parametrize("text", [ODD, URDF], ids=["mjcf", "urdf"])
def test_odd_files_are_read_as_mujoco_reads_them(text, tmp_path, need_extra):
    need_extra("mujoco", "test")
    import mujoco

    path = tmp_path / "robot.xml"
    path.write_text(text)
    model = read_robot(path)
    reference = mujoco.MjModel.from_xml_path(str(path))
    assert_agrees_with_mujoco(model, reference, text is ODD)
    limited = np.isfinite(model.limits[:, 0])
    ranges = reference.jnt_range[1 if text is ODD else 0 :]
    assert np.allclose(model.limits[limited], ranges[limited])


def test_shapes_lie_where_mujoco_has_them(g1, g1_path, need_extra):
    need_extra("mujoco", "test")
    import mujoco

    from kinematch.robot.contact_pairs import find_pairs
    from kinematch.robot.solids import find_capsules

    reference = mujoco.MjModel.from_xml_path(str(g1_path))
    data = mujoco.MjData(reference)
    mujoco.mj_kinematics(reference, data)
    capsules = find_capsules(g1)
    places, turns = g1.place_links(np.array([0.0, 0.793, 0.0]), np.array([1.0, 0, 0, 0]), np.zeros(29))
    from kinematch.math import quaternion

    ends = places[capsules.links][:, None] + quaternion.rotate(turns[capsules.links][:, None], capsules.ends)
    solid = [k for k in range(reference.ngeom) if reference.geom_contype[k]]
    assert len(solid) == len(capsules.radii) == 33
    assert np.allclose(ends.mean(axis=1)[:, TO_FILE], data.geom_xpos[solid], atol=1e-6)
    assert np.allclose(capsules.radii, reference.geom_size[solid, 0])
    halves = np.where(reference.geom_type[solid] == 2, 0, reference.geom_size[solid, 1])
    assert np.allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / 2, halves, atol=1e-6)
    assert not any(g1.body_names[capsules.bodies[a]] == g1.body_names[capsules.bodies[b]]
                   for a, b in find_pairs(g1, capsules))  # fmt: skip


def test_includes_stay_inside_the_folder(tmp_path):
    inside = tmp_path / "robots"
    inside.mkdir()
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    (inside / "legs.xml").write_text("<x><joint name='k' axis='0 1 0'/></x>")
    body = "<mujoco><worldbody><body name='b'><body name='c'><include file='{}'/></body></body></worldbody></mujoco>"
    path = inside / "robot.xml"
    path.write_text(body.format("legs.xml"))
    assert read_robot(path).hinge_names == ("k",)
    for name in ("../secret.xml", str(tmp_path / "secret.xml"), "none.xml"):
        path.write_text(body.format(name))
        with pytest.raises(FileError, match=r"not a file inside the model's folder"):
            read_robot(path)
    path.write_text(body.format("robot.xml"))
    with pytest.raises(FileError, match="included twice"):
        read_robot(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><mujoco>&a;</mujoco>", "document type or entities"),
        ("<mujoco><worldbody>", "not XML"),
        ("<a>" * 300 + "</a>" * 300, "elements within each other"),
        ("<scene/>", "expected <mujoco>"),
        ("<mujoco><worldbody><body><body><joint axis='0 0 0'/></body></body></worldbody></mujoco>", "length zero"),
        ("<mujoco><worldbody><body><body><joint axis='0 nan 1'/></body></body></worldbody></mujoco>", "a million"),
        ("<mujoco><worldbody><body><body><joint class='x'/></body></body></worldbody></mujoco>", "no default class"),
        ("<mujoco><worldbody><body name='b'/></worldbody></mujoco>", "no hinge"),
        ("<robot><link name='a'/><link name='b'/></robot>", "2 links have no parent"),
        ("<robot><link name='a'/><joint name='j' type='fixed'><parent link='z'/></joint></robot>", "'z'"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_a_clear_word(text, message, tmp_path):
    path = tmp_path / "bad.xml"
    path.write_text(text)
    with pytest.raises(FileError, match=message):
        read_robot(path)


def test_meshes_are_read_and_bounded(g1, tmp_path):
    from pathlib import Path

    from kinematch.robot.appearance import make_looks
    from kinematch.robot.meshes import read_mesh

    looks = make_looks(g1)
    assert looks is not None
    assert sum(len(triangles) for triangles in looks.triangles.values()) == 393270
    assert np.allclose(np.linalg.norm(looks.normals, axis=1), 1)
    assert 1.2 < np.ptp(looks.positions[:, 1]) < 1.4  # m, the robot is 1.3 m tall
    stl = (Path(g1.path).parent / "assets" / "head_link.STL").read_bytes()
    (tmp_path / "cut.stl").write_bytes(stl[:5000])
    with pytest.raises(FileError, match="too short"):
        read_mesh(tmp_path / "cut.stl")
    (tmp_path / "quad.obj").write_text("v 1 2 3\nv 2 2 3\nv 2 3 3\nv 1 3 3\nf 1 2/1 3 -1\n")
    vertices, triangles = read_mesh(tmp_path / "quad.obj")
    assert vertices[0].tolist() == [2, 3, 1]
    assert triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    (tmp_path / "far.obj").write_text("v 1 2 3\nf 1 2 3\n")
    with pytest.raises(FileError, match="does not exist"):
        read_mesh(tmp_path / "far.obj")
