"""Errand: a message on its way to be done; one that comes faster than that, as from a dragged slider, joins it."""

import threading

from kinematch.studio.messages import ChangeSettings, PageMessage, Side


class Errand:
    def __init__(self, message: PageMessage):
        self._message = message
        self._gone = False
        self._lock = threading.Lock()

    def joined(self, message: PageMessage) -> bool:
        """Whether it was in time to do this in its stead, or together with it."""
        with self._lock:
            if self._gone or type(message) is not type(self._message) or _side(message) != _side(self._message):
                return False
            self._message = _both(self._message, message)
            return True

    def taken(self) -> PageMessage:
        """What is to be done; nothing can join any more."""
        with self._lock:
            self._gone = True
            return self._message


def _side(message: PageMessage) -> Side | None:
    return message.side if isinstance(message, ChangeSettings) else None


def _both(first: PageMessage, then: PageMessage) -> PageMessage:
    if not isinstance(first, ChangeSettings) or not isinstance(then, ChangeSettings):
        return then
    values = {**first.values, **then.values}
    old, new = first.values.get("weights"), then.values.get("weights")
    if isinstance(old, dict) and isinstance(new, dict):
        values["weights"] = {**old, **new}
    return ChangeSettings(values, then.side)
