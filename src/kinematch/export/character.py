"""A character as a data file: what a crowd of these sources, settings and filters steps on, without Python."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.lookups import list_own_features, needs_seams
from kinematch.character.settings import Settings, to_plain
from kinematch.control.command import move
from kinematch.control.requests import find_actions
from kinematch.database.packing.pack import pack_database
from kinematch.database.packing.poses import PackedPoses, open_features
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.export.compact import describe_tree, write_compact
from kinematch.export.data_file import write_data
from kinematch.export.layout import COUNTS, read_layout
from kinematch.export.speeds import find_speeds

PACKED_ERROR = 1e-3  # m
FEATURE_UNIT = 16  # of the steps of packed features: 12 bits are as many as a search compares first
TOE_UNIT = 8  # of those of the heights of toes, which are 0.01 mm and less


def write_character(
    sources: Any, *, settings: Settings | None = None, filters: Sequence[str] = (), names: Sequence[str] = (),
) -> bytes:  # fmt: skip
    """A data file of databases or models, which may be several; commands choose among `filters`, the first being the
    sources' own, and among the sources by `names`."""
    crowds = _open(sources, COUNTS[0], settings, filters), _open(sources, COUNTS[1], settings, filters)
    return write_data(read_layout(crowds), describe(crowds[0], filters, names))


def write_download(
    sources: Any, *, settings: Settings | None = None, filters: Sequence[str] = (), names: Sequence[str] = (),
    page: dict[str, Any] | None = None,
) -> bytes:  # fmt: skip
    """The same in its compact form, as kinematch.js opens it. `page`: further data for a page."""
    crowds = _open(sources, COUNTS[0], settings, filters), _open(sources, COUNTS[1], settings, filters)
    own, about = crowds[0], describe(crowds[0], filters, names)
    if page is not None:
        about["page"] = page | {"leaves": count_leaves(own)}
    trees = {
        f"sources.{n}": describe_tree(own.runner.searches[n], table.pack if len(table.pack.features) else None)
        for n, table in enumerate(own.runner.tables)
    }
    return write_compact(write_data(read_layout(crowds), about), trees)


def pack(source: Any, progress: Callable[[int, int], None] = lambda done, total: None) -> Any:
    """A database in a tenth of its size, within PACKED_ERROR; what is packed already and models stay as they are."""
    if not isinstance(source, Database) or isinstance(source.poses, PackedPoses):
        return source
    return round_features(pack_database(source, PACKED_ERROR, progress=progress).database)


def round_features(database: Database) -> Database:
    """A packed database whose features are multiples of FEATURE_UNIT steps."""
    poses = database.poses
    assert isinstance(poses, PackedPoses)
    codes = (poses.pack.features.astype(np.int64) + FEATURE_UNIT // 2) // FEATURE_UNIT
    codes = np.minimum(codes, 65535 // FEATURE_UNIT)
    heights = poses.pack.toe_heights & np.uint16(65536 - TOE_UNIT)
    pack = poses.pack._replace(features=(codes * FEATURE_UNIT).astype(np.uint16), toe_heights=heights)
    frames = replace(poses.frames, pack=pack)
    return replace(
        database, poses=replace(poses, frames=frames), features=replace(database.features, values=open_features(pack))
    )  # fmt: skip


def _open(sources: Any, count: int, settings: Settings | None, filters: Sequence[str]) -> Crowd:
    crowd = Crowd(sources, count, settings=settings)
    refuse_python(crowd)
    for source in crowd.sources:
        if hasattr(source.matcher, "settle"):
            source.matcher.settle()  # the tree for these weights, rather than one on its way
    for number, text in enumerate([None, *filters]):
        if crowd.filters.number(text) != number:
            raise KinematchError(f"filter {text!r} is given twice")
    crowd.prepare(move(np.zeros((count, 3))))
    for number in range(1, 1 + len(filters)):
        check_filter(crowd, number)
    return crowd


def list_actions(source: Any) -> list[str]:
    """The names of a source's actions, whose numbers programs write into the array `orders.actions`."""
    actions = find_actions(source)
    return [] if actions is None else list(actions.names)


def count_leaves(crowd: Crowd) -> list[int]:
    """Leaves of the search tree of each source."""
    trees = [crowd.runner.searches[number]._kept for number in range(len(crowd.sources))]
    return [0 if tree is None else len(tree.grouping.frames) for tree in trees]


def check_filter(crowd: Crowd, number: int) -> None:
    """Refuse a filter that no source can be searched with."""
    searches = crowd.runner.searches.values()
    wrong = [one.errors[number] for one in searches if number in one.errors]
    if len(wrong) == len(searches):
        raise wrong[0]
    if not any(one.admits[number, 0] for one in searches):
        raise KinematchError(f"the filter {crowd.filters.text(number)!r} admits no frame")


def refuse_python(crowd: Crowd) -> None:
    """Refuse what needs Python in every step, by its name."""
    own = [one.kind for one in list_own_features(crowd)]
    if own:
        raise KinematchError(f"features {', '.join(own)} are asked for by Python functions, which cannot be exported")
    for number, source in enumerate(crowd.sources):
        if number not in crowd.runner.searches:
            raise KinematchError(f"source {number}, {type(source).__name__}, is Python, which cannot be exported")
        if not crowd.runner.searches[number].exact:
            raise KinematchError(
                f"the search of source {number}, {type(source.matcher).__name__}, cannot be exported: only the default"
            )
    if needs_seams(crowd):
        raise KinematchError("this crowd needs Python in every step, which cannot be exported")


def describe(crowd: Crowd, filters: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """What programs need to know besides the arrays, as JSON has it."""
    about = crowd.sources[0].description
    skeleton = crowd.skeleton
    return {
        "joints": list(skeleton.names),
        "parents": np.asarray(skeleton.parents).tolist(),
        "roles": {role: int(joint) for role, joint in skeleton.roles.items()},
        "rest": np.asarray(crowd.rig.rest, np.float64).round(6).tolist(),
        "tpose": np.asarray(skeleton.rotations if skeleton.tpose is None else skeleton.tpose).round(7).tolist(),
        "contact_joints": np.asarray(about.contact_joints).tolist(),
        "filters": [about.filter, *filters],
        "sources": list(names) or [str(number) for number in range(len(crowd.sources))],
        "frame_rates": [float(table.frame_rate) for table in crowd.runner.tables],
        "actions": [list_actions(source) for source in crowd.sources],
        "speeds": find_speeds(crowd),
        "settings": json.loads(json.dumps(to_plain(crowd.settings))),
    }
