"""TypeScript for the page: types of the messages and readers of the binary frames, written from their definitions.

python -m kinematch.studio.typescript > client/src/messages.ts
"""

import sys
from typing import Any

import msgspec

from kinematch.studio import answers, messages
from kinematch.studio.layout import HEADER_SIZE, LAYOUTS, Layout

ARRAYS = {"i32": "Int32Array", "u32": "Uint32Array", "f32": "Float32Array"}
READERS = {"u32": "getUint32", "f32": "getFloat32", "f64": "getFloat64"}


def typescript() -> str:
    """The whole file."""
    parts = [
        "// Written by `python -m kinematch.studio.typescript`; change src/kinematch/studio/messages.py instead.\n",
        f"export const PROTOCOL = {messages.PROTOCOL};\n",
    ]
    named = {**vars(messages), **vars(answers)}
    structs = [one for one in named.values() if isinstance(one, type) and issubclass(one, msgspec.Struct)]
    plain = (msgspec.Struct, messages.FromPage, answers.FromServer, messages.Part)
    parts += [interface(one) for one in structs if one not in plain]
    for name, base in (("PageMessage", messages.FromPage), ("ServerMessage", answers.FromServer)):
        members = [one.__name__ for one in structs if issubclass(one, base) and one is not base]
        parts.append(f"export type {name} =\n" + "".join(f"  | {member}\n" for member in members).rstrip() + ";\n")
    parts += [_reader(layout) for layout in LAYOUTS]
    return "\n".join(parts)


def interface(struct: Any) -> str:
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    own = "{" not in (struct.__doc__ or "{") and struct.__doc__ not in {base.__doc__ for base in struct.__bases__}
    lines = [f"/** {' '.join(struct.__doc__.split())} */"] if own else []
    lines.append(f"export interface {struct.__name__} {{")
    if info.tag is not None:
        lines.append(f'  type: "{info.tag}";')
    optional = issubclass(struct, messages.FromPage)  # what a page leaves out has its default; the server tells all
    for field in info.fields:
        mark = "?" if optional and not field.required else ""
        lines.append(f"  {field.encode_name}{mark}: {_type(field.type)};")
    return "\n".join([*lines, "}\n"])


def _type(info: Any) -> str:
    kinds = msgspec.inspect
    match info:
        case kinds.IntType() | kinds.FloatType():
            return "number"
        case kinds.StrType():
            return "string"
        case kinds.BoolType():
            return "boolean"
        case kinds.NoneType():
            return "null"
        case kinds.AnyType():
            return "unknown"
        case kinds.LiteralType():
            return " | ".join(f'"{value}"' for value in info.values)
        case kinds.ListType():
            inner = _type(info.item_type)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case kinds.DictType():
            return f"Record<string, {_type(info.value_type)}>"
        case kinds.UnionType():
            return " | ".join(dict.fromkeys(_type(one) for one in info.types))
        case kinds.StructType():
            return info.cls.__name__
    raise TypeError(f"no TypeScript for {info}")


def _reader(layout: Layout) -> str:
    magic = int.from_bytes(layout.magic, "little")
    lines = [f"/** {layout.text} */", f"export interface {layout.name} {{"]
    lines += [f"  /** {field.text} */\n  {field.name}: number;" for field in layout.header]
    lines += [f"  /** ({', '.join(map(str, a.shape))}) {a.text} */\n  {a.name}: {ARRAYS[a.type]};"
              for a in layout.arrays]  # fmt: skip
    lines += ["}\n", f"export function is{layout.name}(buffer: ArrayBuffer): boolean {{",
              f"  return buffer.byteLength >= {HEADER_SIZE} && new DataView(buffer).getUint32(0, true) === {magic};",
              "}\n", "/** Views into the buffer; nothing is copied. */",
              f"export function read{layout.name}(buffer: ArrayBuffer): {layout.name} {{",
              f'  if (!is{layout.name}(buffer)) throw new Error("no {layout.name}");',
              "  const view = new DataView(buffer);"]  # fmt: skip
    for field in layout.header:
        lines.append(f"  const {field.name} = view.{READERS[field.type]}({layout.offsets[field.name]}, true);")
    lines.append(f"  let at = {HEADER_SIZE};")
    for array in layout.arrays:
        size = " * ".join(str(extent) for extent in array.shape)
        lines += [f"  const {array.name} = new {ARRAYS[array.type]}(buffer, at, {size});", f"  at += 4 * {size};"]
    names = [field.name for field in layout.header] + [array.name for array in layout.arrays]
    lines += [f'  if (at !== buffer.byteLength) throw new Error("{layout.name} of a wrong length");',
              f"  return {{ {', '.join(names)} }};", "}\n"]  # fmt: skip
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(typescript())
