"""Mishaps: what a step could not do, as an error or a warning."""

import logging
from typing import TYPE_CHECKING

import numpy as np

from kinematch.character.pose import Pose
from kinematch.control.orders import refuse_orders
from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.character.crowd import Crowd

LOG = logging.getLogger("kinematch")
MOST_NAMED = 10  # characters in a warning


def look_closer(crowd: "Crowd", pose: Pose) -> None:
    """Something happened in a step: raise an error, or warn."""
    refuse_orders(crowd.orders)
    if crowd.runner.work.failures[0]:
        refuse_filter(crowd)
    lost = np.flatnonzero(pose.restarted)
    if len(lost):
        crowd.restarts += len(lost)
        named = lost[:MOST_NAMED].tolist()
        LOG.warning("%d characters were reset, since their state was not finite: %s", len(lost), named)


def refuse_filter(crowd: "Crowd") -> None:
    number = int(crowd.runner.work.failures[0]) - 1
    crowd.runner.work.failures[0] = 0
    for source in np.unique(crowd.orders.sources[crowd.orders.filters == number]).tolist():
        searches = crowd.runner.searches.get(source)
        if searches is not None and number in searches.errors:
            raise searches.errors[number]
    text = crowd.filters.text(number)
    raise KinematchError(f"no frame of the source may be taken: the filter {text!r} admits none")
