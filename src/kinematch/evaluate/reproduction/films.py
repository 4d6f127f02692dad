"""Films of the learned work's appendix A: each controller in turns by arrow keys and in gradual turns by a gamepad."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from kinematch.draw.montage import montage
from kinematch.evaluate.comparison.figures import find_film_start
from kinematch.evaluate.reproduction.material import Progress
from kinematch.evaluate.run import Take

ARROW_KEYS, GAMEPAD = ("turn 45", "turn 90", "turn 180"), ("gradual turns",)  # scenario groups
FILMS = {"arrow_keys": ARROW_KEYS, "gamepad": GAMEPAD}
TILE = (170, 200)  # pixels
SECONDS = 4.5
PICTURES_PER_SECOND = 12.0


def select_takes(takes: Sequence[Take]) -> dict[str, Take]:
    """The first take of each group that is filmed, that of the slowest gait."""
    found: dict[str, Take] = {}
    for take in takes:
        if take.scenario.group in (*ARROW_KEYS, *GAMEPAD):
            found.setdefault(take.scenario.group, take)
    return found


def make_films(controllers: Mapping[str, Mapping[str, Take]], progress: Progress) -> tuple[tuple[str, bytes], ...]:
    """Names as in the appendix, such as LMM_gamepad, and WebP files; groups that were not played are left out."""
    films = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (controller, takes) in enumerate(controllers.items()):
            progress("films", number, len(controllers))
            for kind, groups in FILMS.items():
                played = [takes[group] for group in groups if group in takes]
                if not played:
                    continue
                scenes = [
                    (one.clip().with_(name=one.scenario.group), find_film_start(one.scenario, SECONDS))
                    for one in played
                ]  # fmt: skip
                path = Path(folder) / "film.webp"
                montage(scenes, path, seconds=SECONDS, tile=TILE, frames_per_second=PICTURES_PER_SECOND)
                films.append((f"{controller}_{kind}", path.read_bytes()))
    return tuple(films)
