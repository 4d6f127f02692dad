"""`kinematch camera`: a video or recorded landmarks, with or without trackers, become a full body."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from kinematch.cli.opening import MOTION
from kinematch.cli.options import check_output, option
from kinematch.errors import FileError, KinematchError

if TYPE_CHECKING:
    from kinematch.camera.fusion import CameraFusion
    from kinematch.camera.landmarks import Landmarks
    from kinematch.cli.screen import Screen

SETUP = "setup"
MAX_PITCH_DEGREES = 80.0  # degrees
TALL = 0.9  # quantile of the heights of a head that counts as its height when standing


def camera(
    source: Annotated[
        tyro.conf.Positional[str],
        option("a video, a folder of pictures, a webcam's number, recorded landmarks (.jsonl); or the word `setup`"),
    ],
    /,
    output: Annotated[
        Path | None, option("file to write: .glb, .bvh, .gif, .webp, .mp4 or .png; landmarks as .jsonl", "-o")
    ] = None,
    trackers: Annotated[
        Path | None, option("simultaneous tracker recording; without it the camera alone drives the body")
    ] = None,
    database: Annotated[Path | None, option(MOTION)] = None,
    character: Annotated[Path | None, option("a humanoid to show, such as a GLB or VRM file")] = None,
    device: Annotated[str | None, option("with --trackers: the user's hardware; default: generic")] = None,
    height: Annotated[float | None, option("the user's height in metres; default: measured, or 1.7")] = None,
    pitch: Annotated[float | None, option("downward pitch of the camera in degrees; default: estimated")] = None,
    field_of_view: Annotated[float, option("horizontal field of view of the camera in degrees")] = 65.0,
    seconds: Annotated[float | None, option("maximum seconds to read; default: all of a video, 10 of a webcam")] = None,
    start: Annotated[float, option("seconds of a video to skip")] = 0.0,
    near: Annotated[
        tuple[float, float] | None,
        option(
            "initial position of the person to track, as fractions of width and height; default: the largest person"
        ),
    ] = None,
    frame_rate: Annotated[float, option("frames per second of the output")] = 60.0,
    model: Annotated[str, option("the pose model: full, lite, or the path of a .task file")] = "full",
    address: Annotated[str | None, option("with setup: URL of the model")] = None,
) -> int:
    """Find a body in a video or images, and write it as motion, a film or landmarks.

    `kinematch camera setup` downloads the pose model, once; nothing else is ever downloaded.
    """
    from kinematch.cli.screen import Screen

    screen = Screen()
    if source == SETUP:
        return _set_up(screen, model, address)
    from kinematch.cli.convert import MOVING
    from kinematch.files import WRITABLE

    if address is not None:
        raise KinematchError("--address means nothing without setup")
    if output is None:
        raise KinematchError("nothing to do: name a file with -o")
    if pitch is not None and not abs(pitch) <= MAX_PITCH_DEGREES:
        raise KinematchError(f"--pitch {pitch:g}, expected -{MAX_PITCH_DEGREES:g} to {MAX_PITCH_DEGREES:g} degrees")
    if not 12 <= field_of_view <= 160:
        raise KinematchError(f"--field-of-view {field_of_view:g}, expected 12 to 160 degrees")
    check_output(output, ".jsonl", *WRITABLE, *MOVING, ".png", reads=[Path(source)])
    landmarks = _find_landmarks(screen, source, model, start, seconds, near)
    if output.suffix.lower() == ".jsonl":
        from kinematch.camera.landmarks_file import write_landmarks

        write_landmarks(output, landmarks)
        screen.say(f"{output}: {len(landmarks)} frames")
        return 0
    _animate(
        screen, landmarks, output, trackers, database, character, device, height=height, pitch=pitch,
        field_of_view=field_of_view, frame_rate=frame_rate,
    )  # fmt: skip
    return 0


def _set_up(screen: "Screen", model: str, address: str | None) -> int:
    from kinematch.camera.model_file import MODELS, set_up_model
    from kinematch.cli.screen import progress_bar

    source = None if model in MODELS else Path(model)
    name = model if source is None else _name_model(source)
    with progress_bar("fetching the pose model") as show:
        place = set_up_model(name, source=source, address=address, progress=show)
    screen.say(f"{place}: the {name} pose model, {MODELS[name].size / 1e6:.1f} MB, SHA-256 as published")
    return 0


def _name_model(source: Path) -> str:
    """Which of the published models a file is, by its size."""
    from kinematch.camera.model_file import MODELS

    if not source.is_file():
        raise FileError(source, f"no such model; expected a .task file, or one of {', '.join(MODELS)}")
    for name, model in MODELS.items():
        if source.stat().st_size == model.size:
            return name
    sizes = ", ".join(f"{model.size} ({name})" for name, model in MODELS.items())
    raise FileError(source, f"is not a published model: {source.stat().st_size} bytes, expected {sizes}")


def _find_landmarks(
    screen: "Screen", source: str, model: str, start: float, seconds: float | None, near: tuple[float, float] | None
) -> "Landmarks":
    import numpy as np

    from kinematch.camera.landmarks_file import is_landmarks, read_landmarks
    from kinematch.camera.mediapipe import estimate_landmarks
    from kinematch.cli.screen import progress_bar

    crowded = 0
    if is_landmarks(source):
        landmarks = read_landmarks(source)
    else:
        with progress_bar("looking at pictures") as show:
            landmarks, crowded = estimate_landmarks(
                source, model=model, start=start, seconds=seconds, near=near, progress=show
            )
    hips = landmarks.visibility[:, landmarks.find(("left_hip", "right_hip"))].min(axis=1)
    screen.say(
        f"{source}: {len(landmarks)} pictures, {landmarks.times[-1] - landmarks.times[0]:.1f} s; a body in "
        f"{np.mean(landmarks.seen):.0%}, its hips in {np.mean(hips > 0.5):.0%}"
    )
    if crowded:
        screen.say(f"  more than one person in {crowded} pictures; one of them is followed (--near picks another)")
    return landmarks


def _animate(
    screen: "Screen", landmarks: "Landmarks", output: Path, trackers: Path | None, database: Path | None,
    character: Path | None, device: str | None, *, height: float | None, pitch: float | None, field_of_view: float,
    frame_rate: float,
) -> None:  # fmt: skip
    import numpy as np

    from kinematch.avatar.calibration import DEFAULT_HEIGHT, EYE_TO_CROWN
    from kinematch.avatar.resampling import resample_trackers
    from kinematch.avatar.trackers import HEAD
    from kinematch.camera.alone import find_joints
    from kinematch.camera.fusion import CameraFusion
    from kinematch.cli.avatar import calibrate_user, make_avatar, read_user, run_avatar
    from kinematch.cli.convert import write_motion
    from kinematch.cli.screen import progress_bar

    angle, view = None if pitch is None else float(np.radians(pitch)), float(np.radians(field_of_view))
    fusion = None
    if trackers is not None:
        remarks: list[str] = []
        devices, preset = read_user(trackers, device, (), frame_rate, remarks)
        for remark in remarks:
            screen.say(f"{trackers}: {remark}")
        fusion = CameraFusion(field_of_view=view, pitch=angle)
    else:
        if device is not None:
            raise KinematchError("--device means nothing without --trackers")
        joints = find_joints(landmarks, height=height or DEFAULT_HEIGHT, field_of_view=view, pitch=angle)
        devices, preset = resample_trackers(joints, frame_rate), "none"
        # a joint is lower than the eyes, from which trackers derive a height
        height = float(np.quantile(devices.positions[:, HEAD, 1], TALL)) + EYE_TO_CROWN
    calibration, how, _ = calibrate_user(devices, preset, height=height)
    body = make_avatar(database, character, calibration, "avatar", 0.1, estimator=fusion)
    if fusion is not None:
        fusion.see(landmarks)
    with progress_bar("animating") as show:
        motion = run_avatar(body, devices, frame_rate, progress=show)
    if fusion is not None:
        screen.say(f"the user is {calibration.height:.2f} m tall ({how})")
        _tell_camera(screen, fusion)
    write_motion(output, motion)
    screen.say(f"{output}: {motion.frame_count} frames at {motion.frame_rate:g} fps")


def _tell_camera(screen: "Screen", fusion: "CameraFusion") -> None:
    """Where the camera was found, or that it was not."""
    import numpy as np

    observer = fusion.observers[0]
    pose = observer.alignment.pose
    if pose.position is None:
        screen.say("the camera could not be aligned: nose and wrists were hardly seen; trackers alone drove the body")
        return
    x, y, z = pose.position
    screen.say(
        f"the camera is at {x:.2f} {y:.2f} {z:.2f} m, looks towards {np.degrees(pose.yaw) % 360:.0f} degrees and "
        f"{np.degrees(pose.pitch):.0f} down; nose and wrists fit within {100 * pose.residual:.0f} cm; "
        f"its landmarks are {1000 * observer.offset.seconds:.0f} ms late"
    )
