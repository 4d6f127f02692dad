"""Examples for the fuzzer: one small file of each kind that the program itself reads and writes."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kinematch.database.storage import Database
    from kinematch.learned.model import Model
    from kinematch.learned.network import Network

LATENT_COUNT = 5  # of the model


def write_examples(folder: Path) -> None:
    """Small, so that damage often falls on what describes the rest, and reading is quick."""
    from kinematch.avatar.calibration import Calibration
    from kinematch.avatar.calibration_file import save_calibration
    from kinematch.avatar.recordings import write_trackers
    from kinematch.avatar.simulate import track_joints
    from kinematch.camera.landmarks_file import write_landmarks
    from kinematch.camera.simulate import SimulatedCamera, simulate_camera
    from kinematch.character.settings import Settings
    from kinematch.character.settings_file import save_settings
    from kinematch.control.command import move
    from kinematch.control.script import Script
    from kinematch.control.script_file import write_script
    from kinematch.files import write_clip
    from kinematch.synth import walk_along

    clip = walk_along([(0, 0), (0, 1.5)])
    for ending in (".bvh", ".glb", ".vrma", ".npz"):
        write_clip(folder / f"walk{ending}", clip.frames(0, 12))
    write_trackers(folder / "user.jsonl", track_joints(clip).take(slice(0, 30)))
    write_landmarks(
        folder / "seen.jsonl", simulate_camera(clip.frames(0, 30), SimulatedCamera(), np.random.default_rng(0))
    )
    save_settings(folder / "a.settings.toml", Settings(weights={"hips_velocity": 2.0}))
    save_settings(folder / "a.settings.json", Settings(weights={"hips_velocity": 2.0}))
    save_calibration("a.calibration", Calibration(), folder)
    write_script(folder / "a.script.jsonl", Script((move([0, 0, 1.0]), move([1.0, 0, 0], filter="walk")), np.ones(2)))
    (folder / "robot.xml").write_text(MJCF)
    (folder / "robot.urdf").write_text(URDF)
    (folder / "recipe.toml").write_text(RECIPE)
    write_databases(folder)


def write_databases(folder: Path) -> None:
    """A database in its three forms, a model of it and a recording of it."""
    from kinematch.database.packing.pack import pack
    from kinematch.database.storage import save
    from kinematch.database.transport.encode import encode_database
    from kinematch.learned.model_file import save_model
    from kinematch.studio.session.recording import save_recording
    from kinematch.studio.session.stage import Stage

    database = make_database()
    save(folder / "plain.kinematch", database)
    packed = pack(database)
    save(folder / "packed.kinematch", packed)
    save(folder / "sent.kinematch", database, encode_database(database.poses, database.features).arrays)
    save_model(folder / "random.kinematch-model", make_model(database, projector=False))
    save_model(folder / "projected.kinematch-model", make_model(database, projector=True))
    stage = Stage(packed, name="small")
    for _ in range(3):
        stage.advance()
    save_recording(folder / "played.kinerec", stage)


def make_database() -> "Database":
    """A walk and its mirror image at few frames a second; one is a loop, and some frames are marked."""
    from kinematch.database.build import build

    with TemporaryDirectory() as folder:
        recipe = Path(folder) / "walk.toml"
        recipe.write_text(WALK)
        database = build(recipe).database
    poses = database.poses
    factors, barred = np.array(poses.cost_factor), np.array(poses.no_exit)
    factors[10:20], barred[5:8] = 2.0, True
    loops = np.arange(poses.clip_count) == 0
    return replace(database, poses=replace(poses, cost_factor=factors, no_exit=barred, clip_loops=loops))


def make_model(database: "Database", *, projector: bool, seed: int = 0) -> "Model":
    """A model of the right shapes with random weights."""
    from kinematch.learned.codebook import make_codebook
    from kinematch.learned.model import Model, lay_out_pose
    from kinematch.motion.rig import find_moving

    poses, features, rng = database.poses, database.features, np.random.default_rng(seed)
    frames = np.flatnonzero(features.targets)[::5]
    latents = rng.normal(size=(len(frames), LATENT_COUNT))
    book = make_codebook(
        frames, features.values[frames], latents, poses.clip_of(frames), poses.tags.frames[frames],
        poses.cost_factor[frames],
    )  # fmt: skip
    moving, both = find_moving(poses.skeleton, poses.positions), features.width + LATENT_COUNT
    columns = lay_out_pose(poses.skeleton.joint_count, len(moving), len(poses.contact_joints))
    return Model(
        skeleton=poses.skeleton, contact_joints=np.array(poses.contact_joints), frame_rate=poses.frame_rate,
        schema=features.schema, feature_offset=np.array(features.offset), feature_scale=np.array(features.scale),
        feature_weights=features.column_weights(), tag_names=poses.tags.names, filter="",
        rest=np.array(poses.positions[0]), moving=moving,
        decompressor=_make_network(rng, both, 24, columns.count, skip=LATENT_COUNT),
        stepper=_make_network(rng, both, 16, 16, both, size=0.02),
        projector=_make_network(rng, features.width, 16, 16, both) if projector else None,
        codebook=book, limits=np.stack([book.lowest, book.lowest + 255 * book.step]),
        scores={"database_mean": 1.0}, about={"seed": seed},
    )  # fmt: skip


def _make_network(rng: np.random.Generator, *widths: int, skip: int = 0, size: float = 1.0) -> "Network":
    """A network with random weights whose outputs have about the given size."""
    from kinematch.learned.network import Network

    weights = [rng.normal(size=(a, b)) * (2 / a) ** 0.5 for a, b in pairwise(widths)]
    weights[-1] *= size
    single = tuple(np.array(weight, np.float32) for weight in weights)
    biases = tuple(np.array(rng.normal(size=b) * 0.1 * size, np.float32) for b in widths[1:])
    path = np.array(rng.normal(size=(skip, widths[-1])) * size, np.float32) if skip else None
    return Network(single, biases, path)


RECIPE = """[[source]]
builtin = "locomotion"
clips = ["idle"]

[cleaning]
frame_rate = 30
mirror = false

[matching]
responsiveness = 1.0
"""
WALK = """[[source]]
builtin = "locomotion"
clips = ["walk_1.35"]

[cleaning]
frame_rate = 8
mirror = true
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
