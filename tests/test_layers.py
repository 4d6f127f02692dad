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
        "tasks",
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
        "scene",
        "character",
        "layers",
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


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every file of the package by its name below it."""
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}


def find_imports(tree: ast.AST) -> list[str]:
    """Full names of the modules a file imports, at its top or inside its functions."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{'.' * node.level}{node.module}.{alias.name}" for alias in node.names]
    return names


def test_imports_go_upwards_only(trees):
    wrong = []
    for name, tree in trees.items():
        layer = name.split("/")[0].removesuffix(".py")
        if layer == "__init__":
            continue
        for other in find_imports(tree):
            first, *rest = other.split(".")
            assert first, f"{name} imports {other}: imports are written in full"
            if first == "kinematch" and rest and rest[0] in ORDER and ORDER.index(rest[0]) > ORDER.index(layer):
                wrong.append(f"{name} imports {other}")
    assert not wrong


def test_every_folder_has_its_place_in_the_order():
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(ORDER)


def test_heavy_libraries_are_imported_inside_functions_only(trees):
    wrong = []
    for name, tree in trees.items():
        tops = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        heavy = {module.split(".")[0] for module in find_imports(ast.Module(tops, []))} & HEAVY
        wrong += [f"{name} imports {module}" for module in heavy]
    assert not wrong


def test_every_file_says_what_it_is_for_and_stays_short(trees):
    assert not [name for name, tree in trees.items() if not ast.get_docstring(tree)]
    lengths = {name: (ROOT / name).read_text().count("\n") for name in trees}
    assert not {name: length for name, length in lengths.items() if length > 300}, "too long: split them"


def test_only_one_file_imports_private_modules_of_numba(trees):
    public = ("numba", "numba.types", "numba.extending")
    wrong = []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            private = {module for module in modules if module.split(".")[0] == "numba"}.difference(public)
            wrong += [f"{name} imports {module}" for module in private if name != "compile/internals.py"]
    assert not wrong
