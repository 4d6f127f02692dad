"""Request: an action that a command asks for by name, with its target; and the commands that ask for one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kinematch.control.command import Command, move
from kinematch.errors import KinematchError


@dataclass(frozen=True, eq=False)
class Request:
    """What one character is to do: the action is entered in this step, if one of its clips can meet the target.

    A command that repeats it asks again in every step, until the action is entered, and again when it is over. An
    action that lasts, such as a seat, is held for as long as commands repeat the request.
    """

    action: str
    target: ArrayLike | None = None  # (3,) m in the world, for the contact point of the action's event; None: anywhere
    facing: ArrayLike | None = None  # (3,) direction along the ground to face at the event; None: as the target asks
    when: float | None = None  # s from now to the event
    # m before and after the target that feet must not touch, of a gap or box; and the height of the box, or minus the
    # height of a bar to duck under, or minus how deep a body may be in a seat. NaN: whatever
    clear: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.action, str) or not self.action:
            raise KinematchError(f"a request for the action {self.action!r}, expected a name")
        for name in ("target", "facing"):
            given = getattr(self, name)
            vector = None if given is None else np.asarray(given, np.float64)
            if vector is not None and (vector.shape != (3,) or not np.isfinite(vector).all()):
                raise KinematchError(f"a request whose {name} is {given!r}, expected three numbers")
            object.__setattr__(self, name, vector)
        if self.clear is not None and not (len(self.clear) == 3 and not np.isinf(self.clear).any()):
            raise KinematchError(f"a request that clears {self.clear!r}, expected three lengths in m")
        if self.when is not None and not 0 <= self.when < np.inf:
            raise KinematchError(f"a request for an event in {self.when!r} s, expected 0 or more")


Requests = Request | Sequence[Request | None]


def act(
    action: str,
    command: Command | None = None,
    *,
    target: ArrayLike | None = None,
    facing: ArrayLike | None = None,
    when: float | None = None,
) -> Command:
    """A command that asks for an action, besides what another command says of the time before and after.

    `target` (3,) m, `facing` (3,) and `when` s are those of Request. Without a command the character is to stand.
    """
    command = move([0.0, 0.0, 0.0]) if command is None else command
    return replace(command, request=Request(action, target, facing, when))


def jump(command: Command | None = None, *, target: ArrayLike | None = None) -> Command:
    """A command to jump: up or ahead, as the character moves, or to land at a target (3,) m."""
    return act("jump", command, target=target)


def sit(at: ArrayLike | None = None, facing: ArrayLike | None = None, command: Command | None = None) -> Command:
    """A command to sit down, and to stay seated while it is repeated: on a seat at (3,) m, to face a direction (3,)."""
    return act("sit", command, target=at, facing=facing)
