"""Copying: how a crowd is copied and pickled; parts that hold addresses of arrays are rebuilt, never copied."""

import copy
from typing import TYPE_CHECKING, Any

from kinematch.control.orders import Orders

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd

REOPENED = {
    "runner", "rig", "skeleton", "moving", "characters", "computed", "has_own_parts", "_lock", "_layout", "_out",
}  # fmt: skip


def list_parts(crowd: "Crowd") -> dict[str, Any]:
    """Everything but the rebuilt parts; arrays that steps change are copied while no step runs."""
    with crowd._lock:
        kept = {name: value for name, value in vars(crowd).items() if name not in REOPENED}
        orders = Orders(*(array.copy() for array in crowd.orders))
        return kept | {"_state": crowd.state.copy(), "orders": orders, "compiled": crowd.runner.compiled}


def open_parts(crowd: "Crowd", parts: dict[str, Any]) -> None:
    """The inverse of list_parts, for an empty crowd."""
    kept = dict(parts)
    compiled = kept.pop("compiled")
    vars(crowd).update(kept)
    crowd._open_body(crowd.retargeting, len(crowd.state.playing.frames))
    for source in crowd.sources:
        source.change_settings(crowd.settings)
    crowd._open_runner(compiled)


def copy_crowd(crowd: "Crowd") -> "Crowd":
    """A crowd with a state of its own; layers, terrain, `asks` and users' sources are copied by copy.copy."""
    sources = (getattr(source, "source", None) for source in crowd.sources)
    given = [crowd.terrain, *crowd.layers, *crowd.asks, *sources]
    return copy.deepcopy(crowd, {id(one): copy.copy(one) for one in given})
