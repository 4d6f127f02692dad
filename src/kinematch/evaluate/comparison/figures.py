"""Figures 5.1 and 5.2 of *learned MM* and the films of its appendix A, drawn from the takes of a comparison."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from kinematch.draw.animation import moving_pictures
from kinematch.draw.montage import montage
from kinematch.errors import KinematchError
from kinematch.evaluate.comparison.comparison import Comparison
from kinematch.evaluate.comparison.controllers import BIG_MODEL, EXACT, MACHINE, PACKED, SMALL_MODEL
from kinematch.evaluate.course import Scenario
from kinematch.evaluate.run import Take

TILE = (250, 300)
LEAD = 1.0  # s before an event from which a film shows it
# name: scenario group, controllers, seconds; those that the comparison has not are left out
FILMS = {
    "turns-45": ("turn 45", (EXACT, PACKED, SMALL_MODEL, BIG_MODEL, MACHINE), 5.0),
    "turns-90": ("turn 90", (EXACT, PACKED, SMALL_MODEL, BIG_MODEL, MACHINE), 5.0),
    "turns-180": ("turn 180", (EXACT, PACKED, SMALL_MODEL, BIG_MODEL, MACHINE), 5.0),
    "gradual": ("gradual turns", (EXACT, PACKED, SMALL_MODEL, BIG_MODEL, MACHINE), 6.0),
    "search-times": ("turn 180", ("LMM_Low_Search", "LMM", "LMM_High_Search", "LMM_Big"), 5.0),
    "decay-times": (
        "turn 180",
        ("LMM_No_Inertia", "LMM_Low_Decay", "LMM", "LMM_High_Decay", "LMM_High_Search_High_Decay"),
        5.0,
    ),
}
Progress = Callable[[int, int], None]


def write_films(folder: Path, comparison: Comparison, *, progress: Progress | None = None) -> dict[str, Path]:
    """GIF files by name; each controller is a tile with its name."""
    made = {}
    for n, (name, (group, controllers, seconds)) in enumerate(FILMS.items()):
        takes = find_takes(comparison, group, controllers)
        if takes:
            path = folder / f"{name}.gif"
            start = find_film_start(next(iter(takes.values())).scenario, seconds)
            scenes = [(take.clip().with_(name=controller), start) for controller, take in takes.items()]
            made[name] = montage(scenes, path, seconds=seconds, tile=(168, 240), frames_per_second=15)
        if progress is not None:
            progress(n + 1, len(FILMS))
    return made


def draw_figures(comparison: Comparison) -> dict[str, Image.Image]:
    """Figure 5.1, a gradual turn to the left, and 5.2, the middle of a turn by 180 degrees."""
    made = {}
    gradual = find_takes(comparison, "gradual turns", (EXACT, PACKED, "LMM", BIG_MODEL, MACHINE))
    if gradual:
        first = next(iter(gradual.values()))
        moment = min(4.5, first.scenario.seconds - 0.5)  # three seconds into a turn of five
        made["figure 5.1"] = _draw_row({name: (take, moment) for name, take in gradual.items()})
    turns = find_takes(comparison, "turn 180", (MACHINE, "LMM_High_Search", "LMM", EXACT))
    if turns:
        made["figure 5.2"] = _draw_row({name: (take, find_middle(take)) for name, take in turns.items()})
    return made


def find_takes(comparison: Comparison, group: str, controllers: Sequence[str]) -> Mapping[str, Take]:
    """The first take of a group, that of the slowest gait, by controller."""
    found = {}
    for name in controllers:
        if name in comparison.rows:
            own = [take for take in comparison.rows[name].takes if take.scenario.group == group]
            if own:
                found[name] = own[0]
    return found


def find_middle(take: Take) -> float:
    """Seconds at which the first turn by 180 degrees is half done, or half a second after its command."""
    event = next((one for one in take.scenario.events if abs(one.change) > np.radians(170)), None)
    if event is None:
        raise KinematchError(f"{take.scenario.name} has no turn by 180 degrees")
    first, last = round(event.time * take.rate), min(round(event.until * take.rate), len(take.root_yaws))
    turned = np.abs(np.unwrap(take.root_yaws[first:last]) - take.root_yaws[first])
    half = np.flatnonzero(turned >= np.pi / 2)
    return event.time + (half[0] / take.rate if len(half) else 0.5)


def _draw_row(moments: Mapping[str, tuple[Take, float]]) -> Image.Image:
    whole = Image.new("RGB", (TILE[0] * len(moments), TILE[1]))
    for n, (name, (take, moment)) in enumerate(moments.items()):
        pictures, _ = moving_pictures(
            take.clip(), size=TILE, start=moment, seconds=0.1, frames_per_second=20, caption=name, trail=True,
        )  # fmt: skip
        whole.paste(next(iter(pictures)), (n * TILE[0], 0))
    return whole


def find_film_start(scenario: Scenario, seconds: float) -> float:
    """A second before the first turn, in s; where there is none, 2 s after the start."""
    turns = [event for event in scenario.events if event.kind == "turn"]
    start = turns[0].time - LEAD if turns else 2.0
    return float(np.clip(start, 0.0, max(0.0, scenario.seconds - seconds)))
