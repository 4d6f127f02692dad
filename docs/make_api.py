"""Write docs/api.md, the reference of `import kinematch as km`, from docstrings, signatures and field comments.

python docs/make_api.py
"""

import ast
import dataclasses
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import kinematch as km

PAGE = Path(__file__).parent / "api.md"
HEAD = """\
# Reference

Everything in `import kinematch as km`. Some folders offer further names, which their `__init__.py` lists: `km.draw`,
`km.robot`, `km.camera`, `km.avatar`, `km.synth`, `km.motion`, `km.math`, `km.database`, `km.layers`, `km.scene`,
`km.evaluate`.
The letters in shapes: N characters, F frames, J joints, H times, K contacts, M points.
Units are metres, seconds and radians, unless said otherwise; see [the conventions](conventions.md). Wrong
arguments raise `km.KinematchError`, which says what was expected.

*Written by `python docs/make_api.py` from the code; a test keeps it up to date.*
"""
SECTIONS = {
    "Databases and files": (
        "build",
        "load",
        "pack",
        "read",
        "save",
        "animate",
        "Database",
        "Clip",
        "Skeleton",
        "skeleton",
        "add_root",
        "find_contacts",
        "mirror",
        "put_on_floor",
        "resample",
    ),
    "Characters": (
        "Crowd",
        "Settings",
        "Pose",
        "State",
        "record",
        "Retargeting",
        "RetargetSettings",
        "retarget",
        "RobotReference",
    ),
    "Commands": (
        "move",
        "act",
        "jump",
        "sit",
        "follow_trajectory",
        "Command",
        "Trajectory",
        "SimulatedBody",
        "Controller",
    ),
    "Controllers": (
        *("Stick", "Path", "Keypoint", "Follow", "Wander", "Script", "ScriptPlayer", "CommandRecorder"),
        *("read_script", "write_script"),
    ),
    "Terrain": ("HeightFunction", "HeightGrid"),
    "Layers, sources and features": (
        *("Layer", "ClipLayer", "ReachLayer"),
        *("MotionSource", "SourceDescription", "SourcePoses", "describe_source"),
        *("Search", "Projection", "Sample", "Feature", "register_feature"),
    ),
    "VR avatars": ("Avatar", "Trackers", "Calibration"),
    "Errors": ("KinematchError",),
}


def write_page() -> str:
    """The whole page; every public name must have its section."""
    named = {name for names in SECTIONS.values() for name in names}
    if named != set(km.__all__) - {"__version__"}:
        raise SystemExit(f"names without a section, or sections without: {sorted(named ^ set(km.__all__))}")
    parts = [HEAD]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [describe(name, getattr(km, name)) for name in names]
    return "\n".join(parts)


def describe(name: str, thing: Any) -> str:
    """One name: heading, signature, docstring, then fields and methods of a class."""
    where = f"`{thing.__module__}`"
    lines = [f"### km.{name}\n"]
    fields = find_fields(thing) if inspect.isclass(thing) else []
    if not inspect.isclass(thing) or (not fields and "__init__" in vars(thing)):
        lines.append(f"```python\n{format_signature(name, thing)}\n```\n")
    lines.append(inspect.cleandoc(thing.__doc__) + "\n")
    own = vars(thing).get("__init__") if inspect.isclass(thing) and not fields else None
    if own is not None and own.__doc__:
        lines.append(inspect.cleandoc(own.__doc__) + "\n")
    if fields:
        lines += ["| field | type | default | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{field}` | {code(kind)} | {code(default)} | {escape(text)} |" for field, kind, default, text in fields
        ]
        lines.append("")
    if inspect.isclass(thing):
        lines += describe_members(thing)
    lines.append(f"*in {where}*\n")
    return "\n".join(lines)


def describe_members(thing: type) -> list[str]:
    """Methods and properties with docstrings, as a list."""
    lines = []
    for name, member in vars(thing).items():
        text = inspect.getdoc(member)
        if name.startswith("_") or not text or not (inspect.isfunction(member) or isinstance(member, property)):
            continue
        title = name if isinstance(member, property) else format_signature(name, member)
        lines.append(f"- `{' '.join(title.split())}`: {' '.join(text.split())}")
    return [*lines, ""] if lines else []


def format_signature(name: str, thing: Any) -> str:
    """The signature as the source has it, without `self`, on several lines where it is long."""
    function = vars(thing)["__init__"] if inspect.isclass(thing) else thing
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef)
    node.args.args = [one for one in node.args.args if one.arg != "self"]
    defaults = [one for one in (*node.args.defaults, *node.args.kw_defaults) if one is not None]
    values = [one.default for one in inspect.signature(function).parameters.values() if one.default is not one.empty]
    shown = dict(zip(map(id, defaults), values, strict=True))
    for group in (node.args.defaults, node.args.kw_defaults):
        group[:] = [one if one is None else simplify_default(one, shown[id(one)]) for one in group]
    arguments = [space_default(one) for one in split_arguments(ast.unparse(node.args))]
    returns = "" if inspect.isclass(thing) or node.returns is None else f" -> {ast.unparse(node.returns)}"
    text = f"{name}({', '.join(arguments)}){returns}"
    if len(text) > 110:
        inside = textwrap.indent(",\n".join(arguments), "    ")
        text = f"{name}(\n{inside},\n){returns}"
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)  # annotations that are written as strings


def simplify_default(node: ast.expr, value: Any) -> ast.expr:
    """The number that an expression gives, and dots for a function."""
    if isinstance(node, ast.Lambda):
        return ast.Constant(...)
    if isinstance(node, ast.Attribute) and isinstance(value, float) and value == value:
        return ast.Constant(value)
    return node


def space_default(argument: str) -> str:
    """`a: int = 1` for `a: int=1`."""
    name, colon, rest = argument.partition(": ")
    kind, equals, default = rest.partition("=")
    return f"{name}: {kind} = {default}" if colon and equals else argument


def split_arguments(text: str) -> list[str]:
    """Split at the commas that are not within brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def find_fields(thing: type) -> list[tuple[str, str, str, str]]:
    """Name, type, default and meaning of the fields of a dataclass or named tuple, from its source."""
    if not (dataclasses.is_dataclass(thing) or hasattr(thing, "_fields")):
        return []
    source = textwrap.dedent(inspect.getsource(thing))
    texts = {}
    if dataclasses.is_dataclass(thing):
        texts = {one.name: one.metadata.get("text", "") for one in dataclasses.fields(thing)}
        units = {one.name: one.metadata.get("unit", "") for one in dataclasses.fields(thing)}
        texts = {name: f"{text} [{units[name]}]" if units[name] else text for name, text in texts.items()}
    rows, lines = [], source.splitlines()
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    for node in definition.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        comment = lines[node.end_lineno - 1][node.end_col_offset :].partition("#")[2].strip()
        name, default = node.target.id, "" if node.value is None else ast.unparse(node.value)
        if dataclasses.is_dataclass(thing) and texts.get(name):
            default = repr(next(one.default for one in dataclasses.fields(thing) if one.name == name))
        default = "made" if default.startswith("field(init=False") else default
        default = "" if default.startswith("field(") else default
        rows.append((name, ast.unparse(node.annotation), default, comment or texts.get(name, "")))
    return rows


def code(text: str) -> str:
    return f"`{escape(text)}`" if text else ""


def escape(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
    print(f"written: {PAGE}")
