"""Requests: the actions that a command asks for, checked and copied into orders."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinematch.control.orders import Last, Orders
from kinematch.control.request import Request
from kinematch.database.actions import Actions
from kinematch.errors import KinematchError, unknown


def find_actions(source: Any) -> Actions | None:
    """The actions of a source; None where poses are computed."""
    poses = getattr(source, "poses", None)
    return getattr(poses, "actions", None)


def copy_requests(given: Any, orders: Orders, sources: Sequence[Any], last: Last) -> None:
    """What each character is asked to do; the numbers of actions are those of the source that it is to play."""
    if given is None and last.request is None:
        return
    last.request = given
    count = len(orders.actions)
    orders.actions.fill(-1)
    if given is None:
        return
    alike = isinstance(given, Request)
    if not alike and not (
        isinstance(given, Sequence) and all(one is None or isinstance(one, Request) for one in given)
    ):
        raise KinematchError(f"command: request {given!r}, expected a Request, or one or None for each character")
    if not alike and len(given) != count:
        raise KinematchError(f"command: {len(given)} requests, expected one or {count}")
    for n in range(count):
        one = given if alike else given[n]
        if one is not None:
            orders.actions[n] = _find_number(one.action, sources[orders.sources[n]])
            _copy_target(one, orders, n)


def _find_number(name: str, source: Any) -> int:
    actions = find_actions(source)
    names = actions.names if actions is not None else ()
    if not names:
        raise KinematchError(f"no action {name!r}: the source has no actions")
    if name not in names:
        raise KinematchError(unknown("action", name, names))
    return names.index(name)


def _copy_target(request: Request, orders: Orders, n: int) -> None:
    target, facing = request.target, np.asarray([] if request.facing is None else request.facing)
    orders.targets[n] = np.nan
    if target is not None:
        orders.targets[n, :3] = target
    if len(facing):
        orders.targets[n, 3] = np.arctan2(facing[0], facing[2])
    orders.clears[n] = np.nan if request.clear is None else request.clear
    orders.times[n] = np.nan if request.when is None else request.when
