"""Trajectories as robots and trainers read them."""

import json

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.errors import FileError
from kinematch.files import read_clip
from kinematch.robot.model import TO_FILE
from kinematch.robot.output import read_csv, write_trajectory
from kinematch.robot.roles_file import read_roles
from kinematch.robot.trial import try_robot


@pytest.fixture(scope="module")
def motion(biped, walk):
    return try_robot(walk[0].frames(0, 60), biped)[0]


def test_csv_has_the_lafan1_layout_and_comes_back(motion, tmp_path):
    path = tmp_path / "walk.csv"
    write_trajectory(path, motion)
    table = np.loadtxt(path, delimiter=",")
    assert table.shape == (60, 7 + motion.model.hinge_count)
    assert np.allclose(table[:, 2], motion.base_positions[:, 1], atol=1e-6)  # Z up
    assert np.allclose(np.abs(table[:, 6]), np.abs(motion.base_rotations[:, 0]), atol=1e-6)  # w last
    again = read_csv(path, motion)
    assert np.allclose(again.base_positions, motion.base_positions, atol=1e-6)
    assert np.allclose(again.angles, motion.angles, atol=1e-6)
    (tmp_path / "short.csv").write_text("1,2,3\n")
    with pytest.raises(FileError, match="3 columns, expected"):
        read_csv(tmp_path / "short.csv", motion)


def test_npz_has_what_mjlab_reads_with_names_and_order(motion, tmp_path):
    path = tmp_path / "walk.npz"
    write_trajectory(path, motion)
    with np.load(path) as found:  # nothing is pickled
        arrays = dict(found)
    bodies, frames = len(motion.model.body_names), motion.frame_count
    assert arrays["body_pos_w"].shape == (frames, bodies, 3)
    assert arrays["body_quat_w"].shape == (frames, bodies, 4)
    assert arrays["joint_names"].tolist() == list(motion.model.hinge_names)
    assert arrays["body_names"].tolist() == list(motion.model.body_names)
    assert "depth first" in str(arrays["body_order"])
    assert np.allclose(arrays["body_pos_w"][:, 0], motion.base_positions[:, TO_FILE], atol=1e-5)
    # velocities add up to what was travelled
    travelled = arrays["body_lin_vel_w"][1:-1].sum(axis=0) / motion.frame_rate
    ends = (arrays["body_pos_w"][-1] + arrays["body_pos_w"][-2] - arrays["body_pos_w"][0] - arrays["body_pos_w"][1]) / 2
    assert np.allclose(travelled, ends, atol=1e-4)
    assert np.allclose(arrays["joint_vel"][5], (motion.angles[6] - motion.angles[4]) * motion.frame_rate / 2, atol=1e-4)


def test_the_command_writes_angles_and_the_table(biped, data, tmp_path, capsys):
    source = data / "lafan1-clips" / "walk1_subject1_walk.bvh"
    options = ["--robot", biped.path, "--stop", "2"]
    assert main(["convert", str(source), str(tmp_path / "w.csv"), *options]) == 0
    shown = capsys.readouterr().out
    assert "deviation cm" in shown
    assert "60 frames at 30 fps, 22 hinges" in shown
    assert main(["convert", str(source), str(tmp_path / "w.glb"), *options]) == 0
    skeleton = read_clip(tmp_path / "w.glb").skeleton
    assert "left_foot" in skeleton.names
    assert main(["convert", str(source), str(tmp_path / "w.csv")]) == 2
    assert "--robot" in capsys.readouterr().err


def test_many_files_are_scored_in_one_table(biped, data, tmp_path, capsys):
    clips = [data / "lafan1-clips" / f"{name}.bvh" for name in ("jumps1_subject2_walk", "obstacles5_subject2_jog2")]
    scores = tmp_path / "scores.json"
    options = ["robot", biped.path, *map(str, clips), str(biped.path), "--json", str(scores)]
    assert main(["evaluate", *options]) == 0
    assert "all on foot" in capsys.readouterr().out
    found = json.loads(scores.read_text())
    rows, (total,) = found["on_foot"], found["totals"]
    assert [row["name"] for row in rows] == [path.stem for path in clips]
    assert total["frames"] == sum(row["frames"] for row in rows)
    assert total["joint_speed"] == max(row["joint_speed"] for row in rows) <= 12
    assert min(row["deviation"] for row in rows) <= total["deviation"] <= max(row["deviation"] for row in rows)
    assert main(["evaluate", "robot", biped.path]) == 2
    assert "which motion files" in capsys.readouterr().err


def test_a_file_of_roles_is_written_as_a_template_and_then_read(biped, data, tmp_path, capsys):
    source, roles = data / "lafan1-clips" / "walk1_subject1_walk.bvh", tmp_path / "roles.toml"
    command = ["convert", str(source), str(tmp_path / "w.csv"), "--robot", biped.path, "--stop", "1"]
    assert main([*command, "--roles", str(roles)]) != 0
    assert "is a new template" in capsys.readouterr().err
    assert not (tmp_path / "w.csv").exists()
    found = read_roles(roles)
    assert found["left_lower_leg"] == "left_knee"
    assert all(name in roles.read_text() for name in biped.hinge_names)
    assert main([*command, "--roles", str(roles)]) == 0
    roles.write_text('left_lower_leg = "left_nee"\n')
    assert main([*command, "--roles", str(roles)]) != 0
    assert "did you mean 'left_knee'" in capsys.readouterr().err
    for text in ("left_leg = 'left_knee'", "left_foot = 3", "left_foot"):
        roles.write_text(text)
        with pytest.raises(FileError, match=r"roles\.toml"):
            read_roles(roles)


def test_a_robot_whose_parts_are_mistaken_is_an_error_with_figures(biped, data, tmp_path, capsys):
    source, roles = data / "lafan1-clips" / "walk1_subject1_walk.bvh", tmp_path / "roles.toml"
    wrong = {"upper_leg": "upper_arm", "lower_leg": "forearm", "foot": "forearm"}
    roles.write_text("".join(f'{s}_{role} = "{s}_{body}"\n' for role, body in wrong.items() for s in ("left", "right")))
    command = ["convert", str(source), str(tmp_path / "w.csv"), "--robot", biped.path, "--stop", "2"]
    assert main([*command, "--roles", str(roles)]) != 0
    assert "does not follow" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "w.csv").exists()
