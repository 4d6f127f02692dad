"""The table that says whether a retarget is good, and its aims on a real walk."""

import json

import numpy as np
import pytest

from kinematch.cli.main import main
from kinematch.evaluate.retargeting import score_retarget
from kinematch.files import read_clip
from kinematch.files.body_measures import read_bulk

TARGETS = [
    "cmu/02_01.bvh",
    "characters/100Avatars_003_Jimmy.vrm",
    "characters/RobotExpressive.glb",
    "characters/vrm1-debug_robot.vrm",
]


@pytest.mark.parametrize("file", TARGETS)
def test_a_real_walk_meets_every_aim(data, file):
    clip = read_clip(data / "lafan1-clips/walk1_subject1_walk2.bvh").frames(60, 260)
    target = read_clip(data / file).skeleton
    found = score_retarget([clip], target, bulk=read_bulk(data / file, target))
    rows = {row.name: row for row in found.rows}
    missed = {row.name: row.values for row in found.rows if row.met is False}
    assert not missed
    assert rows["slip"].values[1] > 1.2 * rows["slip"].values[0]  # rotations alone miss it
    assert rows["back"].values[1] < 3
    assert rows["collision"].values[2] <= rows["collision"].values[1]


def test_faults_are_counted(data):
    clip = read_clip(data / "lafan1-clips/walk1_subject1_walk2.bvh").frames(60, 160)
    target = read_clip(data / "cmu/02_01.bvh").skeleton
    good = {row.name: row.values[0] for row in score_retarget([clip], target).rows}
    positions = np.array(clip.positions)
    positions[:15, 0, 1] -= 0.02  # for half a second the body is sunk in
    positions[:, 0, 0] += 0.1 * np.arange(len(positions)) / clip.frame_rate  # and all of it drifts
    bad = {row.name: row.values[0] for row in score_retarget([clip.with_(positions=positions)], target).rows}
    assert bad["slip"] > good["slip"] + 5
    assert bad["sunk"] > good["sunk"] + 2


def test_the_command_prints_the_table_and_writes_it_down(data, tmp_path, capsys):
    motion, body = data / "bandai-namco/dataset-1_walk_normal_001.bvh", data / "cmu/02_01.bvh"
    status = main(["evaluate", "retarget", str(motion), str(body), "--json", str(tmp_path / "score.json")])
    printed = capsys.readouterr().out
    assert "slip in stance" in printed
    told = json.loads((tmp_path / "score.json").read_text())
    assert status == (0 if all(one["met"] is not False for one in told["measures"]) else 1)
    assert {one["name"] for one in told["measures"]} >= {"deviation", "sunk", "slip", "inverted", "speed"}
