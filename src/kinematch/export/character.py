"""A character as a data file: what a crowd of these sources, settings and filters steps on, without Python."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinematch.character.crowd import Crowd
from kinematch.character.lookups import list_own_features, needs_seams
from kinematch.character.requests import find_actions
from kinematch.character.settings import Settings, to_plain
from kinematch.control.command import move
from kinematch.database.packing.pack import pack_database
from kinematch.database.packing.poses import PackedPoses
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.export.data_file import write_data
from kinematch.export.figure import describe_figure, find_speeds
from kinematch.export.layout import COUNTS, read_layout

PACKED_ERROR = 1e-4  # m


def write_character(
    sources: Any, *, settings: Settings | None = None, filters: Sequence[str] = (), names: Sequence[str] = ()
) -> bytes:
    """A data file of databases or models, which may be several; commands choose among `filters`, the first being the
    sources' own, and among the sources by `names`."""
    crowds = _open(sources, COUNTS[0], settings, filters), _open(sources, COUNTS[1], settings, filters)
    return write_data(read_layout(crowds), describe(crowds[0], filters, names))


def pack(source: Any, progress: Callable[[int, int], None] = lambda done, total: None) -> Any:
    """A database in a tenth of its size, within PACKED_ERROR; what is packed already, models and actions stay as they
    are."""
    if not isinstance(source, Database) or isinstance(source.poses, PackedPoses) or source.poses.actions.names:
        return source
    return pack_database(source, PACKED_ERROR, progress=progress).database


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
        "contact_joints": np.asarray(about.contact_joints).tolist(),
        "filters": [about.filter, *filters],
        "sources": list(names) or [str(number) for number in range(len(crowd.sources))],
        "frame_rates": [float(table.frame_rate) for table in crowd.runner.tables],
        "actions": [list_actions(source) for source in crowd.sources],
        "speeds": find_speeds(crowd),
        "figure": describe_figure(crowd),
        "settings": json.loads(json.dumps(to_plain(crowd.settings))),
    }
