"""Exported: the data for the page of an exported character, which runs the step itself and has no server."""

from collections.abc import Sequence
from typing import Any

import msgspec

from kinematch.character.settings import Settings
from kinematch.control.stick import Gait
from kinematch.database.storage import Database
from kinematch.export.character import write_download
from kinematch.learned.model import Model
from kinematch.learned.sketch import sketch_database
from kinematch.studio.server.answers import GaitInfo, Presets, Situation, written
from kinematch.studio.session.grounds import GROUNDS
from kinematch.studio.session.pilot import Pilot
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.welcome import ground, welcome

DIGITS = 4  # of skeletons and drawn figures


def write_page_data(
    sources: Sequence[Any], *, names: Sequence[str], filters: Sequence[str] = (), settings: Settings | None = None
) -> bytes:
    """What a page downloads of databases or models: motion, filters of gaits, and messages of a server."""
    page = describe_page(sources[0], names[0], names=names if len(names) > 1 else (), filters=filters)
    own = list(dict.fromkeys([*list_filters(page), *filters]))
    return write_download(list(sources), settings=settings, filters=own, names=names, page=page)


def describe_page(source: Any, name: str, *, names: Sequence[str] = (), filters: Sequence[str] = ()) -> dict[str, Any]:
    """Everything but the motion: what Studio's server would say, as JSON has it, and what its pilot knows.

    `filters` are offered beside the gaits that are found; `names` are those of all sources.
    """
    model = source if isinstance(source, Model) else None
    database: Database = source if model is None else sketch_database(model)
    stage = Stage(database, name=name, model=model)
    told = welcome(stage, "", Presets([], ""), _make_situation(), motions=list(names), motion=name if names else "")
    told = msgspec.structs.replace(told, path="", formats=[], figures=[])
    gaits, infos = dict(stage.pilot.gaits), list(stage.pilot.gait_infos)
    first = gaits[infos[0].name]
    for text in filters:
        if text not in gaits and text not in {info.filter for info in infos}:
            gaits[text] = first
            infos.append(GaitInfo(text, first.forward, text))
    told.gaits = infos
    plain = msgspec.json.decode(written(told))
    if model is not None:
        plain |= {"clips": [], "frame_count": 0}  # those of its sketch
    return {
        "welcome": _round(plain),
        "gaits": {info.name: _describe_gait(gaits[info.name], info.filter, stage.pilot) for info in infos},
        "grounds": {kind: _describe_ground(stage, kind) for kind in GROUNDS if kind != "flat"},
    }


def list_filters(page: dict[str, Any]) -> list[str]:
    """The filters that a page's gaits search with, each once."""
    texts = [text for gait in page["gaits"].values() for text in (gait["filter"], gait["walks"])]
    return list(dict.fromkeys(text for text in texts if text is not None))


def _describe_gait(gait: Gait, filter_: str, pilot: Pilot) -> dict[str, Any]:
    walks = pilot.find_walks(filter_)
    return {
        "forward": gait.forward, "sideways": gait.sideways, "backward": gait.backward, "filter": filter_,
        "walks": None if walks == filter_ else walks,
    }  # fmt: skip


def _describe_ground(stage: Stage, kind: str) -> dict[str, Any]:
    stage.ground = GROUNDS[kind]()
    return _round(msgspec.json.decode(written(ground(stage))))


def _make_situation() -> Situation:
    return Situation(
        playing=True, live=True, step=0, oldest=0, newest=0, how="stick", keypoints=[], loops=True, crowd=1,
        terrain="flat", comparing=False, steers="", asking="", watchers=[],
    )  # fmt: skip


def _round(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, list):
        return [_round(one) for one in value]
    return {key: _round(one) for key, one in value.items()} if isinstance(value, dict) else value
