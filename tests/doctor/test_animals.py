"""Animals on four legs are told by their shape, whatever their joints are called, and walk from what `init` writes."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from kinematch.character import Crowd
from kinematch.cli.main import main
from kinematch.control.command import Command
from kinematch.database.build import build
from kinematch.database.storage import Database
from kinematch.doctor import examine
from kinematch.doctor.prescribe import prescribe
from kinematch.errors import FileError
from kinematch.files import read_clip, write_clip
from kinematch.motion.four_legs import has_four_legs
from kinematch.motion.retarget.retarget_clip import retarget

DT = 1 / 60
DOG = "D1_007_KAN01_001.bvh"


def init_one(path: Path, folder: Path) -> dict:
    """The recipe that `init` writes for one file."""
    folder.mkdir(exist_ok=True)
    (folder / path.name).symlink_to(path)
    assert main(["init", str(folder)]) == 0
    return tomllib.loads((folder / "recipe.toml").read_text())


def walk_ahead(database: Database, speed: float, seconds: float = 6.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Global positions (F, J, 3), which feet are locked (F, K), and the frames played of a character that walks."""
    crowd, positions, locked, frames = Crowd(database, 1), [], [], []
    ahead = np.array([[0.0, 0, 1]])
    for _ in range(round(seconds / DT)):
        pose = crowd.step(Command(ahead * speed, ahead), DT)
        positions.append(pose.global_positions[0].copy())
        locked.append(pose.locked[0].copy())
        frames.append(int(pose.frames[0]))
    return np.array(positions), np.array(locked), np.array(frames)


@pytest.mark.parametrize("name", [DOG, "Fox.glb", "mesh2motion-horse-animations.glb"])
def test_an_animal_is_told_by_how_it_stands(data, name):
    report = examine(data / "animals" / name)
    assert report.four_legged
    assert report.up == "Y"
    assert report.buildable
    assert len(report.contacts.joints) == 4
    assert 0.2 < report.hips_height < 1.5
    assert "four legs" in next(p.what for p in report.problems if "root_joint" in p.fix)


def test_neither_names_nor_axes_nor_the_unit_matter(data, tmp_path):
    text = (data / "animals" / DOG).read_text()
    names = [line.split()[1] for line in text.splitlines() if line.strip().startswith(("JOINT", "ROOT"))]
    for number, name in enumerate(sorted(names, key=len, reverse=True)):
        text = text.replace(f"ROOT {name}\n", f"ROOT bone_{number}\n").replace(
            f"JOINT {name}\n", f"JOINT bone_{number}\n"
        )
    (tmp_path / "nameless.bvh").write_text(text)
    nameless, named = read_clip(tmp_path / "nameless.bvh"), read_clip(data / "animals" / DOG)
    assert has_four_legs(nameless.skeleton)
    assert {role: nameless.skeleton.roles[role] for role in named.skeleton.roles if "shoulder" not in role} == {
        role: joint for role, joint in named.skeleton.roles.items() if "shoulder" not in role
    }
    write_clip(tmp_path / "dog.bvh", named)  # in centimetres
    again = read_clip(tmp_path / "dog.bvh")
    assert np.allclose(again.positions, named.positions, atol=1e-5)


def test_sides_that_are_swapped_are_told(data, tmp_path):
    text = (
        (data / "animals" / DOG).read_text().replace("Left", "Wrong").replace("Right", "Left").replace("Wrong", "Right")
    )
    (tmp_path / "swapped.bvh").write_text(text)
    assert any("geometry says" in problem.what for problem in examine(tmp_path / "swapped.bvh").problems)


def test_a_dog_walks_on_four_locked_feet(data, tmp_path):
    recipe = init_one(data / "animals" / DOG, tmp_path / "dog")
    (source,) = recipe["source"]
    assert source["root_joint"] == "Hips"
    assert source["contact_joints"] == ["LeftHand", "RightHand", "LeftFoot", "RightFoot"]
    assert ["LeftHand", "RightHand"] in source["mirror_pairs"]
    database = build(tmp_path / "dog" / "recipe.toml").database
    positions, locked, _ = walk_ahead(database, 0.9)
    feet = database.poses.contact_joints
    speeds = np.linalg.norm(np.diff(positions[:, feet][..., [0, 2]], axis=0), axis=-1) / DT
    held = locked[1:] & locked[:-1]
    # the last joint of its hind legs is the hock, which stands still for a part of each stance alone
    assert (held.mean(axis=0) > [0.3, 0.3, 0.05, 0.05]).all(), held.mean(axis=0)
    assert max(np.median(speeds[:, k][held[:, k]]) for k in range(4)) < 0.02
    assert positions[-1, 0, 2] > 4.0


def test_a_fox_on_the_spot_gets_its_size_and_its_travel(data, tmp_path):
    recipe = init_one(data / "animals" / "Fox.glb", tmp_path / "fox")
    by_clip = {clip: source for source in recipe["source"] for clip in source["clips"]}
    assert by_clip["Walk"]["unit"] == 0.01
    assert by_clip["Walk"]["in_place"]
    assert by_clip["Walk"]["loop"]
    assert not by_clip["Survey"].get("in_place", False)
    database = build(tmp_path / "fox" / "recipe.toml").database
    walking = database.poses.tags.of("walk")
    assert 0.5 < np.linalg.norm(database.poses.velocities[walking, 0], axis=-1).mean() < 2.0


def test_animals_and_people_are_not_retargeted_to_each_other(data):
    dog, person = read_clip(data / "animals" / DOG), read_clip(data / "cmu" / "02_01.bvh")
    for source, target in ((dog, person), (person, dog)):
        with pytest.raises(Exception, match="four legs"):
            retarget(source, target.skeleton)


KNIGHT = [
    "Idle", "Lie_Idle", "Lie_Down", "Running_A", "Running_Strafe_Left", "T-Pose", "Unarmed_Melee_Attack_Kick",
    "Walking_A", "Walking_Backwards",
]  # fmt: skip


def test_animations_of_one_file_are_parted_by_what_they_are_for(data, tmp_path):
    path = tmp_path / "Knight.glb"
    path.symlink_to(data / "game-characters" / "KayKit-Knight.glb")
    report = examine(path, choose=lambda names: [name for name in names if name in KNIGHT])
    text = prescribe([report], tmp_path)
    recipe = tomllib.loads(text)
    tags = {clip: set(source["tags"]) for source in recipe["source"] for clip in source["clips"]}
    assert tags["Idle"] == {"locomotion", "idle"}
    assert tags["Running_A"] == {"locomotion", "run"}
    assert tags["Running_Strafe_Left"] == {"locomotion", "run", "strafe", "left"}
    assert tags["Walking_Backwards"] == {"locomotion", "walk", "backward"}
    assert tags["Lie_Down"] == tags["Unarmed_Melee_Attack_Kick"] == tags["Lie_Idle"] == {"action"}
    assert "T-Pose" not in tags
    assert recipe["matching"]["filter"] == "locomotion"
    (tmp_path / "recipe.toml").write_text(text)
    database = build(tmp_path / "recipe.toml").database
    positions, _, frames = walk_ahead(database, 1.2)
    names = {database.poses.clip_names[clip] for clip in database.poses.clip_of(frames[60:])}
    assert all("Walking" in name or "Running" in name for name in names), names
    assert positions[-1, 0, 2] > 5.0
    (tmp_path / "twice.toml").write_text(text.replace('["Idle"]', '["Idle", "Walking_A"]'))
    with pytest.raises(FileError, match="Knight/Walking_A' is in source"):
        build(tmp_path / "twice.toml")
