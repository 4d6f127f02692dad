"""What users do with a file of each kind: the fuzzer does the same with damaged ones."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

DOCTOR_SHARE = 10  # one file in so many is examined too, which takes longer than reading it


def _read_motion(path: Path) -> None:
    from kinematch.doctor import examine
    from kinematch.files import read_clips

    if sum(path.read_bytes()[-64:]) % DOCTOR_SHARE == 0:
        examine(path)
        return
    for clip in read_clips(path):
        assert np.isfinite(clip.positions).all()
        assert np.abs(np.linalg.norm(clip.rotations, axis=-1) - 1).max() < 1e-4
        assert clip.skeleton.tpose is None or np.isfinite(clip.skeleton.tpose).all()
        assert 0 < clip.source.unit < np.inf


def _read_recipe(path: Path) -> None:
    from kinematch.database.recipe import read_recipe

    read_recipe(path)


def _load_database(path: Path) -> None:
    import kinematch as km

    km.load(path)


def _read_robot(path: Path) -> None:
    from kinematch.robot.read import read_robot

    read_robot(path)


def _read_recording(path: Path) -> None:
    from kinematch.avatar.recordings import read_trackers
    from kinematch.camera.landmarks_file import KIND, read_landmarks

    with path.open("rb") as file:
        seen = KIND.encode() in file.read(100)
    if seen:
        read_landmarks(path)
    else:
        assert np.isfinite(read_trackers(path).times).all()


READERS: dict[str, Callable[[Path], None]] = {
    ".bvh": _read_motion, ".glb": _read_motion, ".gltf": _read_motion, ".vrm": _read_motion, ".vrma": _read_motion,
    ".npz": _read_motion, ".toml": _read_recipe, ".kinematch": _load_database, ".xml": _read_robot,
    ".urdf": _read_robot, ".jsonl": _read_recording, ".json": _read_recording, ".csv": _read_recording,
}  # fmt: skip


def read_like_a_user(path: Path) -> None:
    READERS[path.suffix.lower()](path)


def write_examples(folder: Path) -> None:
    """One small file of each kind that the program itself writes."""
    from kinematch.avatar.recordings import write_trackers
    from kinematch.avatar.simulate import track_joints
    from kinematch.camera.landmarks_file import write_landmarks
    from kinematch.camera.simulate import Camera, simulate_camera
    from kinematch.database.build import build
    from kinematch.database.packing.pack import pack
    from kinematch.database.storage import save
    from kinematch.files import write_clip
    from kinematch.synth import walk_along

    clip = walk_along([(0, 0), (0, 1.5)])
    for ending in (".bvh", ".glb", ".vrma", ".npz"):
        write_clip(folder / f"walk{ending}", clip.frames(0, 12))
    write_trackers(folder / "user.jsonl", track_joints(clip).take(slice(0, 30)))
    write_landmarks(folder / "seen.jsonl", simulate_camera(clip.frames(0, 30), Camera(), np.random.default_rng(0)))
    (folder / "robot.xml").write_text(MJCF)
    (folder / "robot.urdf").write_text(URDF)
    (folder / "recipe.toml").write_text(RECIPE)
    save(folder / "packed.kinematch", pack(build(folder / "recipe.toml").database))


RECIPE = """[[source]]
builtin = "dance-card"
clips = ["idle"]

[cleaning]
frame_rate = 30
mirror = false

[matching]
responsiveness = 1.0
"""
MJCF = """<mujoco model="small">
  <compiler angle="degree"/>
  <default><joint range="-90 90"/></default>
  <worldbody>
    <body name="trunk" pos="0 0 0.8">
      <freejoint/>
      <geom type="capsule" size="0.08" fromto="0 0 0 0 0 0.3"/>
      <body name="thigh" pos="0 0.1 0">
        <joint name="hip" axis="0 1 0" range="-90 45"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.4"/>
        <body name="shin" pos="0 0 -0.4">
          <joint name="knee" axis="0 1 0" range="0 130"/>
          <geom type="box" size="0.05 0.04 0.2" pos="0 0 -0.2"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
URDF = """<robot name="small">
  <link name="trunk"><collision><geometry><box size="0.2 0.3 0.3"/></geometry></collision></link>
  <link name="thigh"><collision><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision></link>
  <link name="shin"/>
  <joint name="hip" type="revolute">
    <parent link="trunk"/><child link="thigh"/><origin xyz="0 0.1 0" rpy="0 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="0.8" effort="10" velocity="8"/>
  </joint>
  <joint name="knee" type="revolute">
    <parent link="thigh"/><child link="shin"/><origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="2.2" effort="10" velocity="8"/>
  </joint>
</robot>
"""
