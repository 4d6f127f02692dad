"""Companions: another body that plays along is shown as a crowd that wears it would show it."""

import numpy as np
import pytest

import kinematch as km
from kinematch.files import read_clip
from kinematch.motion.clean.root import with_root
from kinematch.motion.retarget.retargeting import Retargeting
from kinematch.scene.made_terrain import make_slopes
from kinematch.studio.session.companion import Companion

DT = 1 / 60
COMMANDS = [km.move([0.0, 0.0, 1.2]), km.move([1.0, 0.0, 0.6]), km.move([0.0, 0.0, 0.0])]


@pytest.fixture(scope="module")
def motion(built_of):
    return km.load(built_of("idle", "walk_1.35", "walk_turn_left_90").path)


@pytest.fixture(scope="module")
def knight(data, motion):
    body = with_root(read_clip(data / "game-characters/KayKit-Knight.glb").skeleton)
    return Retargeting(motion.poses.skeleton, body)


@pytest.mark.parametrize("ground", [None, make_slopes()], ids=["flat", "slopes"])
@pytest.mark.parametrize("worn", [False, True])
def test_a_companion_looks_as_if_its_body_were_worn(motion, knight, ground, worn):
    """One beside a character with another body follows its motion; one with the same body shows the very same pose."""
    crowd = km.Crowd(motion, skeleton=knight if worn else None, terrain=ground)
    companion = Companion(crowd, knight, crowd.root_positions[0])
    apart, since = [], 100
    for step in range(240):
        pose = crowd.step(COMMANDS[step // 80], DT)
        x, _, z = crowd.root_positions[0]
        shown = companion.step(crowd, pose, (float(x), float(z)), DT)
        since = 0 if pose.jumped[0] else since + 1
        assert np.isfinite(shown.global_positions).all()
        if worn:
            distance = np.linalg.norm(shown.global_positions - pose.global_positions, axis=-1).max()
            assert distance < (5e-3 if since < 60 else 1e-4)  # m; a jump is seen a step later, and that fades
            apart.append((shown.locked != pose.locked).any())
    assert np.mean(apart) < 0.02 if worn else not apart


def test_planted_feet_of_a_companion_stand_still(motion, knight):
    """At its own pace, beside a character with longer legs; poses that are only retargeted slide."""
    crowd = km.Crowd(motion)
    companion = Companion(crowd, knight, crowd.root_positions[0])
    own = companion.crowd.rig
    slips: list[list[float]] = [[], []]
    before = None
    for _ in range(300):
        pose = crowd.step(COMMANDS[0], DT)
        x, _, z = knight.scale * crowd.root_positions[0]
        shown = companion.step(crowd, pose, (float(x), float(z)), DT)
        toes = shown.global_positions[0, own.legs[:, 3]].copy()
        if before is not None:
            moved = np.hypot(*(toes - before)[:, [0, 2]].T) / DT
            for k, locked in enumerate(shown.locked[0]):
                slips[0 if locked else 1].append(float(moved[k]))
        before = toes
    assert len(slips[0]) > 100
    assert np.median(slips[0]) < 0.01
    assert np.median(slips[1]) > 0.1


def test_a_companion_that_is_put_elsewhere_takes_its_feet_along(motion, knight):
    crowd = km.Crowd(motion)
    companion = Companion(crowd, knight, crowd.root_positions[0])
    for step in range(120):
        pose = crowd.step(COMMANDS[0], DT)
        away = 5.0 if step >= 60 else 0.0
        x, _, z = knight.scale * crowd.root_positions[0]
        shown = companion.step(crowd, pose, (float(x) + away, float(z)), DT)
        reach = np.abs(shown.global_positions[0] - shown.global_positions[0, 0])[:, [0, 2]].max()
        assert reach < 1.2 * knight.target.offsets[:, 1].sum()


def test_a_companion_follows_new_settings(motion, knight):
    crowd = km.Crowd(motion)
    companion = Companion(crowd, knight, crowd.root_positions[0])
    crowd.settings = km.Settings(foot_lock=False)
    for _ in range(30):
        pose = crowd.step(COMMANDS[0], DT)
        shown = companion.step(crowd, pose, (0.0, 0.0), DT)
    assert not shown.locked.any()
