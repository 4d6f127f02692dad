"""Compares joints in Blender with ours: files that we write, imported there, and FBX that Blender writes, read here.

Run by hand, never in CI, with a Python that has bpy 4.5 and what Kinematch needs:
python -m venv blender && blender/bin/pip install bpy==4.5.* . 'ufbx==0.0.5' usd-core
blender/bin/python docs/check_blender.py FILES...
"""

import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np

from kinematch.files import read_clip, read_clips
from kinematch.files.engines import prepare_clip, write_for_engine
from kinematch.motion.kinematics import global_pose

FRAMES = 120  # of each clip


def import_file(path: Path, rate: float) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = round(rate), round(rate) / rate
    if path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True, update_scene_duration=True)
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.wm.usd_import(filepath=str(path))


def find_joints(names: list[str], count: int, first: int) -> np.ndarray:
    """Heads of bones (F, J, 3) in our axes: Blender has Z up."""
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    found = np.empty((count, len(names), 3))
    for frame in range(count):
        bpy.context.scene.frame_set(first + frame)
        world = armature.matrix_world
        heads = [world @ armature.pose.bones[name].head for name in names]
        found[frame] = [(x, z, -y) for x, y, z in heads]
    return found


def compare(one: np.ndarray, other: np.ndarray) -> str:
    return f"{1000 * np.linalg.norm(one - other, axis=-1).max():.3f} mm"


def main(paths: list[str]) -> None:
    for source in paths:
        clip = read_clips(source)[0]
        clip = prepare_clip(clip.frames(0, min(FRAMES, clip.frame_count)), "blender")
        expected, names = global_pose(clip)[0], list(clip.skeleton.names)
        with tempfile.TemporaryDirectory() as folder:
            results = {}
            for ending, first in ((".bvh", 1), (".glb", 0), (".usda", 0)):
                path = Path(folder) / f"clip{ending}"
                write_for_engine(path, clip, "blender")
                import_file(path, clip.frame_rate)
                own = names if ending != ".usda" else [name.replace(".", "_") for name in names]
                results[ending] = compare(find_joints(own, clip.frame_count, first), expected)
                if ending == ".bvh":
                    fbx = Path(folder) / "clip.fbx"
                    bpy.ops.export_scene.fbx(
                        filepath=str(fbx), add_leaf_bones=False, bake_anim=True, bake_anim_simplify_factor=0.0
                    )
            back = read_clip(fbx)
            own_joints = [back.skeleton.names.index(name) for name in names]
            places = global_pose(back)[0][: clip.frame_count, own_joints]
            results[".fbx in"] = compare(places, expected[: len(places)])
            told = ", ".join(f"{kind} {value}" for kind, value in results.items())
            print(f"RESULT {Path(source).name}: {clip.frame_count} frames, {len(names)} joints: {told}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
