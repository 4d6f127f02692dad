"""A message queued for the engine; later ones of the same kind, as from a dragged slider, merge into it."""

import threading

from kinematch.studio.server.messages import ChangeSettings, PageMessage, Side


class QueuedMessage:
    def __init__(self, message: PageMessage):
        self._message = message
        self._taken = False
        self._lock = threading.Lock()

    def merge(self, message: PageMessage) -> bool:
        """Merge a message into this one, unless it has been taken already; whether that worked."""
        with self._lock:
            if self._taken or type(message) is not type(self._message) or _side(message) != _side(self._message):
                return False
            self._message = _merge_settings(self._message, message)
            return True

    def take(self) -> PageMessage:
        """The merged message; from now on nothing can be merged into it."""
        with self._lock:
            self._taken = True
            return self._message


def _side(message: PageMessage) -> Side | None:
    return message.side if isinstance(message, ChangeSettings) else None


def _merge_settings(first: PageMessage, then: PageMessage) -> PageMessage:
    if not isinstance(first, ChangeSettings) or not isinstance(then, ChangeSettings):
        return then
    values = {**first.values, **then.values}
    old, new = first.values.get("weights"), then.values.get("weights")
    if isinstance(old, dict) and isinstance(new, dict):
        values["weights"] = {**old, **new}
    return ChangeSettings(values, then.side)
