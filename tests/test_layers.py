"""The folders are the pipeline: each imports itself and those before it, never those after."""

import ast
from pathlib import Path

import pytest

import kinematch

ORDER = [
    *(
        "errors",
        "copies",
        "lazy",
        "writing",
        "folders",
        "code_folder",
        "threads",
        "compile",
        "math",
        "motion",
        "draw",
        "files",
        "synth",
        "database",
        "doctor",
    ),
    *(
        "search",
        "control",
        "terrain",
        "character",
        "layers",
        "scene",
        "learned",
        "avatar",
        "camera",
        "robot",
        "export",
        "access",
        "stream",
        "evaluate",
    ),
    *("studio", "bench", "cli"),
]
HEAVY = {
    "torch",
    "onnx",
    "onnxruntime",
    "mediapipe",
    "ray",
    "imageio",
    "starlette",
    "uvicorn",
    "matplotlib",
    "pxr",
    "ufbx",
}
ROOT = Path(kinematch.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))


def imported(path: Path) -> list[str]:
    """Full names of the modules a file imports, at its top or inside its functions."""
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_upwards_only(path):
    layer = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if layer == "__init__":
        return
    for name in imported(path):
        if name.startswith("kinematch."):
            other = name.split(".")[1]
            if other in ORDER:
                assert ORDER.index(other) <= ORDER.index(layer), f"{layer} imports {name}"


def test_every_folder_has_its_place_in_the_order():
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(ORDER)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_heavy_libraries_are_imported_inside_functions_only(path):
    tops = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in tops:
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        assert not HEAVY & {m.split(".")[0] for m in modules}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_file_says_what_it_is_for_and_stays_short(path):
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"
    assert text.count("\n") <= 300, f"{path} is too long: split it"
