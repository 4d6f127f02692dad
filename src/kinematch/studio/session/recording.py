"""Recordings: the last minutes in one file that another person can open, with everything to replay and explain them."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kinematch.character import Settings
from kinematch.character.settings import from_plain, to_plain
from kinematch.character.state import State
from kinematch.control.stick import Gait
from kinematch.database.container import Words, read_arrays, write_arrays
from kinematch.database.file_checks import ArrayRule, check_arrays
from kinematch.database.storage import from_arrays, to_arrays
from kinematch.errors import FileError, KinematchError
from kinematch.motion.skeleton import Skeleton
from kinematch.stream.picture import Picture, read_picture
from kinematch.studio.server.answers import GaitInfo
from kinematch.studio.server.messages import PathPoint, TerrainKind
from kinematch.studio.session.avatar_mesh import OwnCharacter
from kinematch.studio.session.excerpt import squeeze, thin_database, unsqueeze
from kinematch.studio.session.history import Moment
from kinematch.studio.session.robots import WornRobot
from kinematch.studio.session.stage import Stage

FORMAT = "kinematch recording"
VERSION = 5  # older ones hold the whole database
SUFFIX = ".kinerec"
GROUPS = ("a", "others", "b")
DATABASE, WORN = "database.", "worn."  # what the names of their arrays begin with
LATER = ("schedule.left",)  # arrays that older recordings lack; they start from their defaults
SKELETON = ("parents", "offsets", "rotations", "end_parents", "end_offsets", "file_order", "tpose")
WORDS = Words("recording", "Save in Studio writes those", "ask whoever sent it for another copy")

TABLE = {  # N moments; numbers of settings and filters are -1 where a moment has none
    "steps": ArrayRule("i8", "N", 0, 2**53),
    "frame_stops": ArrayRule("i8", "N", 0, 2**53),
    "frames": ArrayRule("u1", "bytes"),
    **{f"settings.{side}": ArrayRule("i4", "N", -1, below="settings") for side in ("a", "b")},
    **{f"filters.{group}": ArrayRule("i4", "N", -1, below="filters") for group in GROUPS},
    **{f"progress.{group}": ArrayRule("f8", "N", any=True) for group in GROUPS},
    **{f"counts.{group}": ArrayRule("i4", "N", 0) for group in GROUPS},
}


def save_recording(path: str | Path, stage: Stage, start: int = 0, stop: int | None = None) -> None:
    """Write what was played in steps [start, stop), and as much of the database as that needs."""
    if stage.compared:
        raise KinematchError("a recording holds one database; play one file alone to record it")
    moments = stage.history.between(start, stop)
    if not moments:
        raise KinematchError(f"no steps between {start} and {stop} are kept")
    arrays, database = to_arrays(stage.database)
    arrays = thin_database(arrays, stage, moments)
    arrays = {DATABASE + name: array for name, array in arrays.items()}
    arrays["steps"] = np.array([moment.step for moment in moments], np.int64)
    frames = [moment.picture.pack() for moment in moments]
    arrays["frame_stops"] = np.cumsum([len(frame) for frame in frames]).astype(np.int64)
    arrays["frames"] = np.frombuffer(b"".join(frames), np.uint8)
    settings: list[dict[str, Any]] = []
    filters: list[str] = []
    for side in ("a", "b"):
        arrays[f"settings.{side}"] = _numbered([_plain(m.settings.get(side)) for m in moments], settings)
    for group in GROUPS:
        arrays[f"filters.{group}"] = _numbered([m.filters.get(group) for m in moments], filters)
        arrays[f"progress.{group}"] = np.array([m.progress.get(group, np.nan) for m in moments], np.float64)
        arrays |= _state_arrays(group, moments)
    about = {
        "database": database, "name": stage.name, "settings": settings, "filters": filters,
        "terrain": stage.terrain, "how": stage.pilot.how, "loops": stage.pilot.loops,
        "keypoints": [[point.x, point.z, point.speed] for point in stage.pilot.keypoints],
        "gaits": [  # speeds of the whole database, of which only an excerpt is kept
            [info.name, info.filter, gait.forward, gait.sideways, gait.backward]
            for info in stage.pilot.gait_infos for gait in [stage.pilot.gaits[info.name]]
        ],
    }  # fmt: skip
    if isinstance(stage.worn, WornRobot):
        raise FileError(path, "a robot is shown, and recordings keep characters alone: export the motion")
    if stage.worn is not None:  # its skeleton alone: meshes are the user's own to pass on
        own = stage.worn.skeleton
        arrays |= {WORN + name: np.asarray(getattr(own, name)) for name in SKELETON if getattr(own, name) is not None}
        about["worn"] = {"name": stage.worn.name, "names": own.names, "roles": dict(own.roles)}
    squeezed, shapes = squeeze(arrays)
    write_arrays(Path(path), squeezed, format=FORMAT, version=VERSION, about={**about, "squeezed": shapes})


def read_recording(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of a recording and their description, unchecked."""
    arrays, about = read_arrays(Path(path), format=FORMAT, version=VERSION, verify=True, words=WORDS)
    shapes = about.pop("squeezed", None)
    return arrays if shapes is None else unsqueeze(arrays, shapes), about


def open_recording(path: str | Path) -> Stage:
    """A stage that shows a recording, paused at its beginning; one can go on from any of its moments."""
    path = Path(path)
    try:
        arrays, about = read_recording(path)
        own = {name.removeprefix(DATABASE): array for name, array in arrays.items() if name.startswith(DATABASE)}
        database = from_arrays(path, own, about["database"], WORDS)
        stage = Stage(database, name=str(about["name"]), path=str(path), worn=_read_worn(arrays, about.get("worn")))
        _offer_gaits(stage, about.get("gaits", []))
        stage.pilot.follow([PathPoint(*map(float, point)) for point in about["keypoints"]], bool(about["loops"]))
        stage.pilot.steer_by("path" if about["how"] == "path" else "stick")
        stage.set_terrain(_read_terrain(about["terrain"]))
        stage.remember(_moments(stage, arrays, about))
    except FileError:
        raise
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        OverflowError,
        KinematchError,
        zlib.error,
    ) as error:
        raise FileError(path, f"is damaged: {error}; {WORDS.remedy}", kind="damaged") from error
    return stage


def _offer_gaits(stage: Stage, recorded: list[Any]) -> None:
    """The gaits of the stage that was recorded; older recordings have none, but the whole database."""
    gaits = {str(name): Gait(*map(float, speeds)) for name, _, *speeds in recorded}
    infos = [GaitInfo(str(name), float(forward), str(filter_)) for name, filter_, forward, *_ in recorded]
    if infos:
        stage.pilot.offer_gaits(gaits, infos, stage.database)


def _read_terrain(kind: str | bool) -> TerrainKind:
    """The kind of ground; older recordings say only whether there are hills."""
    return msgspec.convert(("hills" if kind else "flat") if isinstance(kind, bool) else kind, TerrainKind)


def _read_worn(arrays: dict[str, np.ndarray], about: dict[str, Any] | None) -> OwnCharacter | None:
    if about is None:
        return None
    parts = {name: arrays[WORN + name] for name in SKELETON if WORN + name in arrays}
    names = tuple(str(name) for name in about["names"])
    roles = {str(role): int(joint) for role, joint in about["roles"].items()}
    return OwnCharacter(str(about["name"]), Skeleton(names, roles=roles, **parts), (-1,) * len(names), b"")


def _plain(settings: Settings | None) -> dict[str, Any] | None:
    return None if settings is None else to_plain(settings)


def _numbered(values: Sequence[Any], known: list[Any]) -> np.ndarray:
    """Each value as its place in a list of different ones, which grows; -1 for none."""
    for value in values:
        if value is not None and value not in known:
            known.append(value)
    return np.array([-1 if value is None else known.index(value) for value in values], np.int32)


def _state_arrays(group: str, moments: Sequence[Moment]) -> dict[str, np.ndarray]:
    """The states of one group end to end, and how many characters each moment has; 0 where none was kept."""
    states = [moment.states.get(group) for moment in moments]
    counts = [0 if state is None else len(state.playing.frames) for state in states]
    arrays = {f"counts.{group}": np.array(counts, np.int32)}
    kept = [state.arrays() for state in states if state is not None]
    for name in kept[0] if kept else ():
        arrays[f"state.{group}.{name}"] = np.concatenate([own[name] for own in kept])
    return arrays


def _moments(stage: Stage, arrays: dict[str, np.ndarray], about: dict[str, Any]) -> list[Moment]:
    check_arrays(arrays, TABLE, {"settings": len(about["settings"]), "filters": len(about["filters"])})
    steps, stops = arrays["steps"].tolist(), arrays["frame_stops"].tolist()
    if not steps or steps != list(range(steps[0], steps[0] + len(steps))):
        raise KinematchError("its steps do not follow one another")
    settings = [from_plain(one) for one in about["settings"]]
    states = {group: _states(stage, group, arrays) for group in GROUPS}
    moments = []
    for k, (begin, end) in enumerate(zip([0, *stops], stops)):
        picture = read_picture(arrays["frames"][begin:end].tobytes())
        _check_picture(stage, picture, steps[k])
        named = {side: int(arrays[f"settings.{side}"][k]) for side in ("a", "b")}
        filters = {group: int(arrays[f"filters.{group}"][k]) for group in GROUPS}
        progress = {group: float(arrays[f"progress.{group}"][k]) for group in GROUPS}
        moments.append(
            Moment(
                steps[k],
                picture,
                {group: one for group in GROUPS if (one := states[group][k]) is not None},
                {side: settings[number] for side, number in named.items() if number >= 0},
                {group: str(about["filters"][number]) for group, number in filters.items() if number >= 0},
                {group: metres for group, metres in progress.items() if np.isfinite(metres)},
            )
        )
    return moments


def _check_picture(stage: Stage, picture: Picture, step: int) -> None:
    header, arrays = picture.header, picture.arrays
    view, poses = stage.view, stage.database.poses
    expected = (step, stage.skeleton.joint_count, len(view.positioned), len(view.horizons))
    if tuple(header[name] for name in ("step", "joints", "positioned", "horizons")) != expected:
        raise ValueError(f"the frame of step {step} is of another skeleton or step")
    if not ((arrays["frames"] >= 0) & (arrays["frames"] < poses.frame_count)).all():
        raise ValueError(f"the frame of step {step} names frames that are not in the database")


def _states(stage: Stage, group: str, arrays: dict[str, np.ndarray]) -> list[State | None]:
    """The states of one group, checked as kernels trust them: shapes, types, and frames that exist."""
    counts = arrays[f"counts.{group}"].tolist()
    whole_size = len(arrays.get(f"state.{group}.playing.frames", ()))
    if sum(counts) != whole_size:
        raise KinematchError(f"counts.{group} are of {sum(counts)} characters, expected {whole_size}")
    model, frames = stage.crowds["a"].state, stage.database.poses.frame_count
    whole = model.take(np.zeros(sum(counts), np.int32))
    for name, array in whole.arrays().items():
        at = f"state.{group}.{name}"
        given = arrays[at] if sum(counts) and (at in arrays or name not in LATER) else array
        if given.dtype != array.dtype or given.shape != array.shape:
            raise ValueError(f"its state {name} has shape {given.shape}")
        if np.isfinite(array).all() and not np.isfinite(given).all():  # some begin as NaN: nothing was asked yet
            raise ValueError(f"its state {name} is not finite")
        array[...] = given
    if (whole.playing.sources != 0).any():
        raise ValueError("its states name sources that it does not have")
    for found, least in ((whole.playing.frames, 0), (whole.schedule.frames, -1), (whole.schedule.left, -1)):
        if not ((found >= least) & (found < frames)).all():
            raise ValueError("its states name frames that are not in the database")
    if not ((whole.playing.fractions >= 0) & (whole.playing.fractions <= 1)).all():
        raise ValueError("its states have fractions outside 0 to 1")
    # a filter's number means something to the crowd alone that gave it
    whole = whole._replace(schedule=whole.schedule._replace(filters=np.full(sum(counts), -1, np.int32)))
    out: list[State | None] = []
    for begin, own in zip(np.cumsum([0, *counts[:-1]]).tolist(), counts):
        out.append(whole.take(np.arange(begin, begin + own)) if own else None)
    return out
