"""Material: the motion at hand, what of it is the works' own, and what stands in for the rest."""

import glob
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kinematch.database.build import build
from kinematch.database.built_in import open_built_in
from kinematch.database.rebuild import share_of
from kinematch.database.sources import hash_file, hash_value
from kinematch.database.storage import Database
from kinematch.errors import KinematchError
from kinematch.evaluate.evaluation import Assignment, make_assignment
from kinematch.evaluate.gaits import admitted
from kinematch.evaluate.reproduction.effort import Effort
from kinematch.evaluate.vr.casting import cast_users
from kinematch.evaluate.vr.users import Cast
from kinematch.files import read_clip
from kinematch.files.patterns import find_files
from kinematch.motion.clip import Clip
from kinematch.writing import write_beside

TAKE = re.compile(r"[A-Za-z]+\d_subject\d")  # LAFAN1 as it is published
# of it, cut into clips; the set M of docs/evaluation.md
LOCOMOTION = (
    "walk1_subject1_walk", "run2_subject4_run2", "fightAndSports1_subject1_sidesteps",
    "fightAndSports1_subject1_backward", "pushAndFall1_subject4_stand", "obstacles3_subject4_slalom",
    "walk3_subject4_walk", "run2_subject4_run", "obstacles4_subject2_turning", "jumps1_subject1_walkNturn",
    "walk2_subject4_walk", "obstacles6_subject1_walk", "pushAndStumble1_subject2_sidesteps", "walk3_subject1_walk",
)  # fmt: skip
FEWEST_SECONDS = 15.0  # of a recording to make a user of
BUILT_IN = "the built-in motion"
LOOK_AROUND = np.radians(30)  # of built-in users, whose heads otherwise look ahead
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Named:
    """Something to run on, what it is, and whether it is the work's own."""

    what: Any
    data: str
    same_data: bool = False


@dataclass(frozen=True, eq=False)
class Material:
    """Opened when it is asked for, and then kept: databases, users, recordings."""

    folder: Path | None  # of motion files; None: the built-in motion alone
    keep: Path  # a folder for databases and models made of it
    effort: Effort
    progress: Progress = lambda what, done, total: None
    seed: int = 0
    made: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def files(self) -> dict[str, Path]:
        """BVH files by name; of equal names the first."""
        if self.folder is None:
            return {}
        if not self.folder.is_dir():
            raise KinematchError(f"{self.folder}: no such folder")
        found: dict[str, Path] = {}
        for path in find_files("**/*.bvh", self.folder):
            found.setdefault(path.stem, path)
        return found

    @cached_property
    def takes(self) -> dict[str, Path]:
        """Whole takes of LAFAN1."""
        return {name: path for name, path in self.files.items() if TAKE.fullmatch(name)}

    @cached_property
    def clips(self) -> dict[str, Path]:
        """Clips cut from LAFAN1, none mirrored."""
        clips = {name: path for name, path in self.files.items() if TAKE.match(name) and name not in self.takes}
        return {name: path for name, path in clips.items() if not name.endswith(("_mirror", "_filtered"))}

    @cached_property
    def digest(self) -> str:
        """What the results depend on."""
        lafan = {**self.takes, **self.clips}
        return hash_value([(name, hash_file(path)) for name, path in sorted(lafan.items())])

    @cached_property
    def locomotion(self) -> Named:
        """A database of walking, running, turning and strafing."""
        if all(name in self.clips for name in LOCOMOTION):
            paths = [self.clips[name] for name in LOCOMOTION]
            return Named(self.build("locomotion", paths), f"{len(paths)} clips cut from LAFAN1")
        wanted = [path for name, path in self.takes.items() if name.startswith(("walk", "run", "sprint"))]
        if len(wanted) > 2:
            return Named(self.build("locomotion", wanted), f"{len(wanted)} walks and runs of LAFAN1", True)
        return Named(self.card, BUILT_IN)

    @cached_property
    def card(self) -> Database:
        return open_built_in(lambda stage, done, total: self.progress(f"built-in motion: {stage}", done, total))

    @cached_property
    def assignment(self) -> Assignment:
        """The course on that database, without the scenarios that this effort leaves out."""
        return self.assign(self.locomotion.what)

    def assign(self, database: Database) -> Assignment:
        given = make_assignment(database, database.filter, seed=self.seed, quick=self.effort.quick_course)
        if not self.effort.groups:
            return given
        return replace(given, scenarios=tuple(one for one in given.scenarios if one.group in self.effort.groups))

    @cached_property
    def casts(self) -> Named:
        """Users with headset and controllers whose motion is in no locomotion database."""
        options: dict[str, Any] = {"longest": self.effort.user_seconds, "seed": self.seed}
        spare = [path for name, path in (self.clips or self.takes).items() if name not in LOCOMOTION]
        if self.locomotion.same_data:
            spare = [path for path in spare if not path.name.startswith(("walk", "run", "sprint"))]
        files: list[Path] = []
        for path in spare:  # long ones alone, as many as this effort takes
            if len(files) < self.effort.users and read_clip(path).duration >= FEWEST_SECONDS:
                files.append(path)
        if files:
            casts, _ = cast_users(files, **options)
            return Named(
                casts, f"{len(files)} people of LAFAN1, {self.effort.user_seconds:g} s each, none of them in VR"
            )
        casts = [self.make_built_in_cast(**options)]
        return Named(casts, f"{len(casts[0].users)} built-in walkers who look around")

    def make_built_in_cast(self, *, room: float = np.inf, **options: Any) -> Cast:
        """Walkers of no database, whose heads turn."""
        from kinematch.evaluate.vr.built_in import COUNT, make_clips
        from kinematch.evaluate.vr.users import make_cast

        seconds = min(20.0, self.effort.user_seconds)
        clips = make_clips(min(COUNT, self.effort.users), seconds=seconds, seed=self.seed, room=room)
        return make_cast(clips, look_around=float(LOOK_AROUND), **options)

    def read(self, paths: Sequence[Path]) -> list[Clip]:
        """Motion files, with progress."""
        clips = []
        for number, path in enumerate(paths):
            self.progress("reading", number, len(paths))
            clips.append(read_clip(path))
        return clips

    def build(self, name: str, paths: Sequence[Path]) -> Database:
        """A database at 60 fps of some files; one that was built before is opened."""
        listed = ",\n".join(f"    {_quote(str(path.resolve()))}" for path in paths)
        recipe = self.keep / f"{name}.toml"
        text = f"[[source]]\nfiles = [\n{listed},\n]\n\n[cleaning]\nframe_rate = 60\nmirror = false\n"
        if not recipe.exists() or recipe.read_text(encoding="utf-8") != text:
            write_beside(recipe, text.encode())
        return build(
            recipe, progress=lambda stage, done, total: self.progress(f"building {name}", done, total)
        ).database

    def take_share(self, database: Database, share: float) -> Database:
        return share_of(database, share, admitted(database, database.filter))


def _quote(text: str) -> str:
    """A TOML string in which a pattern's signs stand for themselves."""
    return json.dumps(glob.escape(text), ensure_ascii=False)
