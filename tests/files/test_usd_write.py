"""USD: what is written is what UsdSkel computes, frame by frame; without the package the extra is named."""

import numpy as np
import pytest

from kinematch.errors import FileError
from kinematch.files import write_clip
from kinematch.files.usd_write import name_paths
from kinematch.motion.kinematics import global_pose, rest_pose
from kinematch.motion.skeleton import skeleton
from kinematch.synth import walk_along


@pytest.mark.parametrize("ending", [".usda", ".usdc"])
def test_usd_places_the_joints_where_we_do(ending, tmp_path, need_extra):
    need_extra("pxr", "usd")
    from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

    clip = walk_along([(0, 0), (1, 2)]).frames(0, 40)
    path = tmp_path / f"walk{ending}"
    write_clip(path, clip)
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert (stage.GetTimeCodesPerSecond(), stage.GetEndTimeCode()) == (clip.frame_rate, 39)
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetDefaultPrim())
    cache.Populate(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/Character/Skeleton")))
    assert query
    expected = global_pose(clip)[0]
    for frame in (0, 17, 39):
        matrices = np.array(query.ComputeJointSkelTransforms(Usd.TimeCode(frame)))
        np.testing.assert_allclose(matrices[:, 3, :3], expected[frame], atol=1e-5)
    rest = np.array(query.ComputeJointSkelTransforms(Usd.TimeCode.Default(), atRest=True))
    np.testing.assert_allclose(rest[:, 3, :3], rest_pose(clip.skeleton)[0], atol=1e-5)
    # the body is skinned: every vertex moves with its joint, so its box is the one of the pose
    skinning = cache.GetSkinningQuery(stage.GetPrimAtPath("/Character/Body"))
    points = Vt.Vec3fArray(UsdGeom.Mesh(stage.GetPrimAtPath("/Character/Body")).GetPointsAttr().Get())
    transforms = query.ComputeSkinningTransforms(Usd.TimeCode(39))
    assert skinning.ComputeSkinnedPoints(transforms, points, Usd.TimeCode(39))
    box = Gf.Range3f()
    for point in points:
        box.UnionWith(point)
    centre = np.array(box.GetMidpoint())[[0, 2]]
    assert np.linalg.norm(centre - expected[39, 0, [0, 2]]) < 0.3
    assert box.GetMin()[1] < 0.05 < 1.6 < box.GetMax()[1]


def test_names_become_what_usd_allows():
    rig = skeleton(["mixamorig:Hips", "2 é", "2_é", "Fuß"], [-1, 0, 0, 1], np.zeros((4, 3)))
    paths = name_paths(rig)
    assert len(set(paths)) == 4
    assert all(part.isidentifier() and part.isascii() for path in paths for part in path.split("/"))
    assert paths[3].startswith(paths[1] + "/")


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("kinematch.files.usd_write.find_spec", lambda name: None)
    with pytest.raises(FileError, match=r"kinematch\[usd\]"):
        write_clip(tmp_path / "x.usda", walk_along([(0, 0), (0, 1)]))
    assert not list(tmp_path.iterdir())
