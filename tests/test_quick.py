"""The quick selection touches every folder, and names files that are there."""

from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = (FOLDER / "quick.txt").read_text(encoding="utf-8").split()


def test_the_quick_selection_touches_every_folder():
    folders = {path.relative_to(FOLDER).parts[0] for path in FOLDER.rglob("test_*.py") if path.parent != FOLDER}
    assert len(folders) > 20
    assert {name.split("/")[0] for name in NAMES if "/" in name} == folders


def test_the_files_of_the_quick_selection_are_there_and_in_order():
    assert [name for name in NAMES if not (FOLDER / name).is_file()] == []
    assert sorted(set(NAMES)) == NAMES
