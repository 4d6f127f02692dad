"""`kinematch avatar`: recorded trackers of a headset and controllers become the full body of their user."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from kinematch.cli.opening import MOTION, open_motion
from kinematch.cli.options import blaming, check_output, option
from kinematch.errors import FileError, KinematchError

if TYPE_CHECKING:
    from kinematch.avatar.avatar import Avatar, Fit
    from kinematch.avatar.calibration import Calibration
    from kinematch.avatar.orientation import DirectionEstimator
    from kinematch.avatar.trackers import Trackers
    from kinematch.motion.clip import Clip
    from kinematch.stream.vmc import VmcSender


def avatar(
    recording: Annotated[
        tyro.conf.Positional[Path],
        option("recorded trackers: our .jsonl, A-Frame motion capture, a CSV table; or a motion file as the user"),
    ],
    /,
    output: Annotated[Path | None, option("file to write: .glb, .bvh, .gif, .webp, .mp4 or .png", "-o")] = None,
    database: Annotated[Path | None, option(MOTION)] = None,
    character: Annotated[Path | None, option("a humanoid to show, such as a GLB or VRM file")] = None,
    device: Annotated[
        str | None,
        option("the user's hardware: generic, quest, pico, index, vive or none (joints); default: generic"),
    ] = None,
    height: Annotated[float | None, option("the user's height in metres; default: measured from the recording")] = None,
    user: Annotated[str | None, option("use the stored calibration of this user")] = None,
    fit: Annotated[
        Literal["avatar", "space", "none"], option("scale the avatar to the user, the user's space to it, or nothing")
    ] = "avatar",
    accuracy: Annotated[float, option("maximum distance of the body from the point below the head, in metres")] = 0.1,
    points: Annotated[
        tuple[str, ...], option("use only these tracked points: head, left_hand, right_hand, waist, ...")
    ] = (),
    frame_rate: Annotated[float, option("frames per second")] = 60.0,
    vmc: Annotated[str | None, option("also send the body to HOST:PORT as VMC, in real time")] = None,
) -> int:
    """Animate a full body from recorded trackers, and write it as motion (glb, bvh) or a film (gif, webp, mp4)."""
    from kinematch.cli.convert import MOVING, write_motion
    from kinematch.cli.screen import Screen, progress_bar
    from kinematch.files import WRITABLE

    if output is None and vmc is None:
        raise KinematchError("nothing to do: name a file with -o, or a receiver with --vmc HOST:PORT")
    check_output(output, *WRITABLE, *MOVING, ".png", reads=[recording, database, character])
    screen = Screen()
    remarks: list[str] = []
    devices, preset = read_user(recording, device, points, frame_rate, remarks)
    with progress_bar("looking at the user") as show:
        calibration, how, noticed = calibrate_user(devices, preset, height=height, user=user, progress=show)
    body = make_avatar(database, character, calibration, fit, accuracy)
    seconds, worn = devices.times[-1], _list_points(devices)
    screen.say(f"{recording}: {seconds:.1f} s of {worn}; the user is {calibration.height:.2f} m tall ({how})")
    for remark in [*remarks, *noticed]:
        screen.say(f"  {remark}")
    sender = _open_sender(body, vmc)
    with progress_bar("animating") as show:
        motion = run_avatar(body, devices, frame_rate, sender=sender, progress=show)
    if sender is not None:
        screen.say(f"sent {sender.sent} packets to {vmc}" + (f", {sender.lost} refused" if sender.lost else ""))
        sender.close()
    if output is not None:
        write_motion(output, motion)
        screen.say(f"{output}: {motion.frame_count} frames at {motion.frame_rate:g} fps")
    return 0


def read_user(
    path: Path, device: str | None, points: tuple[str, ...], frame_rate: float, remarks: list[str]
) -> "tuple[Trackers, str]":
    """The devices of a recorded user at even times, and the name of their preset; a motion file's person wears none.

    `remarks` takes what was noticed about the recording.
    """
    from kinematch.avatar.recordings import read_trackers
    from kinematch.avatar.resampling import resample_trackers
    from kinematch.avatar.simulate import track_joints
    from kinematch.avatar.trackers import HEAD
    from kinematch.files import READABLE, read_clip

    if path.suffix.lower() in READABLE:
        devices, device = track_joints(read_clip(path)), device or "none"
    else:
        devices = read_trackers(path, remarks)
    if points:
        devices = devices.keep(points)
    if not devices.valid[:, HEAD].any():
        raise FileError(path, "no headset in it; a body hangs below a head")
    return resample_trackers(devices, frame_rate), device or "generic"


def calibrate_user(
    devices: "Trackers",
    device: str,
    *,
    height: float | None = None,
    user: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> "tuple[Calibration, str, list[str]]":
    """The calibration of a recorded user, how its height is known, and what was noticed."""
    from kinematch.avatar.calibration import make_calibration
    from kinematch.avatar.calibration_file import load_calibration
    from kinematch.avatar.calibrator import Calibrator

    if user is not None:
        stored = load_calibration(user)
        if stored is None:
            raise KinematchError(f"no calibration of user {user!r} is stored")
        return (stored if height is None else replace(stored, height=height)), "stored", []
    start = make_calibration(device)
    calibrator = Calibrator(start if height is None else make_calibration(device, height=height))
    calibrator.measured.clear()
    for n in range(len(devices)):
        calibrator.watch(devices.take(slice(n, n + 1)))
        if progress is not None and n % 100 == 0:
            progress(n, len(devices))
    found, how = calibrator.settle(), "measured" if "height" in calibrator.measured else "guessed"
    if device == "none":  # joints themselves have no offsets to find
        found = replace(found, positions=start.positions, rotations=start.rotations)
    if height is not None:
        found, how = replace(found, height=height, arm_length=0.0), "given"
    return found, how, calibrator.messages


def run_avatar(
    body: "Avatar",
    devices: "Trackers",
    frame_rate: float,
    *,
    sender: "VmcSender | None" = None,
    progress: Callable[[int, int], None] | None = None,
) -> "Clip":
    """Step an avatar through recorded devices; with a sender, in real time."""
    from kinematch.motion.record import record

    poses, started = [], time.monotonic()
    for n in range(len(devices)):
        sample = devices.take(slice(n, n + 1))
        poses.append(body.step(sample, 1 / frame_rate))
        if sender is not None:
            time.sleep(max(0.0, started + n / frame_rate - time.monotonic()))
            sender.send(poses[-1], n / frame_rate, devices=sample)
        if progress is not None:
            progress(n + 1, len(devices))
    return record(poses, body.skeleton, frame_rate, name="avatar")


def make_avatar(
    database: Path | None, character: Path | None, calibration: "Calibration", fit: "Fit", accuracy: float,
    estimator: "DirectionEstimator | None" = None,
) -> "Avatar":  # fmt: skip
    """An avatar that plays a database, a model or the built-in motion, on its own skeleton or a character's."""
    from kinematch.avatar.avatar import Avatar
    from kinematch.cli.screen import progress_bar
    from kinematch.files import read_clip
    from kinematch.motion.clean.root import with_root

    skeleton = None
    if character is not None:
        with blaming(character):
            skeleton = with_root(read_clip(character).skeleton)
    with progress_bar("opening") as show:
        motion, _ = open_motion(database, show)
    with blaming(character or database):
        return Avatar(
            motion, skeleton=skeleton, calibration=calibration, fit=fit, accuracy=accuracy, estimator=estimator,
        )  # fmt: skip


def _open_sender(body: "Avatar", vmc: str | None) -> "VmcSender | None":
    if vmc is None:
        return None
    from kinematch.stream.osc import parse_address
    from kinematch.stream.vmc import PORT, VmcSender

    host, port = parse_address(vmc, PORT)
    return VmcSender(body.skeleton, host, port)


def _list_points(devices: "Trackers") -> str:
    from kinematch.avatar.trackers import POINTS

    return ", ".join(point.replace("_", " ") for k, point in enumerate(POINTS) if devices.valid[:, k].any())
