"""Compares joints in Godot 3 with ours: GLB files that we write, imported and played by Godot itself, without a screen.

Run by hand, with Debian's godot3-server or the program that GODOT names: python docs/check_godot.py FILES...
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from kinematch.files import read_clips
from kinematch.files.engines import prepare_clip, write_for_engine
from kinematch.motion.kinematics import global_pose

GODOT = os.environ.get("GODOT", "godot3-server")
FRAMES = 120  # of each clip
PATIENCE = 60  # s
PROJECT = """config_version=4
[application]
config/name="check"
"""
SCRIPT = """extends SceneTree

func _init():
	var scene = load("res://clip.glb").instance()
	root.add_child(scene)
	var player = find_kind(scene, "AnimationPlayer")
	var skeleton = find_kind(scene, "Skeleton")
	player.play(player.get_animation_list()[0])
	for frame in range(COUNT):
		player.seek(min(frame / RATE, player.current_animation_length), true)
		for bone in range(skeleton.get_bone_count()):
			var p = (skeleton.global_transform * skeleton.get_bone_global_pose(bone)).origin
			print("JOINT %d %s %.7f %.7f %.7f" % [frame, skeleton.get_bone_name(bone), p.x, p.y, p.z])
	quit()

func find_kind(node, kind):
	if node.is_class(kind):
		return node
	for child in node.get_children():
		var found = find_kind(child, kind)
		if found != null:
			return found
	return null
"""


def main(paths: list[str]) -> None:
    for source in paths:
        clip = read_clips(source)[0]
        clip = prepare_clip(clip.frames(0, min(FRAMES, clip.frame_count)), "godot")
        told = []
        for exactly in (False, True):
            apart = np.linalg.norm(play_in_godot(clip, exactly) - global_pose(clip)[0], axis=-1)
            told.append(f"{1000 * apart.max():.3f} mm")
        print(f"{Path(source).name}: {clip.frame_count} frames, {clip.skeleton.joint_count} joints")
        print(f"  as Godot imports it by itself {told[0]}; at the clip's rate, without the optimizer {told[1]}")


def play_in_godot(clip, exactly: bool) -> np.ndarray:
    """Positions (F, J, 3) of joints in Godot."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        folder.mkdir()
        (folder / "project.godot").write_text(PROJECT)
        script = SCRIPT.replace("COUNT", str(clip.frame_count)).replace("RATE", f"{clip.frame_rate:.6f}")
        (folder / "check.gd").write_text(script)
        write_for_engine(folder / "clip.glb", clip, "godot")
        import_files(folder)
        if exactly:
            settings = folder / "clip.glb.import"
            text = settings.read_text().replace("optimizer/enabled=true", "optimizer/enabled=false")
            settings.write_text(re.sub(r"animation/fps=.*", f"animation/fps={clip.frame_rate:g}", text))
            for file in (folder / ".import").iterdir():
                file.unlink()
            import_files(folder)
        said = run_script(folder)
    # Godot 3.2 gives bones other names (left_upper_leg); their order is the file's
    found = re.findall(r"^JOINT \d+ .+ (\S+) (\S+) (\S+)$", said, re.M)
    return np.array(found, float).reshape(clip.frame_count, clip.skeleton.joint_count, 3)


def import_files(folder: Path) -> None:
    """The editor imports what is new in a project, but does not end by itself on every machine."""
    editor = subprocess.Popen(
        [GODOT, "--path", str(folder), "--editor", "--quit"], env=find_environment(folder),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    until = time.monotonic() + PATIENCE
    while editor.poll() is None and time.monotonic() < until and not list(folder.glob(".import/*.md5")):
        time.sleep(0.2)
    time.sleep(1)
    editor.kill()
    editor.wait()


def run_script(folder: Path) -> str:
    done = subprocess.run(
        [GODOT, "--path", str(folder), "-s", "check.gd"], env=find_environment(folder), capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip
    return done.stdout


def find_environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder.parent / "home")}


if __name__ == "__main__":
    main(sys.argv[1:])
