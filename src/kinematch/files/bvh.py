"""Reading BVH: any Euler order, any channels on any joint, any spacing; broken files give one error with its line."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from kinematch.errors import FileError
from kinematch.files import kernels
from kinematch.files.bvh_hierarchy import MAX_VALUE, Hierarchy, Joint, Scanner, read_hierarchy
from kinematch.files.bvh_stated import read_statement
from kinematch.files.frame_rate import frame_rate_from_time
from kinematch.files.kernels import euler_to_quaternions
from kinematch.files.reading import opened, shorten
from kinematch.motion.clip import Clip, Origin
from kinematch.motion.skeleton import skeleton

MAX_HIERARCHY_BYTES = 8 << 20  # the hierarchy must end within this; that is room for some 50,000 joints
MAX_BYTES_PER_VALUE = 64  # more than any way to print a number; a motion part beyond it is something else
MAX_RATE_ROUNDING = 0.01  # relative difference from the printed frame time above which the frame rate is reported
STATED, INFERRED = "stated by the file", "not yet inferred"
MAX_FRAME_SECONDS, MIN_FRAME_SECONDS = 3600.0, 1e-5  # seconds a frame: outside of these a frame time is a mistake


def read_bvh(path: str | Path) -> Clip:
    """The motion as it stands in the file: its units, its axes. Roles and T-pose are not yet known."""
    with opened(path) as (file, size):
        scan = Scanner(path, file.read(MAX_HIERARCHY_BYTES))
        tree = read_hierarchy(scan)
        frames, frame_rate, frames_line, notes = _read_motion_header(scan)
        _refuse_absurd_sizes(scan, tree, frames, size)
        if size > len(scan.data):
            file.seek(0)
            scan.data = file.read(size)
    values = _read_values(scan, frames, tree.channel_count, frames_line=frames_line)
    positions, rotations = _pose(tree.joints, values)
    rig = skeleton(
        [joint.name for joint in tree.joints],
        [joint.parent for joint in tree.joints],
        np.array([joint.offset for joint in tree.joints]),
        ends=tree.ends,
    )
    source = Origin(
        path=str(path),
        format="bvh",
        unit_reason=INFERRED,
        up_reason=INFERRED,
        notes=(*tree.notes, *notes),
    )
    stated = read_statement(scan.data[:8192])
    if stated is not None and MIN_FRAME_SECONDS <= stated[0] <= 1 / MIN_FRAME_SECONDS:
        source = replace(source, unit=stated[0], up=stated[1], unit_reason=STATED, up_reason=STATED)
    return Clip(rig, positions, rotations, frame_rate, name=Path(path).stem, source=source)


def _read_motion_header(scan: Scanner) -> tuple[int, float, int, list[str]]:
    """Frames, frames per second, the line that names the frames, and what was understood rather than read."""
    scan.skip(rb"\s*Frames\s*:?", "'Frames:' after MOTION")
    word = scan.word()
    if not word.isdigit() or len(word) > 12 or int(word) == 0:
        scan.fail(f"'Frames: {shorten(word)}', expected a whole number of frames, at least 1")
    frames, line = int(word), scan.line_at(scan.word_at)
    scan.skip(rb"\s*Frame\s*Time\s*:?", "'Frame Time:' after 'Frames:'")
    word = scan.word()
    seconds = scan.to_number(word, "the seconds a frame")
    if not MIN_FRAME_SECONDS <= seconds <= MAX_FRAME_SECONDS:
        scan.fail(
            f"'Frame Time: {shorten(word)}', expected seconds between {MIN_FRAME_SECONDS} and {MAX_FRAME_SECONDS:.0f}"
        )
    rate = frame_rate_from_time(word.decode())
    rounded = abs(rate * seconds - 1) > MAX_RATE_ROUNDING
    note = f"frame time {shorten(word)} is taken for {rate:g} frames a second; to the letter it is {1 / seconds:.4g}"
    return frames, rate, line, [note] if rounded else []


def _refuse_absurd_sizes(scan: Scanner, tree: Hierarchy, frames: int, size: int) -> None:
    """Checks before anything large is read or allocated; other errors are found later, with their lines."""
    joints, width, rest = len(tree.joints), tree.channel_count, size - scan.position
    if width == 0:
        scan.fail("no joint has any CHANNELS, so there is no motion to read")
    if rest > frames * width * MAX_BYTES_PER_VALUE + (1 << 20):
        scan.fail(f"'Frames: {frames}' of {width} values each cannot fill the {rest} bytes that follow")
    if frames * joints > 4 * frames * width + 10_000_000:
        scan.fail(f"{joints} joints over {frames} frames, with {width} CHANNELS in all, would fill memory for nothing")


def _read_values(scan: Scanner, frames: int, width: int, *, frames_line: int) -> np.ndarray:
    """The numbers (F, C), one line a frame."""
    array = np.frombuffer(scan.data, np.uint8)
    lines, wrong, words, before = kernels.survey_lines(array, scan.position, width)
    if wrong >= 0:
        line = scan.line_at(scan.position) + wrong
        if before == lines - 1 and lines <= frames:
            message = f"the file ends within frame {lines} of {frames}: {words} values, expected {width}"
        else:
            message = f"{words} values in frame {before + 1}, expected {width}: one for each channel of each joint"
        raise FileError(scan.path, message, line=line)
    if lines != frames:
        raise FileError(scan.path, f"'Frames: {frames}', but {lines} lines of values follow", line=frames_line)
    values = np.empty((frames, width))
    position, frame = kernels.parse_lines(array, scan.position, MAX_VALUE, values)
    if position >= 0:
        word = scan.data[position : position + 64].split(maxsplit=1)[0]
        message = f"{shorten(word)!r} in frame {frame + 1}, expected a finite number below {MAX_VALUE:.0e}"
        raise FileError(scan.path, message, line=scan.line_at(position))
    return values


def _pose(joints: list[Joint], values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Local positions and rotations; channels a joint lacks keep its offset, or turn by nothing."""
    frames, count = len(values), len(joints)
    positions = np.empty((frames, count, 3), np.float32)
    positions[:] = np.array([joint.offset for joint in joints])
    angles = np.zeros((frames, count, 3))
    axes = np.empty((count, 3), np.int64)
    column = 0
    for j, joint in enumerate(joints):
        turns: list[int] = []
        for kind, axis in joint.channels or ():
            if kind == "position":
                positions[:, j, axis] = values[:, column]
            else:
                angles[:, j, len(turns)] = np.radians(values[:, column])
                turns.append(axis)
            column += 1
        axes[j] = [*turns, 0, 1, 2][:3]  # the angles of added axes are zero
    return positions, euler_to_quaternions(angles, axes).astype(np.float32)
