"""Standalone: a recording as a folder of files that any web server shows, with the timeline and why, without Python."""

import gzip
import shutil
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import msgspec
import numpy as np

from kinematch.errors import FileError, KinematchError
from kinematch.stream.picture import Picture
from kinematch.studio.server.answers import Explanation, Presets, Situation, Welcome, written
from kinematch.studio.server.application import STATIC
from kinematch.studio.server.messages import Explain
from kinematch.studio.session.explaining import SEARCHED, explain
from kinematch.studio.session.history import Moment
from kinematch.studio.session.recording import SUFFIX, open_recording
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.welcome import ground, welcome
from kinematch.writing import check_folder, replacing_folder

DATA = "recording.bin"
MARK = f'<meta name="kinematch-recording" content="{DATA}" />'  # by which the page knows that it has no server
FINEST = 2.0**-14  # rotations and places are rounded to this: 0.1 mm at an arm's length, and half the size
LIVE_ONLY = ("vision_*", "pose_worker*")  # what finds people in a camera's pictures
ROUNDED = ("rotations", "positions")
CANDIDATES = 8  # of each search


def export_page(
    path: str | Path, folder: str | Path, *, progress: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, int]:
    """Write a page that plays a recording; an earlier one of that name is replaced. Bytes by file."""
    if Path(path).suffix != SUFFIX:
        raise FileError(path, f"is not a recording, expected a file of type {SUFFIX}: Save in Studio writes those")
    if not (STATIC / "index.html").is_file():
        raise KinematchError("Studio's page is not built, so none can be exported: `pip install .` builds it")
    check_folder(folder, is_ours)
    data = pack_recording(open_recording(path), progress)
    with replacing_folder(folder, is_ours) as beside:
        shutil.copytree(STATIC, beside, ignore=shutil.ignore_patterns(*LIVE_ONLY), dirs_exist_ok=True)
        index = beside / "index.html"
        index.write_text(index.read_text(encoding="utf-8").replace("</head>", f"{MARK}</head>"), encoding="utf-8")
        (beside / DATA).write_bytes(data)
        return {str(file.relative_to(beside)): file.stat().st_size for file in beside.rglob("*") if file.is_file()}


def is_ours(name: str) -> bool:
    """Whether an export writes a file or folder of that name."""
    return name == DATA or (STATIC / name).exists()


def pack_recording(stage: Stage, progress: Callable[[int, int], None] = lambda done, total: None) -> bytes:
    """What the page must know, compressed: JSON, and the frames."""
    moments = stage.history.between()
    explanations = _explain_all(stage, moments, progress)
    about = {
        "welcome": msgspec.Raw(written(_welcome(stage, moments)).encode()),
        "ground": msgspec.Raw(written(ground(stage)).encode()),
        "explanations": [msgspec.Raw(written(one).encode()) for one in explanations],
    }
    text = msgspec.json.encode(about)
    text += b" " * (-len(text) % 4)
    return gzip.compress(struct.pack("<I", len(text)) + text + pack_frames([one.picture for one in moments]), mtime=0)


def pack_frames(pictures: Sequence[Picture]) -> bytes:
    """Runs of frames of one length: their count, their words (4 bytes), and word by word the changes from each frame to
    the next, which compress far better than the frames."""
    parts = []
    for _, run in groupby(map(_pack_rounded, pictures), key=len):
        words = np.stack([np.frombuffer(frame, "<u4") for frame in run])
        changes = np.diff(words, axis=0, prepend=np.zeros((1, words.shape[1]), "<u4"))
        parts.append(struct.pack("<II", *words.shape) + np.ascontiguousarray(changes.T).tobytes())
    return b"".join(parts)


def _pack_rounded(picture: Picture) -> bytes:
    rounded = {name: (np.round(picture.arrays[name] / FINEST) * FINEST).astype("<f4") for name in ROUNDED}
    frame = replace(picture, arrays={**picture.arrays, **rounded}).pack()
    return frame + bytes(-len(frame) % 4)


def _explain_all(stage: Stage, moments: Sequence[Moment], progress: Callable[[int, int], None]) -> list[Explanation]:
    """Why each search of the first character chose its frame."""
    searches = [one.step for one in moments if one.states and int(one.picture.arrays["bits"][0]) & SEARCHED]
    found = []
    for done, step in enumerate(searches):
        progress(done, len(searches))
        found.append(_shorten(explain(stage, Explain(step, count=CANDIDATES))))
    return found


def _shorten(explanation: Explanation) -> Explanation:
    """Four digits are as many as anybody reads."""
    plain = msgspec.to_builtins(explanation, builtin_types=())
    return msgspec.convert(_round(plain), Explanation)


def _round(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, list):
        return [_round(one) for one in value]
    return {key: _round(one) for key, one in value.items()} if isinstance(value, dict) else value


def _welcome(stage: Stage, moments: Sequence[Moment]) -> Welcome:
    """As a server would, but nothing can be steered, and nothing about this machine is included."""
    first, last = moments[0].step, moments[-1].step
    situation = Situation(
        playing=True, live=False, step=first, oldest=first, newest=last, how="stick", keypoints=[], loops=False,
        crowd=stage.crowd_size, terrain=stage.terrain, comparing=False, steers="", asking="", watchers=[],
    )  # fmt: skip
    told = welcome(stage, "", Presets([], ""), situation)
    return msgspec.structs.replace(told, path="", formats=[], figures=[])
