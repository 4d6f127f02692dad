"""The databases that benchmarks name: the LAFAN1 sets S, M, L and XL from a folder of clips."""

from collections.abc import Callable
from pathlib import Path

from kinematch.database.build import build
from kinematch.database.storage import Database
from kinematch.errors import FileError
from kinematch.folders import find_cache_folder
from kinematch.writing import write_beside

SMALL_SET = (
    *("walk1_subject1_walk", "run2_subject4_run2", "fightAndSports1_subject1_sidesteps"),
    *("fightAndSports1_subject1_backward", "pushAndFall1_subject4_stand", "obstacles3_subject4_slalom"),
)
MIDDLE_SET = (
    *("walk3_subject4_walk", "run2_subject4_run", "obstacles4_subject2_turning", "jumps1_subject1_walkNturn"),
    *("walk2_subject4_walk", "obstacles6_subject1_walk", "pushAndStumble1_subject2_sidesteps", "walk3_subject1_walk"),
)
Progress = Callable[[str], None]


def lafan1(folder: Path, progress: Progress = lambda what: None) -> dict[str, Database]:
    """S, M, L and XL from a folder that holds the locomotion clips, here or deeper; built on first use and kept."""
    made = {}
    for name, recipe in write_recipes(folder).items():
        progress(name)
        made[name] = build(recipe).database  # the builder reuses what has not changed
    return made


def write_recipes(folder: Path) -> dict[str, Path]:
    """The recipes of S, M, L and XL as files in the cache."""
    if not folder.is_dir():
        raise FileError(folder, "no such folder")
    found = {path.stem: path.resolve() for path in sorted(folder.rglob("*.bvh"))}
    lacking = [name for name in SMALL_SET + MIDDLE_SET if name not in found]
    if lacking:
        raise FileError(
            folder,
            f"lacks {len(lacking)} of the {len(SMALL_SET + MIDDLE_SET)} clips of set M, such as {lacking[0]}.bvh",
        )
    home = found[SMALL_SET[0]].parent
    everything = [name for name, path in found.items() if path.parent == home and "_mirror" not in name]
    written = {}
    for name, clips, mirror in (
        ("S", SMALL_SET, False),
        ("M", SMALL_SET + MIDDLE_SET, False),
        ("L", everything, False),
        ("XL", everything, True),
    ):
        files = "".join(f"    {_quoted(str(found[clip]))},\n" for clip in clips)
        recipe = f"[[source]]\nfiles = [\n{files}]\n\n[cleaning]\nframe_rate = 60\nmirror = {str(mirror).lower()}\n"
        written[name] = find_cache_folder() / "bench" / f"lafan1-{name}.toml"
        written[name].parent.mkdir(parents=True, exist_ok=True)
        write_beside(written[name], recipe.encode())
    return written


def _quoted(text: str) -> str:
    """As a string of TOML."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
