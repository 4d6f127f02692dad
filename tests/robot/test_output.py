"""Trajectories as robots and trainers read them."""

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.errors import FileError
from kinematch.files import read_clip
from kinematch.robot.model import TO_FILE
from kinematch.robot.npz_layouts import make_holosoma
from kinematch.robot.output import read_trajectory, write_trajectory
from kinematch.robot.read import read_robot
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
    again = read_trajectory(path, motion.model)
    assert np.allclose(again.base_positions, motion.base_positions, atol=1e-6)
    assert np.allclose(again.angles, motion.angles, atol=1e-6)
    (tmp_path / "short.csv").write_text("1,2,3\n")
    with pytest.raises(FileError, match="3 columns, expected"):
        read_trajectory(tmp_path / "short.csv", motion.model)


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


@pytest.mark.parametrize("ending", ["csv", "npz", "holosoma.npz", "gmr.npz", "lerobot"])
def test_what_is_written_comes_back(ending, motion, tmp_path, need_extra):
    if ending == "lerobot":
        need_extra("pyarrow", "lerobot")
    path = tmp_path / f"walk.{ending}"
    write_trajectory(path, motion)
    again = read_trajectory(path, motion.model)
    assert again.frame_rate == motion.frame_rate
    assert np.allclose(again.base_positions, motion.base_positions, atol=1e-5)
    assert np.allclose(np.abs((again.base_rotations * motion.base_rotations).sum(axis=1)), 1, atol=1e-6)
    assert np.allclose(again.angles, motion.angles, atol=1e-5)


def test_names_and_orders_are_checked(motion, tmp_path):
    path, names = tmp_path / "walk.npz", list(motion.model.hinge_names)
    write_trajectory(path, motion)
    with np.load(path) as found:
        arrays = dict(found)
    turned = {"joint_pos": arrays["joint_pos"][:, ::-1], "joint_names": arrays["joint_names"][::-1]}
    np.savez(path, **arrays | turned)  # another order of joints, with its names, is sorted
    assert np.allclose(read_trajectory(path, motion.model).angles, motion.angles, atol=1e-5)
    swapped = [0, 2, 1, *range(3, arrays["body_pos_w"].shape[1])]
    wrong = {
        "another order": {"body_pos_w": arrays["body_pos_w"][:, swapped]},
        "did you mean 'left_knee'": {"joint_names": np.array(["left_nee", *names[1:]])},
        "finite": {"joint_pos": np.full_like(arrays["joint_pos"], np.nan)},
        "frame rate": {"fps": np.array([0.0])},
        "59, 60 and 60 frames": {"body_pos_w": arrays["body_pos_w"][:-1]},
    }
    for message, change in wrong.items():
        np.savez(path, **arrays | change)
        with pytest.raises(FileError, match=message):
            read_trajectory(path, motion.model)
    np.savez(path, joint_pos=np.array([{}], object), allow_pickle=True)  # never unpickled
    with pytest.raises(FileError, match="holds nothing"):
        read_trajectory(path, motion.model)


def test_motions_of_holosoma_are_read_and_lie_where_it_says(need_extra):
    need_extra("holosoma", "robot' and holosoma --no-deps '")
    folder = Path(next(iter(find_spec("holosoma").submodule_search_locations))) / "data"
    model = read_robot(folder / "robots" / "g1" / "g1_29dof.urdf")
    files = sorted((folder / "motions" / "g1_29dof").rglob("*.npz"))
    assert len(files) >= 3
    for path in files:
        motion = read_trajectory(path, model)
        with np.load(path) as found:
            there = found["body_pos_w"][:, found["body_names"].tolist().index("left_ankle_roll_link")]
            speeds = found["joint_vel"]
        k = model.body_names.index("left_ankle_roll_link")
        places = model.place_bodies(*motion.place_links())[0][:, k][:, TO_FILE]
        assert np.abs(places - there).max() < 1e-4
        ours = make_holosoma(motion)["joint_vel"]
        assert np.abs(ours[2:-2] - speeds[2:-2]).max() < 0.05  # in the base's space they would be 3 rad/s off


def test_lerobot_datasets_are_tables_that_pandas_and_its_own_description_agree_on(motion, tmp_path, need_extra):
    need_extra("pyarrow", "lerobot")
    from pyarrow import parquet

    write_trajectory(tmp_path / "walk.lerobot", motion)
    info = json.loads((tmp_path / "walk.lerobot/meta/info.json").read_text())
    place = info["data_path"].format(chunk_index=0, file_index=0)
    table = parquet.read_table(tmp_path / "walk.lerobot" / place)
    assert set(table.column_names) == set(info["features"])
    for name, feature in info["features"].items():
        first = table[name][0].as_py()
        assert feature["shape"] == [len(first) if isinstance(first, list) else 1]
        assert feature["names"] is None or len(feature["names"]) == feature["shape"][0]
    assert info["total_frames"] == table.num_rows == motion.frame_count
    task = motion.name or "motion"
    if find_spec("pandas"):
        import pandas

        assert pandas.read_parquet(tmp_path / "walk.lerobot/meta/tasks.parquet").index.tolist() == [task]
    (tmp_path / "walk.lerobot/meta/info.json").write_text("[]")
    with pytest.raises(FileError, match="not a LeRobot dataset"):
        read_trajectory(tmp_path / "walk.lerobot", motion.model)


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
