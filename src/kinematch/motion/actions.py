"""Actions: stretches of a clip that are asked for by name, with the moments that matter in them."""

from dataclasses import dataclass, replace

from kinematch.errors import KinematchError, unknown

TAKE_OFF, LANDING, HAND, FOOT, SEAT, GRASP, RELEASE, PASS = EVENT_KINDS = (
    "take-off", "landing", "hand", "foot", "seat", "grasp", "release", "pass",
)  # fmt: skip
MAX_EVENT_RISE = 0.15  # m that the way to an event may be warped upwards or downwards


@dataclass(frozen=True)
class Event:
    """A moment of an action, and the point that is in contact then."""

    kind: str  # one of EVENT_KINDS
    time: float  # s, of the clip
    joint: str = ""  # whose place is the point, by name or role; without one, the ground under the root
    below: float = 0.0  # m from that joint down to the point: from the hips to the seat, from a toe to its sole

    def __post_init__(self) -> None:
        if self.kind not in EVENT_KINDS:
            raise KinematchError(unknown("event", self.kind, EVENT_KINDS))


@dataclass(frozen=True)
class Action:
    """A stretch of a clip. It is entered at the frame that fits best, and plays on to its exit."""

    name: str
    entry: tuple[float, float]  # s, of the clip: where it may be entered
    exit: float  # s, from where a search goes on
    events: tuple[Event, ...] = ()  # in order
    target: str = ""  # the kind of the event that meets the target of a request; without one it is not aimed

    def __post_init__(self) -> None:
        first, last = self.entry
        if not 0 <= first < last <= self.exit:
            raise KinematchError(
                f"action {self.name!r}: entry {[first, last]} and exit {self.exit:g} must follow one another"
            )
        times = [event.time for event in self.events]
        if times != sorted(times):
            raise KinematchError(f"action {self.name!r}: events at {times} s are out of order")
        if times and not (first <= times[0] and times[-1] <= self.exit):
            raise KinematchError(
                f"action {self.name!r}: events at {times} s, expected between {first:g} and {self.exit:g}"
            )
        if self.target and self.target not in [event.kind for event in self.events]:
            known = [event.kind for event in self.events]
            raise KinematchError(f"action {self.name!r}: {unknown('target event', self.target, known)}")
        if self.target and self.find_target().time < last:
            raise KinematchError(
                f"action {self.name!r}: its {self.target} at {self.find_target().time:g} s is before the end of its "
                f"entry at {last:g} s"
            )

    def find_target(self) -> Event:
        """The event that meets the target."""
        return next(event for event in self.events if event.kind == self.target)

    def shifted(self, seconds: float) -> "Action":
        """The same action, shifted by a time in s."""
        return replace(
            self,
            entry=(self.entry[0] + seconds, self.entry[1] + seconds),
            exit=self.exit + seconds,
            events=tuple(replace(event, time=event.time + seconds) for event in self.events),
        )
