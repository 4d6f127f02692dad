"""What users do with a file of each kind: the fuzzer does the same with damaged ones."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

CROWD_SIZE, STEP_COUNT = 3, 5  # characters that a loaded file moves, and for how many steps
DOCTOR_SHARE = 10  # one file in this many is also examined, which takes longer than reading it


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


def _play(path: Path) -> None:
    """Load a database or a model, and step a small crowd: kernels index with what the file says."""
    import kinematch as km

    crowd = km.Crowd(km.load(path), CROWD_SIZE)
    for _ in range(STEP_COUNT):
        pose = crowd.step(km.move([[0, 0, 1.5]] * CROWD_SIZE), 0.1)
    assert all(np.isfinite(one).all() for one in (pose.positions, pose.rotations)), "a pose is not finite"


def _open_recording(path: Path) -> None:
    from kinematch.studio.session.recording import open_recording

    stage = open_recording(path)
    stage.resume(stage.history.between()[-1].step)
    stage.advance()


def _read_settings(path: Path) -> None:
    from kinematch.character.settings_file import load_settings

    load_settings(path)


def _read_calibration(path: Path) -> None:
    from kinematch.avatar.calibration_file import load_calibration

    load_calibration(path.stem, path.parent)


def _read_script(path: Path) -> None:
    from kinematch.control.script_file import read_script

    read_script(path)


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


# longer endings first: a name is read by the first that it ends with
READERS: dict[str, Callable[[Path], None]] = {
    ".settings.toml": _read_settings, ".settings.json": _read_settings, ".calibration.json": _read_calibration,
    ".script.jsonl": _read_script,
    ".bvh": _read_motion, ".glb": _read_motion, ".gltf": _read_motion, ".vrm": _read_motion, ".vrma": _read_motion,
    ".npz": _read_motion, ".toml": _read_recipe, ".kinematch": _play, ".kinematch-model": _play,
    ".kinerec": _open_recording, ".xml": _read_robot, ".urdf": _read_robot,
    ".jsonl": _read_recording, ".json": _read_recording, ".csv": _read_recording,
}  # fmt: skip


def find_ending(path: Path) -> str | None:
    """The ending by which a file is read; None for files that are not."""
    return next((ending for ending in READERS if path.name.lower().endswith(ending)), None)


def read_like_a_user(path: Path) -> None:
    ending = find_ending(path)
    assert ending is not None, path
    READERS[ending](path)
