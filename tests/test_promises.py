"""What SECURITY.md promises about the whole package: nothing is unpickled, evaluated or run by a shell."""

import ast
import re
from pathlib import Path

import kinematch

ROOT = Path(__file__).parents[1]
PACKAGE = Path(kinematch.__file__).parent
PICKLING = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "jsonpickle"}
CALLS = {"eval", "exec", "__import__"}


def find_breaches(path: Path) -> list[str]:
    """Lines of a file that could make code out of data."""
    found = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Import(names=names) if PICKLING & {one.name.split(".")[0] for one in names}:
                pass
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in PICKLING:
                pass
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                pass
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "pandas"), attr="load" | "read_pickle")):
                pass
            case ast.keyword(arg="allow_pickle" | "shell", value=ast.Constant(value=True)):
                pass
            case _:
                continue
        found.append(f"{path.name}:{node.lineno}: {ast.unparse(node)[:80]}")
    return found


def test_nothing_in_the_package_makes_code_out_of_data_but_the_folder_of_compiled_code():
    found = {path: find_breaches(path) for path in sorted(PACKAGE.rglob("*.py"))}
    (breach,) = found.pop(
        PACKAGE / "compile" / "internals.py"
    )  # as numba does itself; SECURITY.md says what is trusted
    assert breach.endswith("import pickle")
    assert (PACKAGE / "compile" / "internals.py").read_text().count("pickle.") == 1
    assert not any(found.values()), found


def test_breaches_are_found(tmp_path):
    bad = tmp_path / "bad.py"
    lines = ["import pickle", "from joblib import load", "eval('1')", "np.load(f, allow_pickle=True)", "torch.load(f)"]
    bad.write_text("\n".join([*lines, "run(c, shell=True)"]))
    assert sorted(int(breach.split(":")[1]) for breach in find_breaches(bad)) == [1, 2, 3, 4, 5, 6]


def test_holes_are_reported_to_a_page_and_to_nobodys_address():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "## How to report a hole" in text
    assert not re.search(r"\S@\S", text)
